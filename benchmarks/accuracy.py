"""Error, estimate and time of the solved problems: writes benchmarks/ACCURACY.md.

Each example runs with three keys, where its method has any, in a process of its own; medians are
shown. The error is the one
that the example computes from its exact or reference solution; the estimate is the solution's own,
made without it.

    python -m benchmarks.accuracy            all problems
    python -m benchmarks.accuracy cavity     some; the other rows of the table stay
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
TABLE, ROWS = HERE / "ACCURACY.md", HERE / "accuracy.json"
KEYS = (0, 1, 2)
WITHOUT_CHANCE = ("FiniteElements", "RungeKutta", "Spectral", "FiniteDifferences")
NOTES = (
    "Settings of the method (damping at corners, redrawing, damping of the estimate) were chosen",
    "while looking at the errors of the cavity and of Burgers' equation with one key: these two",
    "rows are no blind tests.",
)

# What each problem must reach, in the words of its example's `error`.
TARGETS = {
    "cavity": 1e-2,
    "burgers": 1e-3,
    "poisson_hole": 1e-3,
    "unknown_conductivity": 1e-2,
    "eig_lshape": 1e-3,
    "eig_harmonic_oscillator": 1e-6,
    "maxwell_eig_lshape": 1e-2,
    "cylinder_st2d1": 1e-2,
    "kirsch_infinite_plate": 1e-2,
    "nafems_le1": 1e-2,
    "timoshenko_cantilever": 1e-3,
    "nafems_t3": 1e-3,
    "nafems_t4": 5e-3,
    "inverse_burgers_nu": 1e-2,
    "lorenz_short": 1e-4,
    "lotka_volterra": 1e-4,
    "van_der_pol_mu2": 1e-4,
    "inverse_conductivity_1d": 3e-2,
    "kdv_cos": 4e-4,
    "kdv_two_soliton": 1e-4,
    "ks_regular": 1e-3,
    "nls_2sech": 1e-3,
    "allen_cahn": 1e-5,
    "heat1d_exact": 1e-6,
    "heat2d_cooling": 1e-2,
    "wave1d_two_mode": 1e-4,
    "wave2d_membrane": 1e-4,
    "maxwell_tm_cavity": 1e-4,
    "helmholtz_manufactured_1_4": 1e-5,
    "helmholtz_soft_disk_k4": 1e-3,
    "poisson2d_c_four_circles": 1e-3,
    "poisson_annulus_mixed": 1e-6,
    "poisson_lshape_singular": 1e-3,
    "plate_ss_sinusoidal": 1e-6,
    "plate_ss_uniform": 1e-5,
    "plate_clamped_uniform": 1e-4,
    "plate_circular_clamped": 1e-5,
    "kovasznay_re40": 1e-6,
    "poiseuille_plane": 1e-8,
    "couette_startup": 1e-4,
    "beltrami3d": 1e-4,
    "cavity_re1000_lines": 3e-2,
    "volterra_ide": 1e-4,
    "fractional_poisson_a15": 1e-4,
}


def measure(name: str, key: int) -> dict:
    """One run of an example: error, estimate, seconds of wall and processor, method."""
    import dataclasses

    from science.catalogue import find
    from science.scripts import run_script

    def quietly(call):
        return dataclasses.replace(call, key=key, folder=None, progress=False)

    start, cpu = time.perf_counter(), time.process_time()
    outcome = run_script(find(name), quietly)
    solution = outcome.names["solution"]
    return {
        "error": float(outcome.names["error"]),
        "estimate": solution.error_estimate,
        "wall": time.perf_counter() - start,
        "cpu": time.process_time() - cpu,
        "method": type(solution.method).__name__,
    }


def in_a_process(name: str, key: int) -> dict:
    """`measure` in a process of its own, without compiled programs of earlier runs."""
    environment = {k: v for k, v in os.environ.items() if k != "JAX_COMPILATION_CACHE_DIR"}
    environment["PYTHONPATH"] = str(HERE.parent)
    command = [sys.executable, "-m", "benchmarks.accuracy", "--one", name, str(key)]
    with tempfile.TemporaryDirectory() as folder:  # no run of before is picked up
        done = subprocess.run(
            command, env=environment, cwd=folder, stdout=subprocess.PIPE, text=True, check=True
        )
    return json.loads(done.stdout.splitlines()[-1])


def row(name: str) -> dict:
    """The medians over the keys; one run of a method that leaves nothing to chance."""
    runs = [in_a_process(name, KEYS[0])]
    if runs[0]["method"] not in WITHOUT_CHANCE:
        runs += [in_a_process(name, key) for key in KEYS[1:]]
    medians = {
        k: statistics.median(r[k] for r in runs) for k in ("error", "estimate", "wall", "cpu")
    }
    worst = max(r["error"] for r in runs)
    return {**medians, "worst": worst, "method": runs[0]["method"]}


def write(rows: dict[str, dict]) -> None:
    """The table, from all rows measured so far."""
    lines = [
        "# Accuracy of the solved problems",
        "",
        "Written by `make bench-accuracy`: medians of three keys (one run where a method leaves",
        "nothing to chance), each in a process of its own that compiles everything anew.",
        "Error: the example's own figure against an exact or",
        "reference solution. Estimate: what the solution says of itself, without knowing it.",
        "Seconds: wall clock and processor time, including compilation; single machine, two cores.",
        "",
        *NOTES,
        "",
        "| problem | target | error | worst of three | estimate | wall s | cpu s | method |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, r in rows.items():
        lines.append(
            f"| {name} | {TARGETS[name]:.0e} | {r['error']:.1e} | {r['worst']:.1e} | "
            f"{r['estimate']:.1e} | {r['wall']:.0f} | {r['cpu']:.0f} | {r['method']} |"
        )
    TABLE.write_text("\n".join(lines) + "\n")


def main(arguments: list[str]) -> None:
    """Measure the named problems (all by default) and rewrite the table."""
    if arguments[:1] == ["--one"]:
        print(json.dumps(measure(arguments[1], int(arguments[2]))))
        return
    unknown = set(arguments) - set(TARGETS)
    if unknown:
        sys.exit(f"unknown problems {sorted(unknown)}; there are {', '.join(TARGETS)}")
    rows = json.loads(ROWS.read_text()) if ROWS.exists() else {}
    for name in arguments or TARGETS:
        rows[name] = row(name)
        print(name, rows[name], flush=True)
        ROWS.write_text(json.dumps(rows, indent=1) + "\n")
        write({name: rows[name] for name in TARGETS if name in rows})


if __name__ == "__main__":
    main(sys.argv[1:])

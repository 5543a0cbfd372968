"""The examples reach their figures: in a small form here, as they are among the slow tests."""

import ast
from dataclasses import replace

import pytest

from benchmarks.accuracy import TARGETS
from science import PINN, FiniteElements, RandomFeatures, RungeKutta, Spectral
from science.catalogue import entries, find
from science.scripts import run_script

# A small network, few steps and a generous bound: that an example works, not how well.
SMALL = {
    "cavity": (PINN(width=16, depth=3, steps=300, points=400), 0.2),
    "burgers": (PINN(width=20, steps=600, points=600), 0.1),
    "poisson_hole": (PINN(width=12, depth=2, steps=300, points=400), 0.05),
    "unknown_conductivity": (PINN(width=12, depth=2, steps=400, points=300), 0.05),
    "eig_lshape": (FiniteElements(size=0.2), 1e-2),
    "eig_harmonic_oscillator": (FiniteElements(size=0.2), 1e-5),
    "maxwell_eig_lshape": (FiniteElements(size=0.2), 1e-2),
    "cylinder_st2d1": (FiniteElements(size=0.05), 0.1),
    "kirsch_infinite_plate": (FiniteElements(size=0.3), 2e-2),
    "nafems_le1": (FiniteElements(size=0.2), 0.15),
    "timoshenko_cantilever": (FiniteElements(size=1), 1e-3),
    "nafems_t3": (FiniteElements(size=0.01), 1e-3),
    "nafems_t4": (FiniteElements(size=0.1), 5e-3),
    "inverse_burgers_nu": (PINN(width=16, depth=3, steps=600, points=500), 0.2),
    "lorenz_short": (RungeKutta(tolerance=1e-6), 1e-4),
    "lotka_volterra": (RungeKutta(tolerance=1e-6), 1e-4),
    "van_der_pol_mu2": (RungeKutta(tolerance=1e-6), 1e-4),
    "inverse_conductivity_1d": (PINN(width=4, depth=1, steps=800, points=100), 0.1),
    "kdv_cos": (Spectral(modes=128, time_steps=256), 1e-3),
    "kdv_two_soliton": (Spectral(modes=128, time_steps=512), 1e-3),
    "ks_regular": (Spectral(modes=64, time_steps=1024), 1e-3),
    "nls_2sech": (Spectral(modes=128, time_steps=256), 1e-2),
    "allen_cahn": (Spectral(modes=256, time_steps=64), 1e-3),
    "heat1d_exact": (RandomFeatures(features=200), 1e-4),
    "heat2d_cooling": (FiniteElements(size=0.2), 5e-2),
    "wave1d_two_mode": (RandomFeatures(features=600), 1e-5),
    "wave2d_membrane": (RandomFeatures(features=300), 0.3),
    "maxwell_tm_cavity": (RandomFeatures(features=300), 0.3),
    "helmholtz_manufactured_1_4": (RandomFeatures(features=500), 1e-4),
    "helmholtz_soft_disk_k4": (RandomFeatures(features=300), 0.4),
    "poisson2d_c_four_circles": (FiniteElements(size=0.1), 2e-2),
    "poisson_annulus_mixed": (RandomFeatures(features=300), 1e-2),
    "poisson_lshape_singular": (FiniteElements(size=0.2), 1e-2),
    "plate_ss_sinusoidal": (RandomFeatures(features=200), 1e-8),
    "plate_ss_uniform": (RandomFeatures(features=200), 1e-3),
    "plate_clamped_uniform": (RandomFeatures(features=200), 2e-3),
    "plate_circular_clamped": (RandomFeatures(features=200), 1e-8),
    "kovasznay_re40": (RandomFeatures(features=200), 1e-5),
    "poiseuille_plane": (RandomFeatures(features=100), 1e-9),
    "couette_startup": (FiniteElements(size=0.05), 1e-3),
    "beltrami3d": (RandomFeatures(features=100), 0.5),
    "cavity_re1000_lines": (FiniteElements(size=0.05), 0.3),
    "volterra_ide": (PINN(width=8, depth=2, points=60, steps=200), 1e-3),
    "fractional_poisson_a15": (PINN(width=8, depth=2, points=60, steps=200), 0.3),
}


@pytest.mark.parametrize("name", SMALL)
def test_an_example_in_small_form_comes_near_its_reference(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    method, bound = SMALL[name]
    outcome = run_script(
        find(name), lambda call: replace(call, method=method, folder=None, progress=False)
    )
    assert outcome.names["error"] < bound


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_an_example_reaches_its_target(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = run_script(find(name), lambda call: replace(call, folder=None, progress=False))
    assert outcome.names["error"] < TARGETS[name]


def test_every_example_has_a_target_and_a_small_form():
    assert set(entries()) == set(TARGETS) == set(SMALL)


def test_the_cavity_takes_at_most_twenty_lines_from_import_to_solve():
    text = find("cavity").read_text()
    first = next(n for n in ast.parse(text).body if isinstance(n, ast.ImportFrom)).lineno
    lines = text.splitlines()[first - 1 :]
    end = next(i for i, line in enumerate(lines) if line.startswith("solution = solve"))
    code = [line for line in lines[: end + 1] if line.strip() and not line.startswith("#")]
    assert len(code) <= 20

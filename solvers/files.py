"""Solutions on disk: `.npz` to load again, `.vtu` and `.csv` for other programs.

An `.npz` holds the statement and the method as JSON and the method's state as arrays, in one
checkpoint file that is whole or absent; loading it executes nothing that the file says. Meshio is
used here and nowhere else.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import sympy

from diffcore import checkpoint
from equations import Problem, Scaling
from equations.serialize import SerializationError, from_json, to_json
from geometry import Periodic, SpaceTime

from . import labels
from .ranged import over_ranges, with_ranges
from .scaled import in_units
from .solution import Solution
from .status import Status

METHODS = ("solvers", "diffcore.nn", "diffcore.optim")  # whose names a method may hold
NODES = 10_000  # about as many points are written


def save(solution: Solution, path: str | os.PathLike, expressions: Any = None) -> Path:
    """Write the solution in the format that the ending of `path` names, and return the path.

    Arguments:
        path: `.npz` holds the whole solution for `load`; `.vtu` and `.csv` hold values on a mesh of
            the domain (of space and time where there is time), or on sampled points where it cannot
            be meshed.
        expressions: an expression, a list, or `{name: expression}`; the unknown fields if not
            given; not for `.npz`.

    Raises:
        ValueError for another ending, SerializationError for `.npz` where the statement or the
        method holds what a file cannot, such as a class of the user's own.
    """
    path = Path(path)
    writers: dict[str, Callable] = {".npz": _save_npz, ".vtu": _save_vtu, ".csv": _save_csv}
    if path.suffix not in writers:
        raise ValueError(f"`path` must end in {', '.join(writers)}; got {str(path)!r}.")
    path.parent.mkdir(parents=True, exist_ok=True)
    writers[path.suffix](solution, path, expressions)
    return path


def load(path: str | os.PathLike) -> Solution:
    """The solution that `save` wrote to an `.npz` file.

    Raises:
        FileNotFoundError; ValueError for a file that is damaged or not one of ours.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"`load`: there is no file {str(path)!r}.")
    stored = checkpoint.read_metadata(path)
    if stored.get("kind") != "solution":
        raise ValueError(f"{str(path)!r} is a checkpoint, but not one of a solution.")
    tree = checkpoint.load(path)
    try:
        return _solution(path, stored, tree)
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{str(path)!r} holds no whole solution: {error!r}.") from error


def _solution(path: Path, stored: Mapping[str, Any], tree: Any) -> Solution:
    problem, method = from_json(stored["problem"]), from_json(stored["method"], packages=METHODS)
    if not isinstance(problem, Problem) or not hasattr(method, "rebuild"):
        raise ValueError(f"{str(path)!r} holds no problem, or a method that cannot be rebuilt.")
    scaling = _scaling(stored)
    whole = over_ranges(problem)
    solved = whole if scaling is None else scaling.apply(whole)
    jets, parameters = method.rebuild(solved, tree["state"])
    solution = Solution(
        solved,
        method,
        jets,
        Status[stored["status"]],
        float(stored["seconds"]),
        parameters,
        tree["history"],
        dict(from_json(stored["errors"])),
        tuple(stored["choices"]),
        tree["state"],
        _deviations(solved, method, tree["state"]),
    )
    if scaling is not None:
        solution = in_units(solution, whole, scaling)
    return solution if whole is problem else with_ranges(solution, problem)


def _scaling(stored: Mapping[str, Any]) -> Scaling | None:
    """The scales of the dimensionless form that was solved, if it was."""
    return Scaling(*from_json(stored["scaling"])) if stored.get("scaling") else None


def _deviations(problem: Problem, method: Any, state: Any) -> Callable | None:
    """Standard deviations as the method makes them from the data, with the first use."""
    if not problem.data or not hasattr(method, "deviations"):
        return None
    made: list[Callable] = []

    def deviations(expressions: Any, points: Any) -> Any:
        if not made:
            made.append(method.deviations(problem, state))
        return made[0](expressions, points)

    return deviations


def _save_npz(solution: Solution, path: Path, expressions: Any) -> None:
    if expressions is not None:
        raise ValueError("`expressions` is for .vtu and .csv: an .npz holds the whole solution.")
    if not hasattr(solution.method, "rebuild") or solution.state is None:
        raise SerializationError(
            f"{type(solution.method).__name__} has no state to store; save values as .vtu or .csv."
        )
    metadata = {
        "kind": "solution",
        "problem": to_json(solution.problem),
        "method": to_json(solution.method, packages=METHODS),
        "status": solution.status.name,
        "seconds": float(solution.seconds),
        "errors": to_json([(group, float(e)) for group, e in solution.errors.items()]),
        "choices": list(solution.choices),
        "scaling": None if solution.scaling is None else to_json(solution.scaling.parts),
    }
    history = {name: np.asarray(column) for name, column in solution.history.items()}
    tree = {"state": solution.state, "history": history}
    checkpoint.save(path, tree, metadata=metadata)


# Values for other programs


def _save_csv(solution: Solution, path: Path, expressions: Any) -> None:
    points, _ = _nodes(solution.problem.domain)
    columns = {str(c): points[:, i] for i, c in enumerate(solution.problem.coordinates)}
    for name, values in _values(solution, points, expressions).items():
        parts = values.reshape(len(points), -1)
        suffixes = [""] if values.ndim == 1 else [f"_{i + 1}" for i in range(parts.shape[1])]
        columns |= {name + s: part for s, part in zip(suffixes, parts.T, strict=True)}
    header = ",".join(f'"{name}"' if "," in name else name for name in columns)
    table = np.column_stack(list(columns.values()))

    def write(temporary: Path) -> None:
        np.savetxt(temporary, table, fmt="%.17g", delimiter=",", header=header, comments="")

    _replace(path, write)


def _save_vtu(solution: Solution, path: Path, expressions: Any) -> None:
    import meshio

    points, (kind, cells) = _nodes(solution.problem.domain)
    if points.shape[1] > 3:
        raise ValueError(
            f".vtu holds up to three coordinates, and this domain has {points.shape[1]}: "
            "save as .csv."
        )
    data = _values(solution, points, expressions)
    vectors = {name: _padded(v) if v.ndim > 1 else v for name, v in data.items()}
    mesh = meshio.Mesh(_padded(points), [(kind, cells)], point_data=vectors)
    _replace(path, lambda temporary: mesh.write(temporary, file_format="vtu"))


def _values(solution: Solution, points: np.ndarray, expressions: Any) -> dict[str, np.ndarray]:
    """Arrays (n,) or (n, k) by name; complex values as real and imaginary part."""
    result: dict[str, np.ndarray] = {}
    for name, expression in _named(solution, expressions).items():
        with warnings.catch_warnings():  # nodes on a curved boundary lie outside by rounding
            warnings.filterwarnings("ignore", message=".*outside the domain.*")
            values = solution(expression, points)
        if np.iscomplexobj(values):
            result |= {f"re {name}": values.real.copy(), f"im {name}": values.imag.copy()}
        else:
            result[name] = values
    return result


def _named(solution: Solution, expressions: Any) -> Mapping[str, Any]:
    if expressions is None:
        expressions = list(solution.problem.fields)
    if isinstance(expressions, Mapping):
        return {str(name): expression for name, expression in expressions.items()}
    if isinstance(expressions, sympy.MatrixBase) or not isinstance(expressions, list | tuple):
        expressions = [expressions]
    return {labels.text(e): e for e in expressions}


def _padded(vectors: np.ndarray) -> np.ndarray:
    """Rows of three numbers, which VTK wants, or of all the entries of matrices."""
    rows = vectors.reshape(len(vectors), -1)
    return np.pad(rows, [(0, 0), (0, max(0, 3 - rows.shape[1]))])


def _nodes(domain: Any) -> tuple[np.ndarray, tuple[str, np.ndarray]]:
    """Points that cover the domain, and cells between them: (kind in meshio's words, indices)."""
    space = domain.space if isinstance(domain, SpaceTime) else domain  # time is meshed as layers
    space = space.base if isinstance(space, Periodic) else space  # from end to end
    try:
        mesh = space.mesh(_spacing(domain, space))
    except NotImplementedError:
        points = domain.sample_interior(NODES, key=0).points
        return points, ("vertex", np.arange(len(points))[:, None])
    if domain.time is None or mesh.dimension == domain.dimension:
        return mesh.points, (("line", "triangle", "tetra")[mesh.dimension - 1], mesh.cells)
    return _extruded(mesh, *domain.time[1:])


def _spacing(domain: Any, space: Any) -> float:
    lower, upper = domain.bounds
    n = NODES ** (1 / len(lower))  # nodes along each axis
    lengths = (upper - lower)[: space.dimension]
    return float(np.prod(lengths) ** (1 / space.dimension) / n)


def _extruded(mesh: Any, start: float, end: float) -> tuple[np.ndarray, tuple[str, np.ndarray]]:
    """The product of a mesh with an interval of time, in layers: quadrilaterals or wedges."""
    n, d = mesh.points.shape
    layers = max(2, round((NODES / n) if n < NODES else 2))
    times = np.linspace(start, end, layers)
    points = np.column_stack([np.tile(mesh.points, (layers, 1)), np.repeat(times, n)])
    if d == 1:
        cell = np.column_stack([mesh.cells, mesh.cells[:, ::-1] + n])
    else:
        cell = np.column_stack([mesh.cells, mesh.cells + n])
    cells = np.concatenate([cell + n * layer for layer in range(layers - 1)])
    if d > 2:
        return points, ("vertex", np.arange(len(points))[:, None])
    return points, (("quad", "wedge")[d - 1], cells)


def _replace(path: Path, write: Callable[[Path], None]) -> None:
    """Write beside `path` and rename, so that a kill leaves no half file."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write(temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)

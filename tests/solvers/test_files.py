"""Solutions on disk: what is read back is what was saved."""

import json
import zipfile

import jax.numpy as jnp
import meshio
import numpy as np
import pytest
import sympy

import geometry as geo
from diffcore import checkpoint
from equations import Eq, Poisson, Problem, coordinates, diff, field
from equations.serialize import SerializationError
from solvers import PINN, FiniteElements, solve
from solvers.files import load, save
from tests.exact import on

x, y, z, t = coordinates("x y z t")


@pytest.fixture(autouse=True)
def few_nodes(monkeypatch):
    """Small files: what is tested does not depend on their size."""
    monkeypatch.setattr("solvers.files.NODES", 800)


@pytest.fixture(scope="module")
def solved():
    """A solution by finite elements of -u'' = 1 with u = 0 at both ends: u = x (1 - x) / 2."""
    law = Poisson(x, source=1)
    problem = Problem(geo.Interval(0, 1), law, {("left", "right"): Eq(law.unknown, 0)}, name="rod")
    return solve(problem, FiniteElements(size=0.1))


def test_a_solution_comes_back_with_its_statement(solved, tmp_path):
    back = load(solved.save(tmp_path / "rod.npz"))
    u, points = solved.problem.fields[0], np.linspace(0, 1, 33)
    assert back.problem == solved.problem and back.method == solved.method
    assert np.array_equal(back(u, points), solved(u, points))
    assert np.array_equal(back(diff(u, x), points), solved(diff(u, x), points))
    assert (back.status, back.seconds, back.errors) == (
        solved.status,
        solved.seconds,
        solved.errors,
    )
    assert back.choices == solved.choices and str(back.report())
    assert {k: v.tolist() for k, v in back.history.items()} == {
        k: np.asarray(v).tolist() for k, v in solved.history.items()
    }


def test_a_damaged_file_is_refused(solved, tmp_path):
    path = solved.save(tmp_path / "rod.npz")
    content = path.read_bytes()
    path.write_bytes(content[:-200])
    with pytest.raises(ValueError, match="damaged"):
        load(path)


def test_files_that_are_not_solutions_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file"):
        load(tmp_path / "nothing.npz")
    checkpoint.save(tmp_path / "weights.npz", {"w": np.ones(3)})
    with pytest.raises(ValueError, match="not one of a solution"):
        load(tmp_path / "weights.npz")


def test_a_file_that_names_a_foreign_class_is_refused(solved, tmp_path):
    path = solved.save(tmp_path / "rod.npz")
    metadata = checkpoint.read_metadata(path)
    metadata["method"] = {"class": "subprocess.Popen", "fields": {"args": ["true"]}}
    checkpoint.save(path, checkpoint.load(path), metadata=metadata)
    with pytest.raises(SerializationError, match="subprocess.Popen"):
        load(path)


BAD_METADATA = {
    "status": "splendid",
    "method": None,
    "problem": 3,
    "errors": {"no": "such"},
    "seconds": [1],
    "choices": 7,
}


@pytest.mark.parametrize("name, value", BAD_METADATA.items())
def test_bad_metadata_are_refused_in_words(solved, tmp_path, name, value):
    path = solved.save(tmp_path / "rod.npz")
    tree, metadata = checkpoint.load(path), checkpoint.read_metadata(path)
    without = {k: v for k, v in metadata.items() if k != name}
    for stored in ({**metadata, name: value}, without):
        checkpoint.save(path, tree, metadata=stored)
        with pytest.raises(ValueError):
            load(path)


def test_files_of_other_programs_are_refused_in_words(tmp_path):
    path = tmp_path / "rod.npz"
    path.write_text("x,u\n0,1\n")
    with pytest.raises(ValueError, match=r"rod.npz is damaged.*foreign"):
        load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes.txt", "junk")
        archive.writestr("manifest", "junk")
    with pytest.raises(ValueError, match="not a checkpoint"):
        load(path)
    manifest = np.frombuffer(b'{"format": "diffcore checkpoint"}', np.uint8)
    np.savez(path, manifest=manifest)
    with pytest.raises(ValueError, match="not a checkpoint.*version"):
        load(path)
    np.savez(path, manifest=np.frombuffer(b"[1]", np.uint8))
    with pytest.raises(ValueError, match="not a checkpoint"):
        load(path)


def test_endings_that_mean_nothing_are_refused(solved, tmp_path):
    with pytest.raises(ValueError, match=r"\.npz, \.vtu, \.csv"):
        save(solved, tmp_path / "rod.xlsx")
    with pytest.raises(ValueError, match="holds the whole solution"):
        save(solved, tmp_path / "rod.npz", x)


def test_a_method_without_state_says_what_else_to_save(tmp_path):
    f = field("f", x)
    with pytest.raises(SerializationError, match=r"Exact.*\.vtu or \.csv"):
        on(geo.Interval(0, 1), {f: lambda p: p[0]}).save(tmp_path / "f.npz")
    assert not list(tmp_path.iterdir())


w, g = field("w", x, y), field("g", x, y, t)
s, b, h = field("s", x), field("b", x, y, z), field("h", x, t, complex=True)
hole = geo.Rectangle((0, 0), (2, 1)) - geo.Disk((1, 0.5), 0.25, name="hole")
TAU = 2 * np.pi
CASES = {
    "interval": (geo.Interval(0, 1), s, lambda p: p[0] ** 2, "line"),
    "plane with a hole": (hole, w, lambda p: p[0] * p[1], "triangle"),
    "box": (geo.Box((0, 0, 0), (1, 1, 1)), b, lambda p: p[0] - p[1] * p[2], "tetra"),
    "ball": (geo.Ball((0, 0, 0), 1), b, lambda p: p[0] - p[1] * p[2], "tetra"),
    "periodic interval in time": (
        geo.Interval(0, 1).periodic("x").over(t, 0, 2),
        h,
        lambda p: jnp.exp(1j * (TAU * p[0] + p[1])),
        "quad",
    ),
    "plane in time": (hole.over(t, 0, 2), g, lambda p: p[0] * p[1] * p[2], "wedge"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_vtu_holds_the_values_at_its_points(case, tmp_path):
    domain, f, function, kind = case
    mesh = meshio.read(on(domain, {f: function}).save(tmp_path / "out.vtu"))
    (cells,) = mesh.cells
    assert cells.type == kind and 0 <= cells.data.min() and cells.data.max() < len(mesh.points)
    expected = np.asarray(function(jnp.asarray(mesh.points.T)))
    name = f.func.__name__
    if np.iscomplexobj(expected):
        found = mesh.point_data[f"re {name}"] + 1j * mesh.point_data[f"im {name}"]
    else:
        found = mesh.point_data[name]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    lower, upper = domain.bounds
    np.testing.assert_allclose(mesh.points[:, : len(lower)].min(0), lower, atol=0.15)
    np.testing.assert_allclose(mesh.points[:, : len(lower)].max(0), upper, atol=0.15)


def test_vtu_holds_vectors_and_named_expressions(tmp_path):
    solution = on(hole, {w: lambda p: p[0] * p[1]})
    table = sympy.Matrix([[w, 1], [2, 3]])
    named = {"flux": (diff(w, x), diff(w, y)), "twice": 2 * w, "table": table}
    mesh = meshio.read(solution.save(tmp_path / "out.vtu", named))
    px, py = mesh.points[:, 0], mesh.points[:, 1]
    flux = np.stack([py, px, 0 * px], axis=-1)
    np.testing.assert_allclose(mesh.point_data["flux"], flux, atol=1e-12)
    np.testing.assert_allclose(mesh.point_data["twice"], 2 * px * py, atol=1e-12)
    np.testing.assert_allclose(mesh.point_data["table"][:, 0], px * py, atol=1e-12)
    assert mesh.point_data["table"].shape == (len(px), 4)


def test_wedges_between_layers_of_time_fill_the_domain(tmp_path):
    mesh = meshio.read(on(hole.over(t, 0, 2), {g: lambda p: p[0]}).save(tmp_path / "out.vtu"))
    corners = mesh.points[mesh.cells[0].data]
    base = corners[:, 1:3, :2] - corners[:, :1, :2]
    height = corners[:, 3, 2] - corners[:, 0, 2]
    volume = float(np.sum(np.abs(np.linalg.det(base)) / 2 * height))
    assert volume == pytest.approx(2 * (2 - np.pi / 16), rel=1e-2)  # chords stand for arcs


def test_csv_has_a_header_and_full_digits(tmp_path):
    solution = on(geo.Interval(0, 1), {s: lambda p: 0.7 * p[0]})
    path = solution.save(tmp_path / "s.csv", [s, diff(s, x)])
    assert path.read_text().splitlines()[0] == "x,s,ds/dx"
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    assert np.array_equal(table[:, 1], 0.7 * table[:, 0]) and np.all(table[:, 2] == 0.7)


def test_the_stored_statement_is_json_that_anyone_can_read(solved, tmp_path):
    path = solved.save(tmp_path / "rod.npz")
    with zipfile.ZipFile(path) as archive:
        assert "manifest.npy" in archive.namelist()
    stored = checkpoint.read_metadata(path)
    assert stored["problem"]["problem"]["name"] == "rod" and json.dumps(stored)


def test_a_network_comes_back_with_the_same_values(tmp_path):
    law = Poisson(x, source=1)
    problem = Problem(geo.Interval(0, 1), law, {"boundary": Eq(law.unknown, 0)})
    network = solve(problem, PINN(width=4, depth=1, steps=2, points=20), key=3)
    back = load(network.save(tmp_path / "plate.npz"))
    points = np.linspace(0, 1, 50)
    expression = diff(law.unknown, x) + law.unknown
    assert np.array_equal(back(expression, points), network(expression, points))
    assert back.errors == network.errors and back.problem == problem

"""Solutions in files that need no statement: fields, derivatives, the domain, units."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import diffcore as dc
import geometry as geo
from equations import Eq, Poisson, Problem, coordinates, diff, field, grad
from solvers import PINN, FiniteElements, Solution, Status, solve

x, y = coordinates("x y")


@pytest.fixture(scope="module")
def solved():
    """With any weights: what is tested does not depend on them."""
    law = Poisson((x, y), source=1)
    holed = geo.Rectangle((0, 0), (2, 1)) - geo.Disk((0.5, 0.5), 0.25, name="hole")
    units = {x: "m", y: "m", law.unknown: "K"}
    boundary = {"boundary": Eq(law.unknown, 0)}
    problem = Problem(holed, law, boundary, name="plate", units=units)
    method, weights = PINN(width=6, depth=1, hard=False), np.sin(np.arange(25.0))
    jets, parameters = method.rebuild(problem, weights)
    return Solution(problem, method, jets, Status.STEPS_SPENT, 0.0, parameters)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_fields_and_derivatives_are_those_of_the_solution(solved, dtype, tmp_path):
    u = solved.problem.fields[0]
    wanted = {"u": u, "flux": -grad(u), "shear": diff(u, x, y) + x}
    points = solved.problem.domain.sample_interior(40, key=1).points.astype(dtype)
    path = dc.export(solved, tmp_path / "s.export", points[:3], expressions=wanted)
    loaded = dc.load(path)
    assert loaded.inputs[0].columns == ("x", "y") and loaded.inputs[0].units == ("m", "m")
    assert {v.name: v.units for v in loaded.outputs}["flux"] == ("K/m", "K/m")
    values = loaded(points)
    # float32: rounding of weights and of one pass; float64: that of another compilation
    tolerance = {"float32": 1e-6, "float64": 1e-13}[dtype]
    for name, expression in wanted.items():
        expected = solved(expression, points)
        assert values[name].dtype == dtype
        assert np.abs(values[name] - expected).max() <= tolerance * np.abs(expected).max()


def test_the_domain_goes_with_it_also_to_processes_without_the_statement(solved, tmp_path):
    path = dc.export(solved, tmp_path / "s.export", platforms="cpu")
    script = f"""
import sys, numpy as np, diffcore as dc
loaded = dc.load({str(path)!r})
boundary = np.array([[0, 0], [2, 1], [0.75, 0.5], [1, 0.5]])
print(loaded(boundary)["u"].tolist())
for outside in ([0.5, 0.5], [2.1, 0.5]):
    try:
        loaded([outside])
    except dc.OutsideDomain as error:
        print(error)
print(loaded([[0.5, 0.5]], anywhere=True)["u"].shape)
assert not any(name in sys.modules for name in ("sympy", "geometry", "equations", "solvers"))
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    values, hole, box, anywhere = run.stdout.splitlines()
    u = solved.problem.fields[0]
    expected = solved(u, [[0, 0], [2, 1], [0.75, 0.5], [1, 0.5]])
    assert np.allclose(json.loads(values), expected, rtol=1e-12) and anywhere == "(1,)"
    assert "outside the domain, such as [0.5, 0.5]" in hole
    assert "outside (0.0, 0.0) to (2.0, 1.0), such as [2.1, 0.5]" in box


def test_what_cannot_be_exported_says_why_and_leaves_no_file(solved, tmp_path):
    u, z = solved.problem.fields[0], field("z", x, y)
    cases = [
        ({"expressions": z}, ValueError, "holds z; the fields of the problem are"),
        ({"units": {"u": "K"}}, ValueError, "says it itself"),
        ({"example": np.ones((3, 3))}, ValueError, r"points \(n, 2\)"),
        ({"expressions": u, "batch": False}, ValueError, "`batch` is for functions"),
    ]
    for options, error, text in cases:
        with pytest.raises(error, match=text):
            dc.export(solved, tmp_path / "s.export", **options)
    coarse = solve(solved.problem, FiniteElements(size=0.4))
    with pytest.raises(dc.ExportError, match=r"FiniteElements.*save values as \.vtu"):
        dc.export(coarse, tmp_path / "s.export")
    assert os.listdir(tmp_path) == []

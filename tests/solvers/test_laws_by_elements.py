"""Laws in divergence form are solved by finite elements, with their natural conditions."""

import numpy as np
import pytest
import sympy
from sympy import Matrix, Rational, exp, sin, sqrt

import geometry as geo
from equations import (
    AdvectionDiffusion,
    Darcy,
    Eq,
    Fisher,
    Helmholtz,
    LinearElasticity,
    NeoHookean,
    Problem,
    coordinates,
)
from solvers import FiniteElements, solve
from tests.equations.laws.solids import NU, cantilever

x, y, z, t = coordinates("x y z t")
square, line = geo.Rectangle((0, 0), (1, 1)), geo.Interval(0, 1)


def beam():
    """A cantilever under a parabolic shear at its end (Timoshenko & Goodier, section 21)."""
    law = LinearElasticity((x, y), 1000, NU, plane="stress")
    u = dict(zip(law.displacement, cantilever()[:2], strict=True))
    conditions = {
        "left": [Eq(f, e.subs(x, 0)) for f, e in u.items()],
        "right": law.traction((0, -Rational(3, 4) * (1 - y**2))),
        ("top", "bottom"): law.free(),
    }
    domain = geo.Rectangle((0, -1), (8, 1))
    return Problem(domain, law, conditions), u, FiniteElements(size=1), 1e-3


def stretched():
    """A neo-Hookean sheet pulled to (1 + a, 1 + b) times its size by uniform tractions."""
    law = NeoHookean((x, y), 5, NU)
    u, v = law.displacement
    exact = {u: x / 2, v: -y / 10}
    pull = sympy.Matrix([p.subs(exact).doit() for p in law.nominal_stress]).reshape(2, 2)
    sideways, along = law.traction((pull[0, 0], 0)), law.traction((0, pull[1, 1]))
    conditions = {
        "left": Eq((u, v), (0, exact[v])),
        "bottom": Eq((u, v), (exact[u], 0)),
        "right": sideways,
        "top": along,
    }
    return Problem(square, law, conditions), exact, FiniteElements(size=0.5), 1e-6


def carried():
    """Advection and diffusion with an outlet."""
    law = AdvectionDiffusion((x, y), velocity=(3, 0))
    exact = {law.unknown: (x - 1) ** 2 * sin(y)}
    conditions = {"right": law.outflow(), ("left", "bottom", "top"): Eq(law.unknown, 0)}
    problem = Problem(square, law, conditions).manufactured(exact)
    return problem, exact, FiniteElements(size=0.2), 1e-3


def vibrating():
    law = Helmholtz((x, y), wavenumber=2)
    exact = {law.unknown: sin(2 * (3 * x + 4 * y) / 5)}
    return Problem(square, law).manufactured(exact), exact, FiniteElements(size=0.2), 1e-3


def seeping():
    law = Darcy((x, y), permeability=Matrix([[2, 1], [1, 3]]))
    exact = {law.pressure: exp(x) * sin(y)}
    return Problem(square, law).manufactured(exact), exact, FiniteElements(size=0.2), 1e-3


def spreading():
    """A front of Fisher's equation (Ablowitz & Zeppetella, 1979)."""
    law = Fisher((x, t))
    exact = {law.unknown: (1 + exp((x - 5 / sqrt(6) * t) / sqrt(6))) ** -2}
    problem = Problem(line.over(t, 0, 1), law).manufactured(exact)
    return problem, exact, FiniteElements(size=0.1), 1e-4


def shell():
    """A thick sphere under pressure (Lamé, 1852), by its radius alone."""
    r = coordinates("r", system="spherical")
    law = LinearElasticity(r, 5, NU)
    (u,) = law.displacement
    exact = {u: 2 * r + 3 / r**2}
    inner, outer = (law.stress[0, 0].subs(exact).doit().subs(r, end) for end in (1, 2))
    conditions = {"left": law.traction((-inner,)), "right": law.traction((outer,))}
    domain = geo.Interval(1, 2, axes=("r",))
    return Problem(domain, law, conditions), exact, FiniteElements(size=0.05), 1e-4


@pytest.mark.parametrize(
    "case",
    [beam, stretched, carried, vibrating, seeping, spreading, shell],
    ids=lambda c: c.__name__,
)
def test_elements_solve_the_law(case):
    problem, exact, method, tolerance = case()
    assert not problem.check().errors
    solution = solve(problem, method)
    points = problem.domain.sample_interior(50, key=1).points
    for u, expression in exact.items():
        values = sympy.lambdify(problem.coordinates, expression, "numpy")(*points.T)
        error = np.linalg.norm(solution(u, points) - values) / np.linalg.norm(values)
        assert error < tolerance  # the order of the elements at this size, with room


def test_a_bracket_from_a_mesh_file_bends_as_a_beam(tmp_path):
    """Clamped at one end and loaded at the other: F L³ / (3 E I) + F L / (5/6 G A) (Timoshenko)."""
    import meshio

    length, side, load = 1.0, 0.2, 1e6
    mesh = geo.Box((0, 0, 0), (length, side, side)).mesh(side)
    groups = {"fixed": "left", "loaded": "right", "front": "front", "back": "back"}
    groups |= {"top": "top", "bottom": "bottom"}
    triangles = [mesh.facets[name] for name in groups.values()]
    numbers = np.repeat(np.arange(1, 7), list(map(len, triangles)))
    tags = [numbers, np.full(len(mesh.cells), 7)]
    file = meshio.Mesh(
        mesh.points,
        [("triangle", np.concatenate(triangles)), ("tetra", mesh.cells)],
        cell_data={"gmsh:physical": tags, "gmsh:geometrical": tags},
        field_data={name: np.array([i + 1, 2]) for i, name in enumerate(groups)},
    )
    meshio.write(tmp_path / "bracket.msh", file, file_format="gmsh22", binary=False)

    part = geo.Mesh(tmp_path / "bracket.msh")
    steel = LinearElasticity((x, y, z), young=210e9, poisson_ratio=0.3)
    conditions = {
        "fixed": Eq(steel.displacement, 0),
        "loaded": steel.traction((0, 0, -load)),
        ("front", "back", "top", "bottom"): steel.free(),
    }
    solution = solve(Problem(part, steel, conditions), FiniteElements(size=0.2))
    area, E, G = side**2, 210e9, 210e9 / 2.6
    force = load * area
    exact = force * length**3 / (3 * E * side**4 / 12) + force * length / (5 / 6 * G * area)
    tip = solution(steel.displacement[2], [length, side / 2, side / 2])
    assert tip == pytest.approx(-exact, rel=3e-2)  # the clamp holds what a beam lets go

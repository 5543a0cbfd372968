"""Problems from problems: tangents, pieces, additions; the kinds of classical equations."""

import jax.numpy as jnp
import numpy as np
import pytest
from sympy import I, exp, sin

import geometry as geo
from equations import (
    Burgers,
    Data,
    Eq,
    NavierStokes,
    NoWeakForm,
    Poisson,
    Problem,
    coordinates,
    diff,
    div,
    field,
    fields,
    grad,
    laplacian,
)

x, y, t = coordinates("x y t")
u, v = fields("u v", x, y)
w, w2 = fields("w w2", x, t)
h = field("h", x, t, complex=True)
d, q = fields("d q", x, y, t)
square, line = geo.Rectangle((-1, -1), (1, 1)), geo.Interval(0, 1).over(t, 0, 1)
cube = geo.Rectangle((0, 0), (1, 1)).over(t, 0, 1)
upper, lower = geo.Rectangle((0, 1), (1, 2)), geo.Rectangle((0, -2), (1, -1))
tricomi = Eq(y * diff(u, x, 2) + diff(u, y, 2), 0)

# name: (domain, equations, kind, linear, order in time, order in space, in divergence form)
CLASSICAL = {
    "Laplace": (square, Eq(laplacian(u), 0), "elliptic", True, 0, 2, True),
    "Helmholtz": (square, Eq(laplacian(u) + 9 * u, 0), "elliptic", True, 0, 2, True),
    "Tricomi": (square, tricomi, "mixed", True, 0, 2, False),
    "Tricomi above": (upper, tricomi, "elliptic", True, 0, 2, False),
    "Tricomi below": (lower, tricomi, "hyperbolic", True, 0, 2, False),
    "plate": (square, Eq(laplacian(laplacian(u)), 1), "elliptic", True, 0, 4, True),
    "transport": (line, Eq(diff(w, t) + diff(w, x), 0), "hyperbolic", True, 1, 1, True),
    "heat": (line, Eq(diff(w, t), diff(w, x, 2)), "parabolic", True, 1, 2, True),
    "heat in y": (square, Eq(diff(u, y), diff(u, x, 2)), "parabolic", True, 0, 2, True),
    "wave": (line, Eq(diff(w, t, 2), diff(w, x, 2)), "hyperbolic", True, 2, 2, True),
    "beam": (line, Eq(diff(w, t, 2) + diff(w, x, 4), 0), None, True, 2, 4, True),
    "Burgers": (line, Burgers((x, t), viscosity=1), "parabolic", False, 1, 2, False),
    "inviscid": (line, Eq(diff(w, t) + w * diff(w, x), 0), "hyperbolic", False, 1, 1, False),
    "conservative": (line, Eq(diff(w, t) + div([w**2], x), 0), "hyperbolic", False, 1, 1, True),
    "Airy": (line, Eq(diff(w, t) + diff(w, x, 3), 0), None, True, 1, 3, True),
    "Schroedinger": (line, Eq(I * diff(h, t), diff(h, x, 2)), None, True, 1, 2, True),
    "Kuramoto-Sivashinsky": (
        line,
        Eq(diff(w, t) + w * diff(w, x) + diff(w, x, 2) + diff(w, x, 4), 0),
        "parabolic", False, 1, 4, False,
    ),
    "acoustics": (
        line,
        [Eq(diff(w, t) + diff(w2, x), 0), Eq(diff(w2, t) + 4 * diff(w, x), 0)],
        "hyperbolic", True, 1, 1, True,
    ),
    "shallow water": (
        cube,
        [
            Eq(diff(d, t) + q * diff(d, x) + d * diff(q, x), 0),
            Eq(diff(q, t) + q * diff(q, x) + 9.8 * diff(d, x), 0),
        ],
        "hyperbolic", False, 1, 1, False,
    ),
    "reaction and diffusion": (
        line,
        [Eq(diff(w, t), diff(w, x, 2) - w * w2), Eq(diff(w2, t), diff(w2, x, 2) + w * w2)],
        "parabolic", False, 1, 2, True,
    ),
    "Cauchy-Riemann": (
        square,
        [Eq(diff(u, x), diff(v, y)), Eq(diff(u, y), -diff(v, x))],
        "elliptic", True, 0, 1, True,
    ),
    "elasticity": (
        square,
        [
            Eq(3 * diff(u, x, 2) + diff(u, y, 2) + 2 * diff(v, x, y), 0),
            Eq(3 * diff(v, y, 2) + diff(v, x, 2) + 2 * diff(u, x, y), 0),
        ],
        "elliptic", True, 0, 2, True,
    ),
    "Navier-Stokes": (square, NavierStokes((x, y), viscosity=1), None, False, 0, 2, False),
    "an ordinary equation": (
        geo.Time(0, 1), Eq(diff(field("f", t), t, 2), 1), None, True, 2, 0, True,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CLASSICAL)
def test_the_kind_and_orders_of_a_classical_equation(name):
    domain, equations, *expected = CLASSICAL[name]
    p = Problem(domain, equations)
    found = [p.kind, p.is_linear, p.time_order, p.space_order, p.is_divergence_form]
    assert found == expected


nonlinear = Problem(
    line,
    Eq(diff(w, t), div((1 + w**2) * grad(w)) + exp(w) * diff(w, x)),
    {"initial": Eq(w, 0), "left": Eq(w, x), "right": Eq(diff(w, x), w**4)},
)


def test_the_tangent_is_the_derivative_of_the_residual():
    tangent = nonlinear.linearize({w: sin(x) + t})
    assert tangent.is_linear and "div(" in str(tangent)

    def along(p, size):
        def value(z):
            return jnp.sin(z[0]) + z[1] + size * z[0] ** 2 * z[1]

        return p.residual({w: value}, [[0.3, 0.7], [0.9, 0.2]])[:, 0]

    step = 1e-4  # a central difference: error of order step^2
    slope = (along(nonlinear, step) - along(nonlinear, -step)) / (2 * step)
    exact = along(tangent, 1.0) - along(tangent, 0.0)
    assert exact == pytest.approx(slope, rel=1e-6)
    assert along(tangent, 0.0) == pytest.approx(along(nonlinear, 0.0), rel=1e-12)


def test_the_tangent_of_complex_fields_has_their_conjugates():
    p = Problem(line, Eq(I * diff(h, t), abs(h) ** 2 * h), {"initial": Eq(h, 1)})
    tangent = p.linearize({h: 1 + I * x})

    def along(p, size):
        return p.residual({h: lambda z: 1 + 1j * z[0] + size * 1j * z[1]}, [[0.3, 0.7]])[0, 0]

    step = 1e-4  # a central difference in a direction that is not real
    slope = (along(p, step) - along(p, -step)) / (2 * step)
    assert along(tangent, 1.0) - along(tangent, 0.0) == pytest.approx(slope, rel=1e-6)


def test_linear_statements_are_their_own_tangents():
    p = Problem(square, Poisson((x, y), source=1), {"left": Eq(Poisson((x, y)).unknown, 1)})
    assert p.linearize() == p


def test_the_tangent_about_a_solution_has_that_solution():
    f = field("f", x)
    ends = {"left": Eq(f, 1), "right": Eq(f, 4)}
    p = Problem(geo.Interval(0, 1), Eq(diff(f, x, 2), 3 * f**2 / 2), ends)
    exact = 4 / (2 - x) ** 2  # 24 / (2 - x)^4 = 3/2 (4 / (2 - x)^2)^2; f(0) = 1, f(1) = 4
    tangent = p.linearize({f: exact})
    residual = tangent.residual({f: lambda z: 4 / (2 - z[0]) ** 2}, np.linspace(0, 1, 5)[:, None])
    assert np.abs(residual).max() < 1e-12  # rounding


def test_a_restricted_problem_keeps_conditions_data_and_points_inside():
    law = Poisson((x, y), source=1)
    f = law.unknown
    p = Problem(
        geo.Rectangle((0, 0), (1, 1)),
        law,
        {
            ("left", "right"): Eq(f, 0),
            ("bottom", "top"): law.insulated(),
            geo.Point(0.9, 0.9): Eq(f, 1),
        },
        Data([[0.1, 0.1], [0.9, 0.9]], {f: [0, 1]}),
    )
    piece = p.restrict(geo.Disk((0, 0.5), 0.4, name="window"))
    assert [(c.label, c.equation) for c in piece.conditions] == [("left", Eq(f, 0))]
    assert not piece.data and piece.domain.parts == ("left", "window")
    (finding,) = piece.check().errors
    assert finding.where == "on window"
    assert not piece.add(conditions={"window": Eq(f, 0)}).check().errors
    half = p.restrict(geo.Rectangle((0, 0), (0.5, 2), name="half"))
    assert {c.label for c in half.conditions} == {"left", "bottom", "top"}
    assert len(half.data[0].points) == 1


def test_a_region_is_a_piece_by_its_name():
    core = geo.Disk((0, 0), 0.5, name="core")
    both = geo.Regions(core=core, shell=geo.Disk((0, 0), 1, name="rim") - core)
    p = Problem(both.over(t, 0, 1), Eq(diff(d, t), laplacian(d)), {"rim": Eq(d, 0)})
    shell = p.restrict("shell")
    assert shell.domain == (geo.Disk((0, 0), 1, name="rim") - core).over(t, 0, 1)
    assert [c.label for c in shell.conditions] == ["rim"]
    with pytest.raises(ValueError, match="the regions of the domain are: core, shell"):
        p.restrict("mantle")


def test_additions_come_after_what_there_is():
    p = Problem(square, Eq(laplacian(u), 0), {"left": Eq(u, 0)})
    more = p.add(conditions={"right": Eq(u, 1)}, data=Data([[0, 0]], {u: [0.5]}), equations=[])
    assert [c.label for c in more.conditions] == ["left", "right"]
    assert more.equations == p.equations and len(more.data) == 1
    assert p.add() == p


def test_the_weak_form_is_at_hand():
    p = Problem(square, Poisson((x, y), source=1), {"boundary": Eq(Poisson((x, y)).unknown, 0)})
    assert "source      s_u = -1" in str(p.weak_form())
    with pytest.raises(NoWeakForm):
        Problem(square, Eq(laplacian(laplacian(u)), 0)).weak_form()


@pytest.mark.parametrize(
    ("act", "kind", "words"),
    [
        (lambda: nonlinear.linearize(3), TypeError, "`about` takes `{u: expression}`"),
        (lambda: nonlinear.linearize({u: x}), ValueError, "no unknown; those are w(x, t)"),
        (lambda: nonlinear.linearize({w: w}), ValueError, "must be known"),
        (lambda: nonlinear.restrict(3), TypeError, "a shape or a region's name"),
        (lambda: nonlinear.restrict("core"), ValueError, "regions of the domain are: none"),
        (lambda: nonlinear.add(conditions=[3]), TypeError, "`conditions` takes"),
    ],
)
def test_refusals(act, kind, words):
    with pytest.raises(kind) as caught:
        act()
    assert words in str(caught.value)

"""How long statements take to be read: built, compiled to functionals, checked; before any XLA.

Seconds of processor time, the smallest of three in one run, SymPy's caches emptied before each.

    python -m benchmarks.statements
"""

import time

from sympy.core.cache import clear_cache

import science as sci
from equations import structure

REPEATS = 3


def convection():
    """Unsteady flow with heat in three dimensions: five equations."""
    x, y, z, t = sci.coordinates("x y z t")
    flow = sci.NavierStokes((x, y, z, t), viscosity=1e-3)
    heat = sci.field("T", x, y, z, t)
    energy = sci.Eq(
        sci.diff(heat, t) + sci.advect(flow.velocity, heat),
        sci.div((1 + x * heat) * sci.grad(heat)),
    )
    walls = ("left", "right", "bottom", "top", "front", "back")
    still = sci.Eq(flow.velocity, 0)
    return sci.Problem(
        sci.Box((0, 0, 0), (1, 1, 1)).over(t, 0, 1),
        [*flow.equations, energy],
        {walls: [still, sci.Eq(heat, x)], "initial": [still, sci.Eq(heat, x)]},
    )


def spherical_flow():
    """Steady flow in spherical coordinates."""
    space = sci.coordinates("r theta phi", system="spherical")
    v, p = sci.vector_field("v", *space), sci.field("p", *space)
    domain = sci.Box((1, 0.5, 0), (2, 2, 1), axes=("r", "theta", "phi"))
    momentum = sci.Eq(sci.advect(v, v) + sci.grad(p), sci.laplacian(v))
    return sci.Problem(domain, [momentum, sci.Eq(sci.div(v), 0)], {"boundary": sci.Eq(v, 0)})


def hamilton_jacobi_bellman():
    """A hundred dimensions."""
    point, t = sci.coordinates("x", size=100), sci.coordinates("t")
    u = sci.field("u", point, t)
    slope = sci.grad(u)
    return sci.Problem(
        sci.Gaussian(mean=0, deviation=1, size=100).over(t, 0, 1),
        sci.Eq(sci.diff(u, t) + sci.laplacian(u) - sci.dot(slope, slope), 0),
        {"final": sci.Eq(u, sci.log((1 + sci.dot(point, point)) / 2))},
    )


def memory():
    """Volterra's equation with a fractional derivative."""
    x, t, s = sci.coordinates("x t s")
    u = sci.field("u", x, t)
    fading = sci.Integral(sci.exp(s - t) * u.subs(t, s), (s, 0, t))
    return sci.Problem(
        sci.Interval(0, 1).over(t, 0, 1),
        sci.Eq(sci.Caputo(u, t, 0.5) + fading, sci.diff(u, x, 2)),
        {"initial": sci.Eq(u, sci.sin(x)), ("left", "right"): sci.Eq(u, 0)},
    )


def seconds(action) -> float:
    """The least processor time of an action."""
    found = []
    for _ in range(REPEATS):
        clear_cache()
        structure.jet_expression.cache_clear()
        start = time.process_time()
        action()
        found.append(time.process_time() - start)
    return min(found)


def main() -> None:
    """Print the table."""
    print(
        f"{'statement':<26}{'terms':>6}{'numbers':>9}{'build s':>9}{'compile s':>11}{'check s':>9}"
    )
    for make in (convection, spherical_flow, memory, hamilton_jacobi_bellman):
        problem = make()
        terms = sum(len(r.doit(integrals=False).expand().args) for r in problem.residuals)
        numbers = len(problem.compile(problem.residuals).functionals)
        columns = (
            seconds(make),
            seconds(lambda problem=problem: problem.compile(problem.residuals)),
            seconds(lambda problem=problem: problem.check()),
        )
        shown = "".join(f"{c:>11.2f}" for c in columns)
        print(f"{make.__name__:<26}{terms:>11}{numbers:>11}{shown}")


if __name__ == "__main__":
    main()

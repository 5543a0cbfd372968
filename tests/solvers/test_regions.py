"""Methods on equations of single regions: two bars with a resistance between them."""

import numpy as np
import pytest

from diffcore.optim import adam
from science import (
    PINN,
    Eq,
    FiniteElements,
    Interval,
    Phase,
    Problem,
    Regions,
    coordinates,
    diff,
    fields,
    solve,
)

x = coordinates("x")
A, B = fields("A B", x)
bars = Problem(
    Regions(a=Interval(0, 1), b=Interval(1, 3)),
    {"a": Eq(diff(A, x, 2), -2), "b": Eq(3 * diff(B, x, 2), 0)},
    {
        "left": Eq(A, 0),
        "interval2.right": Eq(B, 1),
        "a|b": [Eq(diff(A, x), 3 * diff(B, x)), Eq(diff(A, x), 5 * (B - A))],
    },
)
inner, outer = np.linspace(0.1, 0.9, 5), np.linspace(1.1, 2.9, 5)


def network(**options):
    return PINN(width=8, depth=2, points=32, **options)


@pytest.mark.slow
def test_a_network_keeps_every_unknown_in_its_region():
    solution = solve(bars, network(phases=(Phase("Adam", adam(1e-3), 4),)))
    assert [m.where for m in solution.residuals] == ["a", "b"]
    assert np.isfinite(solution(A, inner)).all() and np.isnan(solution(A, outer)).all()
    assert np.isfinite(solution(A + B, [1.0])).all()
    whole, part = solution.integrate(A), solution.integrate(A, over="a|b")
    assert whole == pytest.approx(np.mean(solution(A, np.linspace(0, 1, 2001))), rel=1e-2)
    assert part == pytest.approx(float(solution(A, [1.0])[0]))


@pytest.mark.slow
def test_a_network_finds_the_solution_of_both_regions():
    solution = solve(bars, network(steps=1500))
    assert np.abs(solution(A, inner) - inner * (2 - inner)).max() < 1e-5
    assert np.abs(solution(B, outer) - 1).max() < 1e-5  # 1e-8 is reached with width 16


def test_finite_elements_refuse_in_words():
    (reason,) = FiniteElements().reasons_against(bars)
    assert "piecewise" in reason and "restrict" in reason

"""The method for a problem that comes without one, and why."""

from __future__ import annotations

from typing import Any

from equations import Problem

from .finite_elements import FiniteElements
from .pinn import PINN
from .runge_kutta import RungeKutta
from .spectral import Spectral


def choose(problem: Problem) -> tuple[Any, str]:
    """A method for the problem, and the reason as a sentence for the report.

    Steps for systems of ordinary differential equations with all conditions at the start; Fourier
    series on a periodic line; finite elements where they can take the statement: they are faster
    and more accurate than a network on forward problems in up to three dimensions. Networks for
    everything else.
    """
    if not RungeKutta().reasons_against(problem):
        return RungeKutta(), (
            "Runge-Kutta steps were chosen: the unknowns depend on one coordinate, and all "
            "conditions hold where it begins"
        )
    if len(problem.coordinates) == 2 and not Spectral().reasons_against(problem):
        return Spectral(), (
            "Fourier series were chosen: space is a periodic line, and all conditions hold at the "
            "start"
        )
    reasons = FiniteElements().reasons_against(problem)
    if not reasons:
        return FiniteElements(), (
            "finite elements were chosen: the equations are in divergence form, everything in them "
            "is known, and the domain can be meshed"
        )
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    return PINN(), f"a network was chosen; finite elements cannot take this: {reasons[0]}{more}"

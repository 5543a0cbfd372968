"""`FiniteElements`: the method, its refinements and its error estimate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy

import diffcore
from equations import NoWeakForm, Parameter, Problem, WeakForm, fields_in, is_time, weak_form
from geometry import SpaceTime

from ..monitor import Monitor, Target
from ..solution import Solution
from .evolve import Trajectory
from .grid import Grid
from .jets import Discrete
from .modes import solve_modes
from .run import TRAJECTORY, Run, space_of
from .spectrum import eigenvalues_of, reasons_against_modes


@dataclass(frozen=True)
class FiniteElements:
    """Lagrange finite elements on simplices, for scalar and coupled equations in divergence form.

    The weak form is read off the statement (`equations.weak_form`); nonlinear problems are solved
    by Newton's method with exact tangents, where that fails with nonlinear terms that are raised
    little by little; first and second time derivatives are stepped by an L-stable Runge-Kutta
    method of order 4. An unknown that makes others meet an equation of first order, as the pressure
    of a flow, gets polynomials of one degree less. `solve(problem, FiniteElements(), modes=4)`
    gives the lowest modes of an eigenvalue problem. The problem is solved on meshes of size 4h, 2h
    and h (and half of it, while `solve(tolerance=)` asks for more), which gives the error estimate.

    Arguments:
        size: edge length h of the mesh, or in two and three dimensions a function from points
            (n, d) to lengths; by default about 200, 40 and 10 cells across in one, two and three
            dimensions; in two 24 along each curved part, and a tenth of the length at reentrant
            corners and where given values jump.
        degree: 1 or 2, of the polynomials; cells along curved walls are curved for degree 2.
        time_steps: so many equal steps in time instead of adaptive ones.
        tolerance: relative, of one adaptive step and of Newton's method.

    Notes:
        The error in L2 is of order degree + 1 where the solution is smooth, less at reentrant
        corners; of eigenvalues of order 2 degree. The errors of the components of a velocity are
        relative to all of it. Values of any expression with derivatives up to the second.

    Raises:
        ValueError for a size, degree, number of steps or tolerance out of range.
    """

    size: Any = None
    degree: int = 2
    time_steps: int | None = None
    tolerance: float = 1e-6

    def __post_init__(self):
        if self.degree not in (1, 2):
            raise ValueError(f"`degree` must be 1 or 2; got {self.degree}.")
        if self.size is not None and not callable(self.size) and not self.size > 0:
            raise ValueError(f"`size` is an edge length above 0; got {self.size}.")
        if self.time_steps is not None and not (
            isinstance(self.time_steps, int) and self.time_steps > 0
        ):
            raise ValueError(f"`time_steps` is a number of steps above 0; got {self.time_steps}.")
        if not 0 < self.tolerance < 1:
            raise ValueError(f"`tolerance` must lie between 0 and 1; got {self.tolerance}.")

    def in_units(self, scaling: Any) -> FiniteElements:
        """The method for a problem in dimensionless form, with its mesh size as it is there."""
        length = next(unit for c, unit in scaling.coordinates if not is_time(c))
        if not callable(self.size):
            return replace(self, size=self.size and self.size / length)
        size = self.size
        return replace(self, size=lambda points: size(points * length) / length)

    def reasons_against(self, problem: Problem) -> tuple[str, ...]:
        """Why this method cannot take the problem; empty if it can."""
        reasons = list(_form_reasons(problem))
        numbers = [str(p) for p in problem.parameters if p.role != "eigenvalue"]
        if numbers:
            reasons.append(f"the parameters {', '.join(numbers)} have no value: give numbers")
        ranged = [str(c) for c in problem.coordinates if isinstance(c, Parameter)]
        if ranged:
            reasons.append(f"the domain ranges over {', '.join(ranged)}: give numbers")
        if problem.domain.time is not None and not isinstance(problem.domain, SpaceTime):
            reasons.append("the domain moves, and it keeps one mesh of space at rest")
            return tuple(dict.fromkeys(reasons))
        if problem.data:
            reasons.append("it does not fit measured data")
        if _is_complex(problem):
            reasons.append("it is written for real fields and equations")
        if self.degree == 1 and not reasons and weak_form(problem).multipliers:
            reasons.append("an unknown as a pressure needs others of one degree more: degree=2")
        dimension = len(problem.domain.axes) - (problem.domain.time is not None)
        if dimension > 3:
            reasons.append(f"it meshes at most 3 space dimensions; the domain has {dimension}")
        return tuple(dict.fromkeys(reasons))

    def solve(self, problem: Problem, *, key: Any, target: Target, monitor: Monitor) -> Solution:
        """The solution on the finest mesh, with the error estimated from the coarser ones; of an
        eigenvalue problem the mode next to `eigenvalue(near=)`."""
        with diffcore.precision("float64"):
            for eigenvalue in eigenvalues_of(problem):
                return solve_modes(self, problem, 1, eigenvalue.initial, target, monitor)[0]
            return Run(self, problem, target, monitor).solution()

    def solve_modes(
        self, problem: Problem, count: int, *, key: Any, target: Target, monitor: Monitor
    ) -> tuple[Solution, ...]:
        """The modes of an eigenvalue problem with the lowest eigenvalues, in their order."""
        with diffcore.precision("float64"):
            return solve_modes(self, problem, count, None, target, monitor)

    def rebuild(self, problem: Problem, state: Any) -> tuple[Discrete, dict[str, float]]:
        """The jets of a saved solution from its `state`, and its eigenvalue if it has one."""
        found = {p.name: float(state["eigenvalue"]) for p in eigenvalues_of(problem)}
        grid = Grid(space_of(problem), self.degree, state["nodes"], state["cells"], state["glue"])
        degrees = state.get("degrees", np.full(len(problem.fields), self.degree))
        known = (grid, problem.fields, problem.coordinates, tuple(map(int, degrees)))
        if "times" not in state:
            return Discrete(*known, values=np.ravel(state["values"])), found
        stored = {name: state[name] for name in TRAJECTORY}
        for name in ("values", "rates"):
            stored[name] = np.reshape(stored[name], (len(stored["times"]), -1))
        return Discrete(*known, trajectory=Trajectory(**stored, complete=True)), found


def _form_reasons(problem: Problem) -> tuple[str, ...]:
    try:
        weak = weak_form(problem)
    except NoWeakForm as error:
        return error.reasons
    eigenvalues = eigenvalues_of(problem)
    if len(eigenvalues) > 1:
        return (f"it finds one eigenvalue; the problem has {len(eigenvalues)}",)
    if eigenvalues:
        return tuple(reasons_against_modes(weak, *eigenvalues))
    if weak.time is None and not _is_determined(weak):
        return ("the conditions leave the solution open up to a constant",)
    return ()


def _is_determined(weak: WeakForm) -> bool:
    """Whether each unknown is a multiplier or has a value somewhere, or a term that depends on the
    field itself, or a gauge."""
    given = {u for c in weak.gauges for u in fields_in(c.equation)}
    return given.issuperset(set(weak.floating) - set(weak.multipliers))


def _is_complex(problem: Problem) -> bool:
    statements = [*problem.equations, *(c.equation for c in problem.conditions)]
    return any(not f.is_real for f in problem.fields) or any(s.has(sympy.I) for s in statements)

"""`solve`: the one verb."""

from __future__ import annotations

import re
from dataclasses import replace
from numbers import Real
from typing import Any

import diffcore
from equations import Problem, StatementError

from .choose import choose
from .monitor import Monitor, Silent, Target
from .ranged import over_ranges, with_ranges
from .ranged import reasons_against as reasons_against_ranges
from .scaled import dimensionless, restored
from .solution import Solution
from .status import UnsupportedProblem

UNITS = {"s": 1, "sec": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hour": 3600}


def solve(
    problem: Problem,
    method: Any = None,
    *,
    key: Any = 0,
    tolerance: float | None = None,
    budget: float | str | None = None,
    modes: int | None = None,
    monitor: Monitor | None = None,
) -> Any:
    """Solve a problem; the method is chosen and explained where none is given.

    Arguments:
        problem: the statement.
        method: `PINN(...)`, `FiniteElements(...)`, ...
        key: int seed or JAX key; the same key gives the same result.
        tolerance: stop at this estimated relative error.
        budget: seconds, or text as "3 min".
        modes: of an eigenvalue problem so many solutions, those with the lowest eigenvalues.
        monitor: receives progress and checkpoints.

    Returns:
        the `Solution`; with `modes` a tuple of them in the order of their eigenvalues.

    Notes:
        A problem whose numbers are far from one is solved in dimensionless form
        (`problem.nondimensionalize()`); the answer is in the units of the statement.

    Raises:
        TypeError and ValueError for other arguments than these; StatementError listing all errors
        of the statement; UnsupportedProblem listing why the method cannot take it. Trouble at run
        time is a `status` of the solution.
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"`solve` takes a Problem; got {type(problem).__name__}.")
    target = Target(_positive("tolerance", tolerance), _seconds(budget))
    _require_method(method)
    errors = problem.check().errors
    if errors:
        raise StatementError(errors)
    method, why = choose(problem) if method is None else (method, None)
    _require_modes(problem, method, modes)
    stated, given = problem, over_ranges(problem)
    refused = reasons_against_ranges(stated)
    if refused:
        raise UnsupportedProblem(method, refused)
    problem, chosen, remarks = given, method, () if why is None else (why,)
    if hasattr(method, "in_units"):
        problem, found = dimensionless(given)
        method = method if problem is given else method.in_units(problem.scaling)
        remarks = (*remarks, *found)
    reasons = method.reasons_against(problem)
    if reasons:
        raise UnsupportedProblem(method, reasons)
    options = {"key": diffcore.as_key(key), "target": target, "monitor": monitor or Silent()}

    def finished(solution: Solution) -> Solution:
        if problem is not given:
            solution = restored(solution, given, problem.scaling, chosen)
        if given is not stated:
            solution = with_ranges(solution, stated)
        return replace(solution, choices=(*remarks, *solution.choices)) if remarks else solution

    if modes is None:
        return finished(method.solve(problem, **options))
    return tuple(map(finished, method.solve_modes(problem, modes, **options)))


def _require_modes(problem: Problem, method: Any, modes: Any) -> None:
    if modes is None:
        return
    if isinstance(modes, bool) or not isinstance(modes, int):
        raise TypeError(f"`modes` is a number of eigenvalues; got {modes!r:.60}.")
    if modes < 1:
        raise ValueError(f"`modes` is a number of eigenvalues above 0; got {modes}.")
    if not any(p.role == "eigenvalue" for p in problem.parameters):
        raise ValueError(
            f"`modes={modes}` needs an eigenvalue in the problem, made by `eigenvalue('lambda')`."
        )
    if not hasattr(method, "solve_modes"):
        raise ValueError(
            f"`modes={modes}`: {type(method).__name__} finds one eigenvalue at a time, that next "
            "to `eigenvalue(near=)`; use FiniteElements(), or leave `modes` out."
        )


def _require_method(method: Any) -> None:
    if isinstance(method, type):
        name = method.__name__
        raise TypeError(f"`method` is an instance; got the class {name}: write {name}().")
    if method is not None and not hasattr(method, "reasons_against"):
        raise TypeError(f"`method` is a method, as PINN() or FiniteElements(); got {method!r:.60}.")


def _positive(name: str, value: Any) -> float | None:
    if value is None:
        return None
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number:
        raise TypeError(f"`{name}` is a number above 0; got {value!r:.60}.")
    if not value > 0:
        raise ValueError(f"`{name}` must be above 0; got {value}.")
    return value


def _seconds(budget: float | str | None) -> float | None:
    if budget is None or not isinstance(budget, str):
        return _positive("budget", budget)
    match = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*([a-z]+?)s?\s*", budget.lower())
    if not match or match.group(2) not in UNITS:
        raise ValueError(f"`budget` is a number of seconds or text as '3 min'; got {budget!r}.")
    return _positive("budget", float(match.group(1)) * UNITS[match.group(2)])

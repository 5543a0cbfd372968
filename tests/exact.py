"""Solutions made by hand from exact functions, for tests of what works on any solution."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from equations import Eq, Problem, diff, function_jets
from solvers import Solution, Status


@dataclass(frozen=True)
class Exact:
    """A method that knows the solution already: one function of a point for each field."""

    functions: Any

    def reasons_against(self, problem):
        return ()

    def solve(self, problem, *, key, target, monitor):
        return solution_of(problem, dict(self.functions))


def solution_of(problem, functions, **attributes):
    """The solution of a problem from `{field: function of a point}`."""
    method = Exact(tuple(functions.items()))
    jets = function_jets(functions, problem.coordinates)
    return Solution(problem, method, jets, Status.SOLVED, 1.0, **attributes)


def on(domain, functions, **attributes):
    """A solution over a domain whose equations do not matter."""
    equations = [Eq(diff(f, f.args[0]), 0) for f in functions]
    return solution_of(Problem(domain, equations), functions, **attributes)


def history():
    """What a method of two phases would record."""
    steps = np.arange(0, 300, 100)
    return {
        "step": steps,
        "loss": 10.0 ** -np.arange(3),
        "estimate_step": steps[:2],
        "error_estimate": np.array([0.5, 0.1]),
    }

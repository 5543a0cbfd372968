"""How a run ended, and the two refusals."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """How a run ended; the value is the sentence that a person reads."""

    SOLVED = "solved"
    TOLERANCE_REACHED = "the error estimate fell below the tolerance"
    STEPS_SPENT = "all planned steps were taken"
    BUDGET_SPENT = "the time budget was spent"
    NOT_CONVERGED = "no solution was reached: the equations do not hold yet"
    NOT_FINITE = "the computation left the finite numbers; the last finite state is returned"

    @property
    def is_good(self) -> bool:
        """Whether the result is what the method promises."""
        return self not in (Status.NOT_CONVERGED, Status.NOT_FINITE)


class UnsupportedProblem(ValueError):
    """A method cannot take a problem; lists all reasons."""

    def __init__(self, method: object, reasons: tuple[str, ...]):
        self.reasons = reasons
        listed = "\n".join(f"  - {reason}" for reason in reasons)
        super().__init__(f"{type(method).__name__} cannot take this problem:\n{listed}")

"""The statement doctor: what is wrong or doubtful in a problem, with the remedy, before computing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    """One finding. `level` is "error", "warning" or "note"; `where` names the place."""

    level: str
    message: str
    where: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.level} ({self.where}): {self.message} {self.remedy}"


class Findings(tuple):
    """All findings of a problem; prints as a list."""

    @property
    def errors(self) -> Findings:
        """The findings that forbid solving."""
        return Findings(f for f in self if f.level == "error")

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "no findings: the statement is sound"


class StatementError(ValueError):
    """A problem has errors; lists them all."""

    def __init__(self, findings: Findings):
        self.findings = findings
        super().__init__("the statement has errors:\n" + "\n".join(f"  - {f}" for f in findings))


def check(problem: Any) -> Findings:
    """All findings of a problem."""
    return Findings()

"""Findings: what the doctor says, as data that prints."""

from __future__ import annotations

import html
from dataclasses import dataclass

LEVELS = ("error", "warning", "note")


@dataclass(frozen=True)
class Finding:
    """One finding. `level` is "error" (no method can solve it), "warning" (legal but doubtful) or
    "note" (worth knowing); `where` names the place, `remedy` says what to do."""

    level: str
    message: str
    where: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.level} ({self.where}): {self.message} {self.remedy}".rstrip()


def error(where: str, message: str, remedy: str) -> Finding:
    """A finding that forbids solving."""
    return Finding("error", message, where, remedy)


def warning(where: str, message: str, remedy: str) -> Finding:
    """A finding that is legal but doubtful."""
    return Finding("warning", message, where, remedy)


def note(where: str, message: str, remedy: str) -> Finding:
    """A finding worth knowing."""
    return Finding("note", message, where, remedy)


class Findings(tuple):
    """All findings of a problem, errors first; prints as a list, in notebooks as a table."""

    @property
    def errors(self) -> Findings:
        """The findings that forbid solving."""
        return Findings(f for f in self if f.level == "error")

    @property
    def warnings(self) -> Findings:
        """The findings that are legal but doubtful."""
        return Findings(f for f in self if f.level == "warning")

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "no findings: the statement is sound"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        if not self:
            return f"<p>{self}</p>"
        heads = "".join(f"<th>{head}</th>" for head in ("level", "where", "message", "remedy"))
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"
            for cells in ((f.level, f.where, f.message, f.remedy) for f in self)
        )
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


class StatementError(ValueError):
    """A problem has errors; lists them all."""

    def __init__(self, findings: Findings):
        self.findings = findings
        super().__init__("the statement has errors:\n" + "\n".join(f"  - {f}" for f in findings))

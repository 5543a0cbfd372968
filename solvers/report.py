"""The report on a solution: the statement, how it was solved, how wrong it may be, the cost."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from equations import Problem

from . import labels
from .document import Bullets, Document, Math, Section, Table
from .solution import Solution


def report(solution: Solution) -> Document:
    """The report, which prints as Markdown; `.html()` and `.save(path)` give files.

    Arguments:
        solution: what any method returned.

    Returns:
        a `Document` with the statement as mathematics, the method and its choices, the status,
        error estimates, residuals of equations and conditions on fresh points, identified
        parameters and the cost. Numbers have three significant digits.
    """
    problem = solution.problem
    sections = (
        Section("Result", (summary(solution), *_estimates(solution))),
        Section("Statement", tuple(_statement(problem))),
        Section("Method", tuple(_method(solution))),
        Section("Residuals on fresh points", tuple(_residuals(solution))),
        Section("Cost", (_cost(solution),)),
    )
    return Document(problem.name or "Solution", sections)


def summary(solution: Solution) -> str:
    """One sentence or two: how the run ended, how wrong the result may be, how long it took."""
    sentences = [f"{_method_name(solution)}: {solution.status.value}."]
    if solution.error_estimate is not None:
        sentences.append(f"Estimated relative error {_digits(solution.error_estimate)}.")
    sentences.append(f"{duration(solution.seconds)}.")
    return " ".join(sentences)


def duration(seconds: float) -> str:
    """A time in words, as "4.2 s" or "2 min 5 s"."""
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def _estimates(solution: Solution) -> Iterator[Table]:
    if solution.errors:
        rows = [(_names(group), _digits(error)) for group, error in solution.errors.items()]
        yield Table(("fields", "estimated relative L2 error"), tuple(rows))
    known = solution.problem.parameters
    if known and solution.parameters:
        yield Table(
            ("parameter", "value", "standard deviation"),
            tuple((_math(p), *_identified(solution, p)) for p in known),
        )


def _identified(solution: Solution, parameter: Any) -> tuple[str, str]:
    """A value as precise as its standard deviation says, and that deviation."""
    value = solution.parameters.get(parameter.name)
    if value is None:
        return f"between {parameter.between}", ""
    if solution.deviations is None:
        return f"{value:.6g}", "unknown"
    deviation = solution.deviation(parameter)
    if not 0 < deviation < math.inf:
        return f"{value:.6g}", _digits(deviation)
    decimals = max(0, 1 - math.floor(math.log10(deviation)))
    return f"{value:.{decimals}f}", _digits(deviation)


def _statement(problem: Problem) -> Iterator[str | Bullets]:
    yield f"Domain: `{problem.domain}`. Unknowns: {_names(problem.fields)}."
    items: list[tuple[str | Math, ...]] = [(_math(e),) for e in problem.equations]
    items += [(f"on {c.label}: ", _math(c.equation)) for c in problem.conditions]
    for p in problem.parameters:
        known = f"identified from {p.initial}" if p.between is None else f"between {p.between}"
        items.append((_math(p), f", {known}"))
    for data in problem.data:
        noise = "" if data.noise is None else f", noise {_digits(data.noise)}"
        what = ", ".join(map(labels.text, data.values))
        items.append((f"data: {len(data.points)} values of {what}{noise}",))
    yield Bullets(tuple(items))


def _method(solution: Solution) -> Iterator[str | Bullets]:
    yield f"`{solution.method!r}`"
    if solution.choices:
        yield Bullets(tuple((choice,) for choice in solution.choices))


def _residuals(solution: Solution) -> Iterator[Table]:
    components = [pair for equation in solution.problem.equations for pair in equation.components]
    yield Table(
        ("equation", "root mean square", "largest", "there"),
        tuple(
            (_equality(pair), _digits(m.rms), _digits(m.largest), _place(m.at))
            for pair, m in zip(components, solution.residuals, strict=True)
        ),
    )
    if solution.problem.conditions:
        pairs = zip(solution.problem.conditions, solution.condition_errors, strict=True)
        rows = [
            (c.label, _math(c.equation), _digits(m.rms), _digits(m.largest), _place(m.at))
            for c, m in pairs
        ]
        yield Table(("on", "condition", "root mean square", "largest", "there"), tuple(rows))


def _cost(solution: Solution) -> str:
    sentences = [f"Time: {duration(solution.seconds)} on {jax.devices()[0].device_kind}."]
    steps = solution.history.get("step")
    if steps is not None and len(steps):
        sentences.append(f"{int(steps[-1])} steps.")
    numbers = sum(np.size(leaf) for leaf in jax.tree.leaves(solution.state))
    if numbers:
        sentences.append(f"The solution is held in {numbers} numbers.")
    return " ".join(sentences)


def _method_name(solution: Solution) -> str:
    return type(solution.method).__name__


def _names(fields: Any) -> str:
    members = fields if isinstance(fields, tuple) else (fields,)
    return ", ".join(f if isinstance(f, str) else labels.text(f) for f in members)


def _math(expression: Any) -> Math:
    return Math(labels.latex(expression), labels.text(expression))


def _equality(pair: tuple[Any, Any]) -> Math:
    left, right = pair
    return Math(
        f"{labels.latex(left)} = {labels.latex(right)}",
        f"{labels.text(left)} = {labels.text(right)}",
    )


def _place(point: tuple[float, ...]) -> str:
    return f"({', '.join(map(_digits, point))})"


def _digits(value: float) -> str:
    return f"{value:.3g}"

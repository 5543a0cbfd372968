"""Checks of eigenproblems: what multiplies the unknowns has no part without them."""

from __future__ import annotations

from collections.abc import Iterator

from .. import structure
from ..nonlocal_terms import is_local
from .case import Case, unknowns_in
from .findings import Finding, error


def homogeneous(case: Case) -> Iterator[Finding]:
    """Equations and conditions on parts vanish with the unknowns; only their size is given."""
    eigenvalues = [p for p in case.problem.parameters if p.role == "eigenvalue"]
    if not eigenvalues:
        return
    placed = (s for _, s in case.placed if is_local(s.expression))
    for statement in case.sound((*case.equations, *placed)):
        rest = structure.jet_expression(statement.expression).rest()
        if unknowns_in([statement.expression]) and rest.expand() != 0:
            yield error(
                statement.where,
                f"{eigenvalues[0]} is an eigenvalue, but {rest} is left where the unknowns vanish.",
                "Drop the source or the value; the size of the eigenfunction is stated by an "
                'integral, as `{"domain": Eq(integral(u**2), 1)}`.',
            )

"""Partial derivatives of any order, all in one pass, in the algebra that Leibniz's rule needs."""

from diffcore.taylor import (  # noqa: F401  (importing them registers the rules)
    rules_control,
    rules_elementwise,
    rules_linalg,
    rules_linear,
    rules_reduce,
)
from diffcore.taylor.api import operator, operators, partials

__all__ = ["operator", "operators", "partials"]

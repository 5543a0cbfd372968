"""Learning rates by the paths of parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import optax

from diffcore.nn.parameters import is_parameter
from diffcore.nn.paths import is_below, map_parts


def scale_by_path(factors: Mapping[str, float]) -> optax.GradientTransformation:
    """Returns an optax transformation that multiplies the steps of parameters by their paths.

    Put after an optimizer it makes learning rates: 0.1 for a tenth, 0 to leave as they are.

    Arguments:
        factors: factor by pattern of paths, of the parameters or of modules that hold them; the
            first pattern that matches counts, 1 if none does.

    Example:
        >>> import optax
        >>> from diffcore import nn, optim
        >>> model = nn.Sequential([nn.Linear(2, 3), nn.tanh, nn.Linear(3, 1)], key=0)
        >>> slow = optim.scale_by_path({"layers.0": 0.1})
        >>> optimizer = optim.first_order(optax.chain(optax.adam(1e-3), slow))
    """

    def update(updates: Any, state: Any, parameters: Any = None) -> tuple[Any, Any]:
        def scaled(path: str, part: Any) -> Any:
            if not is_parameter(part):
                return part
            factor = next((f for p, f in factors.items() if is_below(path, p)), 1.0)
            return part * factor

        return map_parts(scaled, updates), state

    return optax.GradientTransformation(lambda parameters: optax.EmptyState(), update)

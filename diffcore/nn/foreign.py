"""Weights of PyTorch models: which of their names are which of ours, and a check of the result."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np

from diffcore.nn.paths import load_state, state
from diffcore.nn.tensors import read_tensors

# Ours for torch's, after which names agree up to the words "layers" and "layer".
_RENAMED = (
    (r"\bself_attn\b", "self_attention"),
    (r"\bmultihead_attn\b", "cross_attention"),
    (r"\bout_proj\b", "output"),
    (r"\b(weight|bias)_(ih|hh)_l(\d+)_reverse$", r"cells.\3.1.\1_\2"),
    (r"\b(weight|bias)_(ih|hh)_l(\d+)$", r"cells.\3.0.\1_\2"),
    (r"\bparametrizations\.weight\.original0$", "norm"),
    (r"\bparametrizations\.weight\.original$", "weight"),
    (r"\bparametrizations\.weight\.0\._u$", "left"),
    (r"\bparametrizations\.weight\.0\._v$", "right"),
    (r"\bparametrizations\.weight\.original1$", "weight"),
    (r"\bweight_g$", "norm"),
    (r"\bweight_v$", "weight"),
)


def load_torch(
    model: Any,
    tensors: str | os.PathLike | Mapping[str, Any],
    *,
    names: Mapping[str, str] | None = None,
    check: tuple[Any, Any] | None = None,
    tolerance: float = 1e-5,
) -> Any:
    """Returns the model with the weights of a PyTorch model of the same structure.

    Layers of the same name are matched by their path: "0.weight" is layers.0.weight. Attention's
    joint projections are divided, and the weights of recurrent networks find their cells.

    Arguments:
        tensors: a .npz, .safetensors or .pt file, or a state dictionary of arrays.
        names: torch's name, or its beginning, for each of our paths, or its beginning, where
            structures differ: {"encoder": "backbone.body"}.
        check: (x, y), an input and what the PyTorch model makes of it (in `eval` mode).
        tolerance: largest difference allowed, relative to the largest |y|.

    Raises:
        ValueError: arrays without a counterpart, different shapes, or a result that differs.

    Example:
        >>> from diffcore import nn
        >>> model = nn.Sequential([nn.Linear(2, 1), nn.tanh], key=0)
        >>> weights = {"0.weight": np.ones((1, 2)), "0.bias": np.zeros(1)}
        >>> model = nn.load_torch(model, weights, check=(np.zeros(2), np.zeros(1)))
        >>> model[0].weight.tolist()
        [[1.0, 1.0]]
    """
    given = dict(tensors) if isinstance(tensors, Mapping) else read_tensors(tensors)
    theirs = {_canonical(name): array for name, array in _divided(given).items()}
    found, missing = {}, []
    for path in state(model):
        name = _canonical(_renamed(path, names or {}))
        if name in theirs:
            found[path] = theirs.pop(name)
        elif not path.endswith("num_batches_tracked"):
            missing.append(path)
    if missing or theirs:
        raise ValueError(
            f"`tensors` do not fit the model: nothing for {missing or 'none'}, no place for "
            f"{list(theirs) or 'none'}. Where structures differ, pass `names`."
        )
    loaded = load_state(model, found, strict=False)
    if check is not None:
        _check(loaded, *check, tolerance)
    return loaded


def _canonical(name: str) -> str:
    for pattern, ours in _RENAMED:
        name = re.sub(pattern, ours, name)
    return ".".join(part for part in name.split(".") if part not in ("layers", "layer"))


def _renamed(path: str, names: Mapping[str, str]) -> str:
    for ours, theirs in names.items():
        if path == ours or path.startswith(ours + "."):
            return theirs + path[len(ours) :]
    return path


def _divided(tensors: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The tensors with attention's joint projection as three."""
    result = {}
    for name, tensor in tensors.items():
        array = np.asarray(tensor)
        head, joint, kind = name.rpartition("in_proj_")
        if joint:
            for part, piece in zip(("query", "key", "value"), np.split(array, 3), strict=True):
                result[f"{head}{part}.{kind}"] = piece
        else:
            result[name] = array
    return result


def _check(model: Any, x: Any, y: Any, tolerance: float) -> None:
    ours, theirs = np.asarray(model(jnp.asarray(x))), np.asarray(y)
    if ours.shape != theirs.shape:
        raise ValueError(f"`check` has outputs of shape {theirs.shape}; the model's: {ours.shape}.")
    difference = float(np.max(np.abs(ours - theirs), initial=0.0))
    scale = float(np.max(np.abs(theirs), initial=0.0)) or 1.0
    if not difference <= tolerance * scale:
        raise ValueError(
            f"the loaded model differs from `check` by {difference / scale:.2e} of the largest "
            f"value, more than {tolerance:.0e}: an activation, an epsilon or an axis is another."
        )

"""`export`: a model, a function or a solution in a file that runs without the code behind it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from diffcore.deploy.exportable import exportable

PLATFORMS = ("cpu", "cuda", "tpu")


def export(
    thing: Any,
    path: str | os.PathLike,
    example: Any = None,
    *,
    expressions: Any = None,
    batch: bool | str | Sequence[str] = True,
    units: Mapping[str, Any] | None = None,
    domain: Mapping[str, tuple[Any, Any]] | None = None,
    platforms: Sequence[str] = PLATFORMS,
) -> Path:
    """Write a function of arrays to `path`, with its weights and what its numbers mean, and check
    the file by running it.

    A path that ends in `.onnx` is written for ONNX runtimes (install the extra "onnx"), any other
    as StableHLO for `load`, which needs neither the class of the model nor the statement.

    Arguments:
        thing: a model, any function of arrays, or the solution of a problem.
        example: an array, or a tuple of the arguments; the function takes such arrays. The file has
            its data types. A solution makes its own, in float64, and takes an array of points.
        expressions: of a solution, what to write: an expression, a list, or {name: expression},
            derivatives too; by default the unknown fields. The file gives a dictionary.
        batch: whether the first axis of all inputs may have any length; or one text for each input
            that names the sizes which may vary, as ("nodes, _", "edges, ...").
        units: {name: "m"} or {name: ("m", "s")} for the columns of an input or output.
        domain: {name of an input: (lower, upper)}; `load` refuses numbers outside.
        platforms: where the file will run.

    Raises:
        ExportError: what cannot be exported, and why; a file that would give other numbers.

    Example:
        >>> import os, tempfile, jax.numpy as jnp
        >>> from diffcore import load, nn
        >>> path = os.path.join(tempfile.mkdtemp(), "model.export")
        >>> _ = export(nn.MLP(2, 1, 8, 2, key=0), path, jnp.ones((1, 2)), units={"x": "m"})
        >>> model = load(path)
        >>> print(model.inputs[0])
        x: float32 (batch, 2) in m
        >>> model(jnp.zeros((5, 2))).shape
        (5, 1)
    """
    path, platforms = Path(path), (platforms,) if isinstance(platforms, str) else tuple(platforms)
    if unknown := [p for p in platforms if p not in (*PLATFORMS, "rocm")] or not platforms:
        raise ValueError(f"`platforms` are among {(*PLATFORMS, 'rocm')}; got {unknown or 'none'}.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"`path`: there is no folder {str(path.parent)!r}.")
    item = exportable(thing, example, expressions, batch, units, domain)
    if path.suffix == ".onnx":
        from diffcore.deploy.onnx import write

        if platforms != PLATFORMS:
            raise ValueError(
                "`platforms` is not for ONNX files, which run wherever a runtime does."
            )
        return write(item, path)
    from diffcore.deploy.stablehlo import write as write_stablehlo

    return write_stablehlo(item, path, platforms)

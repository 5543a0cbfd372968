"""Exported functions as ONNX, for runtimes outside of Python, translated from the function's jaxpr.

The file is run by onnxruntime before it gets its name, also with other sizes than the example's
where sizes may vary.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jax
import numpy as np

from diffcore.deploy.exportable import Exportable, ExportError
from diffcore.deploy.onnx import control, elementwise, indices, shapes, sums, windows  # noqa: F401
from diffcore.deploy.onnx.graph import OPSET, Graph
from diffcore.deploy.onnx.rules import translate
from diffcore.deploy.stablehlo import compare
from diffcore.deploy.tracing import Traced, trace
from diffcore.precision import precision

_IR_VERSION = 9  # that of opset 19 and before, which runtimes since 2023 read


def write(item: Exportable, path: Path) -> Path:
    """Translate, check by onnxruntime, and only then write."""
    onnx, runtime = _packages()
    traced = trace(item)
    model = _model(onnx, item, traced)
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        _save(onnx, model, draft, item)
        _check(runtime, draft, item, traced)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    return path


def _packages() -> tuple[Any, Any]:
    try:
        import onnx
        import onnxruntime
    except ImportError as error:
        raise ImportError(
            f"{error.name} is needed for .onnx files: pip install 'sciml-toolkit[onnx]'."
        ) from None
    return onnx, onnxruntime


def _model(onnx: Any, item: Exportable, traced: Traced) -> Any:
    graph = Graph(onnx)
    inputs = [graph.described(v.name, v.shape, v.dtype) for v in item.inputs]
    for variable in item.inputs:
        for axis, size in enumerate(variable.shape):
            if isinstance(size, str) and size not in graph.symbols:
                graph.symbols[size] = graph.size_of(variable.name, axis)
    with precision(item.precision):
        weights = [
            graph.constant(np.asarray(w, jax.dtypes.canonicalize_dtype(w.dtype)), name)
            for w, name in zip(traced.weights, traced.names, strict=True)
        ]
        found = translate(graph, traced.jaxpr, weights, [v.name for v in item.inputs])
    outputs = []
    for variable, name in zip(traced.outputs, found, strict=True):
        graph.add("Identity", [name], output=_free(variable.name, item))
        outputs.append(graph.described(_free(variable.name, item), variable.shape, variable.dtype))
    model = onnx.helper.make_model(
        graph.finished(item.description or "function", inputs, outputs),
        opset_imports=[onnx.helper.make_opsetid("", OPSET)],
        producer_name="diffcore",
    )
    model.ir_version = _IR_VERSION
    words = {v.name: {"units": v.units, "lower": v.lower, "upper": v.upper} for v in item.inputs}
    words |= {v.name: {"units": v.units} for v in traced.outputs}
    onnx.helper.set_model_props(model, {"diffcore": json.dumps(words)})
    return model


def _free(name: str, item: Exportable) -> str:
    """The name of an output, different from those of inputs."""
    return f"{name}_out" if name in {v.name for v in item.inputs} else name


def _save(onnx: Any, model: Any, draft: Path, item: Exportable) -> None:
    try:
        content = model.SerializeToString()
    except ValueError as error:
        raise ExportError(
            f"{item.description} has more than 2 GB of weights, more than an .onnx file holds: "
            "export it as StableHLO, with any other ending."
        ) from error
    onnx.checker.check_model(content, full_check=False)
    with open(draft, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _check(runtime: Any, draft: Path, item: Exportable, traced: Traced) -> None:
    options = runtime.SessionOptions()
    options.log_severity_level = 4  # what is wrong is raised
    try:
        session = runtime.InferenceSession(draft, options, providers=["CPUExecutionProvider"])
        for example in _examples(item):
            feed = {v.name: a for v, a in zip(item.inputs, example, strict=True)}
            known = {i.name for i in session.get_inputs()}
            found = session.run(None, {n: a for n, a in feed.items() if n in known})
            with precision(item.precision):
                expected = jax.tree.leaves(jax.jit(item.function)(*example))
            compare(expected, found, item)
    except ExportError:
        raise
    except Exception as error:  # the runtime has no common base class of its errors
        raise ExportError(
            f"{item.description} was not exported: onnxruntime does not run it: {str(error)[:300]}"
        ) from error


def _examples(item: Exportable) -> list[tuple[np.ndarray, ...]]:
    """The example, and one in which all sizes that may vary are larger by one."""
    if not any(isinstance(n, str) for v in item.inputs for n in v.shape):
        return [item.example]
    larger = []
    for variable, array in zip(item.inputs, item.example, strict=True):
        for axis, size in enumerate(variable.shape):
            if isinstance(size, str):
                first = np.take(array, [0], axis)
                array = np.concatenate([array, first], axis)
        larger.append(array)
    return [item.example, tuple(larger)]

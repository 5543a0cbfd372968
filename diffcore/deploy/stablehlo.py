"""Exported functions as files: a zip of a JSON manifest, StableHLO programs and weights.

Reading one runs nothing that the file says: programs are parsed, and refused if they would call
anything but the numerical kernels that JAX itself calls. They run when the loaded function is
called.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export as jax_export

from diffcore import _archive
from diffcore.deploy.exportable import Exportable, ExportError, Variable
from diffcore.deploy.tracing import Traced, explained, nested, symbolic, trace
from diffcore.precision import precision

_FORMAT, _VERSION = "diffcore export", 1
_MANIFEST, _CALL, _CONTAINS = "manifest.json", "call.bin", "contains.bin"
TOLERANCES = {"float32": 1e-5, "float64": 1e-10}  # of the check: relative to the largest number
_KERNELS = re.compile(
    r"lapack_\w+|cu(?!stom)\w+|hip\w+|(mhlo|chlo|stablehlo)\.\w+|Sharding|SPMD\w+|shape_assertion"
    r"|Eigh|Qr|ProductOfElementaryHouseholderReflectors|LuDecomposition|ApproxTopK"
)


def write(item: Exportable, path: Path, platforms: Sequence[str]) -> Path:
    """Write the file for `load`, run it, and only then give it its name."""
    traced = trace(item)
    members = _members(item, traced, platforms)
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        _archive.write(draft, members)
        _check(item, draft, platforms)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    return path


def _members(item: Exportable, traced: Traced, platforms: Sequence[str]) -> dict[str, Any]:
    with precision(item.precision):
        weights = [_canonical(w) for w in traced.weights]
        specs = [jax.ShapeDtypeStruct(w.shape, w.dtype) for w in weights]
        members: dict[str, Any] = {_CALL: _lowered(item, traced, (specs, *traced.specs), platforms)}
        if item.contains is not None:
            members[_CONTAINS] = _lowered(item, item.contains, traced.specs[:1], platforms)
    records = []
    for i, (name, array) in enumerate(zip(traced.names, weights, strict=True)):
        member = f"weights/{i}.npy"
        records.append({"name": name, "dtype": array.dtype.name, "member": member})
        is_standard = array.dtype.kind in "biufc"
        members[member] = array if is_standard else array.view(f"u{array.dtype.itemsize}")
    manifest = {
        "format": _FORMAT,
        "version": _VERSION,
        "jax": jax.__version__,
        "description": item.description,
        "precision": item.precision,
        "platforms": list(platforms),
        "inputs": [dataclasses.asdict(v) for v in item.inputs],
        "outputs": [dataclasses.asdict(v) for v in traced.outputs],
        "tree": traced.tree,
        "weights": records,
        "checksums": {name: _checksum(content) for name, content in members.items()},
    }
    return {_MANIFEST: json.dumps(manifest).encode(), **members}


def _canonical(weight: Any) -> np.ndarray:
    """The weight in the precision of the scope."""
    return np.asarray(weight, jax.dtypes.canonicalize_dtype(weight.dtype), order="C")


def _lowered(item: Exportable, function: Any, specs: Any, platforms: Sequence[str]) -> bytes:
    try:
        exported = jax_export.export(jax.jit(function), platforms=platforms)(*specs)
        return bytes(exported.serialize())
    except Exception as error:
        if "for platform" in str(error):
            raise ExportError(
                f"{item.description} cannot be exported for all of {tuple(platforms)}: "
                f"{str(error).splitlines()[0]}. Name those that you need in `platforms`."
            ) from error
        raise ExportError(explained(error, item)) from error


def _checksum(content: bytes | np.ndarray) -> str:
    if isinstance(content, np.ndarray):
        digest = hashlib.sha256(f"{content.dtype.str}{content.shape}".encode())
        digest.update(content.data if content.size else b"")
        return digest.hexdigest()
    return hashlib.sha256(content).hexdigest()


def _check(item: Exportable, draft: Path, platforms: Sequence[str]) -> None:
    """Run the file on the example and compare."""
    from diffcore.deploy.loaded import load

    loaded = load(draft)
    if backend() not in platforms:
        warnings.warn(
            f"the file for {tuple(platforms)} was not checked: this process runs on {backend()}.",
            stacklevel=4,
        )
        return
    with precision(item.precision):
        expected = jax.tree.leaves(jax.jit(item.function)(*item.example))
    compare(expected, jax.tree.leaves(loaded(*item.example, anywhere=True)), item)


def compare(expected: Sequence[Any], found: Sequence[Any], item: Exportable) -> None:
    """Raise an `ExportError` where the file gives other numbers than the function."""
    for i, (a, b) in enumerate(zip(map(np.asarray, expected), found, strict=True)):
        tolerance = TOLERANCES[
            "float64" if a.dtype.name in ("float64", "complex128") else "float32"
        ]
        scale = np.max(np.abs(a[np.isfinite(a)]), initial=0) if a.dtype.kind in "fc" else 0
        if a.shape != b.shape or not np.allclose(
            np.asarray(a, complex), np.asarray(b, complex), 0, tolerance * scale, equal_nan=True
        ):
            raise ExportError(
                f"{item.description} was not exported: run on the example, the file gave other "
                f"numbers for output {i} than the function. Does it hold state that changes?"
            )


def backend() -> str:
    """The platform of this process, as exports name it."""
    name = jax.default_backend()
    return "cuda" if name == "gpu" else name


# Reading


@dataclasses.dataclass(frozen=True, eq=False)
class Content:
    """What a file holds, after everything in it was compared with everything else."""

    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]
    tree: Any
    precision: str
    platforms: tuple[str, ...]
    description: str
    weights: dict[str, np.ndarray]
    call: Any
    contains: Any


def read(path: str | os.PathLike) -> Content:
    """The content of an exported file; errors as `load`."""
    try:
        members = _archive.read(path)
        if _MANIFEST not in members:
            raise _archive.ArchiveError("it has no manifest")
        manifest = _archive.decode_json(members.pop(_MANIFEST))
        if manifest.get("format") != _FORMAT:
            raise _archive.ArchiveError("it is none of ours")
        if not isinstance(manifest["version"], int) or manifest["version"] > _VERSION:
            raise ExportError(
                f"{path} has version {manifest['version']!r:.20}; this library reads up to "
                f"{_VERSION}: update it."
            )
        return _content(path, manifest, members)
    except ExportError:
        raise
    except (_archive.ArchiveError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise ExportError(f"{path} is no exported function, or damaged: {error}.") from error


def _content(path: Any, manifest: dict[str, Any], members: dict[str, bytes]) -> Content:
    records = manifest["weights"]
    weights = {r["name"]: _weight(r, members) for r in records}
    if len(weights) != len(records):
        raise ValueError("two weights have the same name")
    sums = {r["member"]: _checksum(_stored(r, weights)) for r in records}
    sums |= {n: _checksum(c) for n, c in members.items() if n in (_CALL, _CONTAINS)}
    if sums != manifest["checksums"] or set(sums) != set(members):
        raise ValueError("its checksums do not match its content")
    inputs, outputs = ([_variable(v) for v in manifest[k]] for k in ("inputs", "outputs"))
    specs = symbolic(inputs)
    arrays = [jax.ShapeDtypeStruct(w.shape, w.dtype) for w in weights.values()]
    version = str(manifest["jax"])[:20]
    call = _program(path, members[_CALL], version, [*arrays, *specs], outputs)
    contains = None
    if _CONTAINS in members:
        inside = Variable("inside", specs[0].shape[:-1], "bool")
        contains = _program(path, members[_CONTAINS], version, specs[:1], [inside])
    nested(manifest["tree"], range(len(outputs)))  # raises where it is no tree
    if manifest["precision"] not in TOLERANCES:
        raise ValueError("its precision is neither float32 nor float64")
    return Content(
        tuple(inputs),
        tuple(outputs),
        manifest["tree"],
        manifest["precision"],
        tuple(map(str, manifest["platforms"])),
        str(manifest["description"]),
        weights,
        call,
        contains,
    )


def _weight(record: dict[str, Any], members: dict[str, bytes]) -> np.ndarray:
    array, dtype = _archive.decode_array(members[record["member"]]), jnp.dtype(record["dtype"])
    if dtype.hasobject:
        raise TypeError("weights are numbers")
    return array if array.dtype == dtype else array.view(dtype)


def _stored(record: dict[str, Any], weights: dict[str, np.ndarray]) -> np.ndarray:
    array = weights[record["name"]]
    return array if array.dtype.kind in "biufc" else array.view(f"u{array.dtype.itemsize}")


def _variable(record: dict[str, Any]) -> Variable:
    fields: Any = {k: tuple(v) if isinstance(v, list) else v for k, v in record.items()}
    variable = Variable(**fields)
    sizes, last = variable.shape, variable.shape[-1] if variable.shape else 1
    texts = (variable.name, *variable.columns, *variable.units)
    bounds = [b for b in (variable.lower, variable.upper) if b is not None]
    if (
        not all(type(n) is str or (type(n) is int and n >= 0) for n in sizes)
        or not all(isinstance(text, str) for text in texts)
        or not all(type(n) is float for bound in bounds for n in bound)
        or any(len(bound) not in (1, last) for bound in bounds)
    ):
        raise ValueError(f"{record!r:.80} describes no array")
    np.dtype(variable.dtype)
    return variable


def _program(
    path: Any, content: bytes, version: str, inputs: Sequence[Any], outputs: Sequence[Variable]
) -> jax_export.Exported:
    """The StableHLO program, if it is a function of these arrays that only computes."""
    try:
        exported = jax_export.deserialize(bytearray(content))
        text = exported.mlir_module()
    except Exception as error:
        raise ExportError(
            f"the program in {path} cannot be read: it was written by JAX {version}, this is "
            f"{jax.__version__}, and an older one does not read what a newer one wrote "
            f"({str(error)[:200]})."
        ) from error
    if exported.nr_devices != 1 or exported.ordered_effects or exported.unordered_effects:
        raise ValueError("its program is not for one device, or has effects")
    targets = re.findall(r'custom_call\s*@("[^"]*"|[\w.$]+)|call_target_name = ("[^"]*")', text)
    names = [(a or b).strip('"') for a, b in targets]
    foreign = [name for name in names if not _KERNELS.fullmatch(name)]
    if foreign or len(re.findall(r"\bcustom_call\b", text)) > len(names):
        raise ExportError(
            f"{path} is refused: its program calls {foreign or 'something'}, which is no numerical "
            "kernel of JAX."
        )
    _require_same(exported.in_avals, [(s.shape, s.dtype.name) for s in inputs])
    _require_same(exported.out_avals, [(v.shape, v.dtype) for v in outputs])
    return exported


def _require_same(avals: Sequence[Any], expected: Sequence[tuple]) -> None:
    found = [(tuple(map(str, a.shape)), np.dtype(a.dtype).name) for a in avals]
    if found != [(tuple(map(str, shape)), dtype) for shape, dtype in expected]:
        raise ValueError("its program takes or gives other arrays than it says")

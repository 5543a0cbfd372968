"""Checkpoints: a pytree of arrays in one `.npz` file that is whole or absent, never broken.

Every leaf is a named array; a JSON manifest inside the file records the path, kind and data type of
each leaf, the caller's metadata and a SHA-256 checksum over everything. Nothing is ever pickled, so
loading a file cannot run code. Writing goes to a temporary file in the same folder, which is synced
and renamed: a process killed at any moment leaves either the old file or the new one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from diffcore import _archive

_FORMAT, _VERSION, _MANIFEST = "diffcore checkpoint", 1, "manifest"
_PYTHON = (bool, int, float, complex, str)


class CheckpointError(ValueError):
    """The file is no checkpoint, is damaged, or does not fit the tree it is loaded into."""


def save(path: str | os.PathLike, tree: Any, *, metadata: Mapping[str, Any] | None = None) -> Path:
    """Write `tree` to `path` in one step and return the path.

    Leaves may be NumPy and JAX arrays of any data type (bfloat16 and typed random keys too), Python
    numbers and strings. Other leaves, such as activation functions, are only noted in the manifest;
    `load` takes them from `like`.

    Arguments:
        path: file to write; replaced if it exists.
        tree: any pytree.
        metadata: what JSON can hold, read back by `read_metadata`.

    Raises:
        TypeError: an array of Python objects, or metadata that JSON cannot hold.

    Example:
        >>> import tempfile, os, numpy as np
        >>> path = os.path.join(tempfile.mkdtemp(), "state.npz")
        >>> _ = save(path, {"w": np.arange(3.0), "step": 7}, metadata={"loss": 0.5})
        >>> load(path)
        {'step': 7, 'w': array([0., 1., 2.])}
        >>> read_metadata(path)
        {'loss': 0.5}
    """
    path = Path(path)
    leaves = jax.tree_util.tree_flatten_with_path(tree)[0]
    records: list[dict[str, Any]] = []
    arrays: dict[str, np.ndarray] = {}
    for keys, leaf in leaves:
        record, array = _encode(keys, leaf)
        if array is not None:
            record["array"] = _unique(_text(keys), arrays)
            arrays[record["array"]] = array
        records.append(record)
    content = {"leaves": records, "metadata": _checked_metadata(metadata)}
    checksum = _checksum(content, arrays.values())
    manifest = {"format": _FORMAT, "version": _VERSION, "checksum": checksum, **content}
    text = np.frombuffer(json.dumps(manifest).encode(), np.uint8)
    _archive.write(path, {f"{name}.npy": a for name, a in {_MANIFEST: text, **arrays}.items()})
    return path


def load(path: str | os.PathLike, like: Any = None) -> Any:
    """The tree stored at `path`.

    Arguments:
        path: a file written by `save`.
        like: a tree of the same structure, shapes and data types (arrays or
            `jax.ShapeDtypeStruct`); the result has its node types, its JAX arrays are put where
            those of `like` are. Without it, the result consists of dictionaries, lists and NumPy
            arrays.

    Raises:
        FileNotFoundError: no such file.
        CheckpointError: the file is damaged, truncated, foreign, or does not fit `like`.
    """
    manifest, arrays = _read(path)
    records = manifest["leaves"]
    try:
        values = [_decode(record, arrays) for record in records]
        if like is None:
            return _rebuild(path, records, values)
    except CheckpointError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(f"{path} is not a checkpoint of diffcore: {error!r}.") from error
    leaves, structure = jax.tree_util.tree_flatten_with_path(like)
    _check_paths(path, [record["path"] for record in records], [_path(k) for k, _ in leaves])
    fitted = [
        _fit(path, record, value, leaf)
        for record, value, (_, leaf) in zip(records, values, leaves, strict=True)
    ]
    return jax.tree_util.tree_unflatten(structure, fitted)


def read_metadata(path: str | os.PathLike) -> dict[str, Any]:
    """The metadata stored with the checkpoint at `path`; errors as `load`."""
    return _read(path)[0]["metadata"]


# Leaves


def _encode(keys: tuple, leaf: Any) -> tuple[dict[str, Any], np.ndarray | None]:
    """The manifest's record of a leaf and the array to store, if any."""
    record: dict[str, Any] = {"path": _path(keys)}
    if type(leaf) in _PYTHON:
        value = [leaf.real, leaf.imag] if isinstance(leaf, complex) else leaf
        return record | {"kind": type(leaf).__name__, "value": value}, None
    if _is_key(leaf):
        impl = str(jax.random.key_impl(leaf))
        return record | {"kind": "key", "impl": impl}, np.asarray(jax.random.key_data(leaf))
    if not isinstance(leaf, (jax.Array, np.ndarray, np.generic)):
        return record | {"kind": "static"}, None
    array = np.asarray(leaf, order="C")
    record |= {"kind": "array", "dtype": array.dtype.name}
    if array.dtype.kind in "biufc":
        return record, array
    if array.dtype.kind == "V" and array.dtype.names is None:  # bfloat16, float8: stored as bits
        return record, array.view(f"u{array.dtype.itemsize}")
    raise TypeError(
        f"`tree` has an array of data type {array.dtype} at {_text(keys) or 'its root'}; "
        "checkpoints hold numbers, booleans and random keys: convert it."
    )


def _decode(record: dict[str, Any], arrays: Mapping[str, np.ndarray]) -> Any:
    kind = record["kind"]
    if kind == "static":
        return None
    if kind == "key":
        return jax.random.wrap_key_data(jnp.asarray(arrays[record["array"]]), impl=record["impl"])
    if kind == "array":
        array, dtype = arrays[record["array"]], jnp.dtype(record["dtype"])
        if dtype.hasobject:
            raise TypeError(f"arrays hold numbers, not {dtype}")
        return array if array.dtype == dtype else array.view(dtype)
    value = complex(*record["value"]) if kind == "complex" else record["value"]
    if type(value).__name__ != kind or type(value) not in _PYTHON:
        raise TypeError(f"{value!r:.60} is said to be {kind}")
    return value


def _fit(file: Any, record: dict[str, Any], value: Any, leaf: Any) -> Any:
    """`value` as the same kind of thing as `leaf`."""
    where = f"{file}: leaf {_name(record['path'])}"
    if record["kind"] == "static":
        return leaf
    if record["kind"] in ("array", "key"):
        expected = (getattr(leaf, "shape", None), getattr(leaf, "dtype", None))
        if expected != (value.shape, value.dtype):
            raise CheckpointError(
                f"{where} holds shape {value.shape}, data type {value.dtype}; `like` has shape "
                f"{expected[0]}, data type {expected[1]}: build `like` with the settings (and "
                "precision) that were saved."
            )
        return _place(where, value, leaf)
    if type(leaf).__name__ != record["kind"]:
        raise CheckpointError(
            f"{where} holds {record['kind']} {value!r}; `like` has {type(leaf).__name__}."
        )
    return value


def _place(where: str, value: Any, leaf: Any) -> Any:
    if isinstance(leaf, np.generic):
        return value[()]
    if not isinstance(leaf, (jax.Array, jax.ShapeDtypeStruct)):
        return value
    sharding = leaf.sharding
    placed = jnp.asarray(value) if sharding is None else jax.device_put(value, sharding)
    if placed.dtype != value.dtype:
        raise CheckpointError(
            f"{where} holds {value.dtype}, which JAX rounds to {placed.dtype} here: "
            'load inside `diffcore.precision("float64")`.'
        )
    return placed


def _is_key(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)


# Paths


def _path(keys: tuple) -> list[list]:
    """The path of a leaf as JSON: [["key", "w"], ["item", 0], ["attribute", "weight"], ...]."""
    tree_util, path = jax.tree_util, []
    for key in keys:
        if isinstance(key, tree_util.SequenceKey):
            path.append(["item", key.idx])
        elif isinstance(key, tree_util.GetAttrKey):
            path.append(["attribute", key.name])
        else:
            name = key.key
            path.append(["key", name if isinstance(name, (str, int)) else repr(name)])
    return path


def _text(keys: tuple) -> str:
    return _name(_path(keys))


def _name(path: list[list]) -> str:
    return "/".join(str(key) for _, key in path)


def _unique(name: str, taken: Mapping[str, Any]) -> str:
    name = name or "value"
    return name if name != _MANIFEST and name not in taken else f"{name}#{len(taken)}"


def _check_paths(file: Any, stored: list, wanted: list) -> None:
    if stored == wanted:
        return
    missing = [_name(path) for path in wanted if path not in stored]
    extra = [_name(path) for path in stored if path not in wanted]
    raise CheckpointError(
        f"{file} does not have the structure of `like`: missing in the file {missing or 'none'}, "
        f"not in `like` {extra or 'none'} (or in another order)."
    )


def _rebuild(file: Any, records: list[dict], values: list) -> Any:
    """Nested dictionaries and lists from the paths alone."""
    static = [_name(record["path"]) for record in records if record["kind"] == "static"]
    if static:
        raise CheckpointError(f"{file} has leaves that are no data, {static}: pass `like`.")
    root: dict = {}
    for record, value in zip(records, values, strict=True):
        node, parent = root, ("key", "")
        for step in record["path"]:
            node, parent = node.setdefault(parent, {}), tuple(step)
        node[parent] = value
    return _plain(root).get("", {})


def _plain(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    values = [_plain(child) for child in node.values()]
    if node and all(kind == "item" for kind, _ in node):
        return values
    return {name: value for (_, name), value in zip(node, values, strict=True)}


# Files


def _checked_metadata(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    try:
        return json.loads(json.dumps(dict(metadata or {})))
    except (TypeError, ValueError) as error:
        raise TypeError(f"`metadata` needs to be what JSON can hold; {error}.") from None


def _checksum(content: dict[str, Any], arrays: Iterable[np.ndarray]) -> str:
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode())
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _read(path: str | os.PathLike) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The manifest and the arrays of a file, after the checksum was verified."""
    try:
        members = _archive.read(path)
    except _archive.ArchiveError as error:
        raise CheckpointError(str(error)) from error
    try:
        arrays = {
            name.removesuffix(".npy"): _archive.decode_array(content)
            for name, content in members.items()
        }
    except _archive.ArchiveError as error:
        raise CheckpointError(f"{path} is not a checkpoint of diffcore: {error}.") from error
    try:
        manifest = _archive.decode_json(arrays.pop(_MANIFEST).tobytes())
        if manifest["format"] != _FORMAT:
            raise KeyError("format")
        version, checksum = int(manifest["version"]), manifest["checksum"]
        content = {"leaves": list(manifest["leaves"]), "metadata": dict(manifest["metadata"])}
    except (ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{path} is not a checkpoint of diffcore: {error!r}.") from error
    if version > _VERSION:
        raise CheckpointError(
            f"{path} has version {version}; this library reads up to {_VERSION}: update it."
        )
    if _checksum(content, arrays.values()) != checksum:
        raise CheckpointError(f"{path} is damaged: its checksum does not match its content.")
    return manifest, arrays

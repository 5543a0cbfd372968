"""Files of named tensors: .npz, .safetensors, and torch's .pt, read without running their code.

A .pt file is a zip archive of raw storages and a pickle that says how they make tensors. The pickle
is read by an unpickler that knows tensors, dictionaries and nothing else.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

_SAFETENSORS = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "BF16": "bfloat16",
    "I64": "int64",
    "I32": "int32",
    "I16": "int16",
    "I8": "int8",
    "U8": "uint8",
    "U16": "uint16",
    "U32": "uint32",
    "U64": "uint64",
    "BOOL": "bool",
    "C64": "complex64",
}
_TORCH = {
    "DoubleStorage": "float64",
    "FloatStorage": "float32",
    "HalfStorage": "float16",
    "BFloat16Storage": "bfloat16",
    "LongStorage": "int64",
    "IntStorage": "int32",
    "ShortStorage": "int16",
    "CharStorage": "int8",
    "ByteStorage": "uint8",
    "BoolStorage": "bool",
    "ComplexFloatStorage": "complex64",
    "ComplexDoubleStorage": "complex128",
}


class TensorFileError(ValueError):
    """The file is damaged, foreign, or holds what is no tensor."""


def read_tensors(path: str | os.PathLike) -> dict[str, np.ndarray]:
    """Returns the tensors in a .npz, .safetensors or torch .pt file, by name.

    Nothing in the file is executed. bfloat16 stays bfloat16.

    Raises:
        FileNotFoundError: no such file.
        TensorFileError: a damaged file, or one with other things than tensors.
    """
    path = Path(path)
    with open(path, "rb") as file:
        start = file.read(4)
    try:
        if start != b"PK\x03\x04":
            return _read_safetensors(path)
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
        pickles = [name for name in names if name.endswith("data.pkl")]
        return _read_torch(path, pickles[0]) if pickles else _read_npz(path)
    except TensorFileError:
        raise
    except Exception as error:  # a damaged file fails in every way a parser can
        raise TensorFileError(
            f"{path} is damaged, or no .npz, .safetensors or .pt file: {error}."
        ) from error


def write_tensors(path: str | os.PathLike, tensors: Mapping[str, Any]) -> Path:
    """Writes named arrays, such as those of `state`, to a .npz or .safetensors file.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "weights.safetensors")
        >>> _ = write_tensors(path, {"w": np.arange(3.0)})
        >>> read_tensors(path)
        {'w': array([0., 1., 2.])}
    """
    path = Path(path)
    arrays = {name: np.asarray(array) for name, array in tensors.items()}
    if path.suffix == ".npz":
        if any(array.dtype.kind == "V" for array in arrays.values()):
            raise ValueError("a .npz file cannot hold bfloat16: write .safetensors.")
        np.savez(path, **arrays)  # type: ignore[arg-type]
    elif path.suffix == ".safetensors":
        _write_safetensors(path, arrays)
    else:
        raise ValueError(f"`path` must end with .npz or .safetensors; got {path}.")
    return path


def _read_npz(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _read_safetensors(path: Path) -> dict[str, np.ndarray]:
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or size > len(content) - 8:
        raise TensorFileError(f"{path} is truncated, or no file of tensors.")
    header = json.loads(content[8 : 8 + size])
    header.pop("__metadata__", None)
    data, tensors = memoryview(content)[8 + size :], {}
    for name, entry in header.items():
        if entry["dtype"] not in _SAFETENSORS:
            raise TensorFileError(f"{path}: {name} has the unknown data type {entry['dtype']}.")
        dtype, shape = jnp.dtype(_SAFETENSORS[entry["dtype"]]), tuple(map(int, entry["shape"]))
        begin, end = entry["data_offsets"]
        if not 0 <= begin <= end <= len(data) or end - begin != math.prod(shape) * dtype.itemsize:
            raise TensorFileError(f"{path}: {name} reaches outside of the file, or has no {shape}.")
        tensors[name] = np.frombuffer(data[begin:end], dtype).reshape(shape).copy()
    return tensors


def _write_safetensors(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    names = {dtype: name for name, dtype in _SAFETENSORS.items()}
    header, offset = {}, 0
    for name, array in arrays.items():
        if array.dtype.name not in names:
            raise ValueError(f".safetensors cannot hold {name} of data type {array.dtype}.")
        span = [offset, offset + array.nbytes]
        kind = names[array.dtype.name]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": span}
        offset = span[1]
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for array in arrays.values():
            file.write(np.ascontiguousarray(array).tobytes())


def _read_torch(path: Path, member: str) -> dict[str, np.ndarray]:
    with zipfile.ZipFile(path) as archive, archive.open(member) as file:
        tree = _TensorUnpickler(file, archive, member[: -len("data.pkl")]).load()
    tensors: dict[str, np.ndarray] = {}
    _collect(tree, "", tensors)
    return tensors


def _collect(tree: Any, prefix: str, tensors: dict[str, np.ndarray]) -> None:
    """Nested dictionaries, as in checkpoints, get names joined by dots; other values are left."""
    if isinstance(tree, np.ndarray):
        tensors[prefix.rstrip(".")] = tree
    elif isinstance(tree, dict):
        for name, child in tree.items():
            _collect(child, f"{prefix}{name}.", tensors)


class _TensorUnpickler(pickle.Unpickler):
    def __init__(self, file: Any, archive: zipfile.ZipFile, folder: str):
        super().__init__(file)
        self._archive, self._folder = archive, folder

    def find_class(self, module: str, name: str) -> Any:
        allowed = {
            ("collections", "OrderedDict"): OrderedDict,
            ("torch._utils", "_rebuild_tensor_v2"): _tensor,
            ("torch._utils", "_rebuild_parameter"): lambda tensor, *_: tensor,
            ("torch", "Size"): tuple,
        }
        if module == "torch" and name in _TORCH:
            return jnp.dtype(_TORCH[name])
        if (module, name) not in allowed:
            raise TensorFileError(
                f"the file wants to run {module}.{name}: only tensors are read. Save "
                "model.state_dict(), or .safetensors."
            )
        return allowed[module, name]

    def persistent_load(self, reference: Any) -> np.ndarray:
        kind, dtype, key, *_ = reference
        if kind != "storage" or not isinstance(dtype, np.dtype):
            raise TensorFileError(f"the file refers to {kind!r}, which is no storage of tensors.")
        return np.frombuffer(self._archive.read(f"{self._folder}data/{key}"), dtype)


def _tensor(storage: Any, offset: int, size: Any, stride: Any, *_: Any) -> np.ndarray:
    """The tensor of these sizes and strides in a storage, copied."""
    if not isinstance(storage, np.ndarray) or min((offset, *size, *stride), default=0) < 0:
        raise TensorFileError("the file has a tensor without a storage.")
    last = offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    if math.prod(size) and last >= len(storage):
        raise TensorFileError("the file has a tensor that reaches outside of its storage.")
    if math.prod(size) > max(len(storage), 1):
        raise TensorFileError("the file has a tensor that is larger than its storage.")
    strides = [s * storage.itemsize for s in stride]
    start = storage[offset:] if math.prod(size) else storage[:0]
    return np.lib.stride_tricks.as_strided(start, tuple(size), strides).copy()

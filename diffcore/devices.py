"""Many devices and many processes: points are divided among them, parameters are everywhere.

Everything rests on JAX's own meshes and shardings. The same script runs on one CPU, on eight GPUs
and, after `distributed()`, on many machines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Any

import jax
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

DATA = "data"


def mesh(devices: Any = "all", **axes: int) -> Mesh:
    """A mesh of devices with named axes, by default all of them along the axis "data".

    Arguments:
        devices: "all" (of all processes), a number of them, or a list of `jax.devices()`.
        axes: lengths of the axes, as `data=4, model=2`; one of them may be -1, for the rest.

    Raises:
        ValueError: more devices than there are, or axes that do not divide them.

    Example:
        >>> import jax
        >>> mesh().shape == {"data": jax.device_count()}
        True
    """
    chosen = _devices(devices)
    sizes = dict(axes or {DATA: -1})
    known = int(np.prod([n for n in sizes.values() if n != -1]))
    for name, n in sizes.items():
        if n == -1:
            sizes[name] = len(chosen) // known
    if int(np.prod(list(sizes.values()))) != len(chosen) or min(sizes.values()) < 1:
        raise ValueError(f"`axes` {axes} do not make up {len(chosen)} devices: {sizes}.")
    auto = (AxisType.Auto,) * len(sizes)
    return Mesh(np.array(chosen).reshape(*sizes.values()), tuple(sizes), axis_types=auto)


def _devices(devices: Any) -> list[Any]:
    there = jax.devices()
    if isinstance(devices, str) and devices == "all":
        return there
    if isinstance(devices, int) and not isinstance(devices, bool):
        if not 1 <= devices <= len(there):
            raise ValueError(
                f"`devices` is from 1 to {len(there)}, as many as there are; got {devices}."
            )
        return there[:devices]
    if (
        isinstance(devices, Sequence)
        and devices
        and all(isinstance(d, jax.Device) for d in devices)
    ):
        return list(devices)
    raise TypeError(f'`devices` is "all", a number, or a list of `jax.devices()`; got {devices!r}.')


def replicate(tree: Any, mesh: Mesh) -> Any:
    """The arrays of `tree` whole on each device of the mesh; each process gives the same values."""
    sharding = NamedSharding(mesh, PartitionSpec())
    return jax.tree.map(lambda leaf: _placed(leaf, sharding), tree)


def shard(tree: Any, mesh: Mesh, axis: str = DATA) -> Any:
    """The arrays of `tree` divided along their first axis among the devices of a mesh.

    With several processes each gives its own part, and the parts together are the whole.

    Raises:
        ValueError: a first axis that does not divide.
    """
    sharding, parts = NamedSharding(mesh, PartitionSpec(axis)), mesh.shape[axis]

    def placed(leaf: Any) -> Any:
        array = np.asarray(leaf)
        rows = (array.shape or (0,))[0] * jax.process_count()
        if not array.ndim or rows % parts:
            raise ValueError(
                f"{parts} devices divide first axes of a multiple of {parts} rows; got shape "
                f"{array.shape}: drop or repeat some."
            )
        return jax.make_array_from_process_local_data(sharding, array)

    return jax.tree.map(placed, tree)


def place(model: Any, mesh: Mesh, parts: Mapping[str, Sequence[str | None]]) -> Any:
    """The model with parameters divided among devices, and all other arrays on each of them.

    Arguments:
        parts: {pattern of paths: axis of the mesh for each axis of the array, or None}. What
            several patterns meet follows the first.

    Example:
        >>> from diffcore import nn
        >>> model = nn.MLP(2, 1, 8, 2, key=0)
        >>> model = place(model, mesh(data=-1, model=1), {"layers.*.weight": ("model", None)})
        >>> model.layers[0].weight.sharding.spec
        P('model', None)
    """
    used: set[str] = set()

    def placed(path: tuple, leaf: Any) -> Any:
        if not isinstance(leaf, jax.Array | np.ndarray):
            return leaf
        name = jax.tree_util.keystr(path, simple=True, separator=".")
        found = next((pattern for pattern in parts if fnmatchcase(name, pattern)), None)
        used.update([found] if found else [])
        return _placed(leaf, NamedSharding(mesh, PartitionSpec(*parts.get(found or "", ()))))

    result = jax.tree_util.tree_map_with_path(placed, model)
    if missing := [pattern for pattern in parts if pattern not in used]:
        raise ValueError(f"`parts` names {missing}, which match no array; see `nn.summary(model)`.")
    return result


def gather(tree: Any) -> Any:
    """The arrays of `tree` whole, as NumPy arrays in each process."""

    def whole(leaf: Any) -> Any:
        if not isinstance(leaf, jax.Array):
            return leaf
        if not leaf.is_fully_addressable and not leaf.is_fully_replicated:
            from jax.experimental.multihost_utils import process_allgather

            return process_allgather(leaf, tiled=True)
        return np.asarray(leaf)

    return jax.tree.map(whole, tree)


def sum_over_devices(f: Callable[[Any, Any], Any], mesh: Mesh, axis: str = DATA) -> Callable:
    """The function (shared, points) ↦ f(shared, points), a sum over points, computed in parts.

    Each device evaluates f on its part of the points, and the results are added. Derivatives taken
    inside f are sums over points, too, and need nothing more.

    Arguments:
        f: returns a pytree of sums over the points (arrays with one leading axis, which the number
            of devices divides).
    """

    def part(shared: Any, points: Any) -> Any:
        return jax.lax.psum(f(shared, points), axis)

    specs = (PartitionSpec(), PartitionSpec(axis))
    return jax.shard_map(
        part, mesh=mesh, in_specs=specs, out_specs=PartitionSpec(), check_vma=False
    )


def _placed(leaf: Any, sharding: NamedSharding) -> Any:
    if not isinstance(leaf, jax.Array | np.ndarray | np.generic):
        return leaf
    value = np.asarray(leaf)
    return jax.make_array_from_callback(value.shape, sharding, lambda index: value[index])


# Processes


def distributed(
    coordinator: str | None = None,
    processes: int | None = None,
    process: int | None = None,
    *,
    patience: int = 60,
) -> tuple[int, int]:
    """Join the processes of a run, and return (number of this one, how many there are).

    To be called first, before any array is made. Under SLURM, Open MPI, Kubernetes and on TPUs JAX
    finds the others by itself; elsewhere say where they meet.

    Arguments:
        coordinator: "host:port" of process 0.
        processes, process: how many, and which one this is.
        patience: seconds after which a silent process counts as lost.

    Raises:
        RuntimeError: no others are found, or not in time.
    """
    if jax.distributed.is_initialized():
        return jax.process_index(), jax.process_count()
    given = [value is not None for value in (coordinator, processes, process)]
    if any(given) and not all(given):
        raise ValueError(
            "`coordinator`, `processes` and `process` go together, as "
            'distributed("host0:1234", 2, 0); without them the scheduler is asked.'
        )
    try:
        jax.distributed.initialize(
            coordinator,
            processes,
            process,
            heartbeat_timeout_seconds=patience,
            shutdown_timeout_seconds=patience,
            initialization_timeout=patience,
        )
    except (ValueError, RuntimeError) as error:
        raise RuntimeError(
            "no other processes were found: run under SLURM, Open MPI or Kubernetes, or call "
            f"distributed(coordinator, processes, process) before any other use of JAX ({error})."
        ) from error
    return jax.process_index(), jax.process_count()


class ProcessLost(RuntimeError):
    """A process of a distributed run is gone; what was written before stands."""


@contextmanager
def loss_explained() -> Iterator[None]:
    """A scope in which the failure of a collective, when a process is gone, is a `ProcessLost`."""
    try:
        yield
    except jax.errors.JaxRuntimeError as error:
        if jax.process_count() == 1:
            raise
        raise ProcessLost(
            f"process {jax.process_index()} of {jax.process_count()} lost another one: "
            f"{str(error).splitlines()[0][:200]}. Start all of them again; the run goes on from "
            "its last checkpoint."
        ) from error


def agreed(value: float) -> float:
    """The number as process 0 has it, so that all processes decide alike."""
    if jax.process_count() == 1:
        return value
    from jax.experimental.multihost_utils import broadcast_one_to_all

    return float(broadcast_one_to_all(np.float32(value)))


def is_first_process() -> bool:
    """Whether this process is the one that writes files."""
    return jax.process_index() == 0


__all__ = [
    "agreed",
    "distributed",
    "gather",
    "is_first_process",
    "loss_explained",
    "mesh",
    "place",
    "ProcessLost",
    "replicate",
    "shard",
    "sum_over_devices",
]

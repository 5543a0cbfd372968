"""The numbers that a finite-element solution supplies: values and derivatives at points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from .evolve import Trajectory
from .grid import Grid, Places


@dataclass(frozen=True, eq=False)
class Discrete:
    """A function of the space, steady (`values` (dofs,)) or along a trajectory in time, with
    polynomials of a degree for each unknown; `grid` is that of the highest.

    Calling it gives the jets: `jets(functionals, points) -> list of arrays`. Second derivatives in
    space are the derivatives of the gradient recovered at the nodes; between the ends of steps in
    time the function is the cubic that takes their values and rates.
    """

    grid: Grid
    unknowns: tuple
    coordinates: tuple
    degrees: tuple[int, ...]
    values: np.ndarray | None = None
    trajectory: Trajectory | None = None

    def __call__(self, functionals: Any, points: Any) -> list[np.ndarray]:
        points = np.asarray(points, dtype=float)
        flat = points.reshape(-1, points.shape[-1])
        at = self._at(flat)
        return [
            np.sum(
                [c * at.derivative(*self._split(f.field, orders)) for orders, c in f.terms], axis=0
            ).reshape(points.shape[:-1])
            for f in functionals
        ]

    @cached_property
    def grids(self) -> tuple[Grid, ...]:
        """The grid of each unknown."""
        return tuple(self.grid.of_degree(degree) for degree in self.degrees)

    @cached_property
    def offsets(self) -> np.ndarray:
        """Where the degrees of freedom of each unknown start."""
        return np.concatenate([[0], np.cumsum([grid.size for grid in self.grids])])

    def _at(self, points: np.ndarray) -> _AtPoints:
        d = self.grid.dimension
        columns = [i for i, c in enumerate(self.coordinates) if c.name != "t"]
        places = self.grid.locate(points[:, columns])
        time = None if self.trajectory is None else points[:, d]
        return _AtPoints(self, places, time)

    def _split(self, field: Any, orders: tuple[int, ...]) -> tuple[int, tuple[int, ...], int]:
        """(row of the field, directions of the derivatives in space, order in time)."""
        if field not in self.unknowns:
            raise ValueError(f"{field} is no unknown of this solution; those are {self.unknowns}.")
        space = [c for c in self.coordinates if c.name != "t"]
        directions: list[int] = []
        order_in_time = 0
        for argument, n in zip(field.args, orders, strict=True):
            if argument.name == "t":
                order_in_time = n
            else:
                directions += [space.index(argument)] * n
        if len(directions) > 2 or order_in_time > 2:
            raise ValueError(
                f"a finite-element solution has derivatives up to the second in space and in time; "
                f"got orders {orders} of {field}. Solve with `PINN()` for derivatives of any order."
            )
        return self.unknowns.index(field), tuple(directions), order_in_time

    def nodal(self, row: int, direction: int | None) -> np.ndarray:
        """Nodal values (1, dofs) or (times, dofs) of an unknown or of its recovered derivative."""
        steady, moving = self.values, self.trajectory
        values = steady[None] if moving is None else moving.values  # type: ignore[index]
        return self._recovered(values, row, direction)

    def nodal_rates(self, row: int, direction: int | None) -> np.ndarray:
        """The same of the rates."""
        return self._recovered(self.trajectory.rates, row, direction)  # type: ignore[union-attr]

    def _recovered(self, values: np.ndarray, row: int, direction: int | None) -> np.ndarray:
        own = values[:, self.offsets[row] : self.offsets[row + 1]]
        return own if direction is None else (self.grids[row].recovery[direction] @ own.T).T


class _AtPoints:
    """Derivatives at fixed points, one request after another."""

    def __init__(self, discrete: Discrete, places: Places, time: np.ndarray | None) -> None:
        self.discrete = discrete
        self.located = lru_cache(maxsize=None)(lambda row: discrete.grids[row].at(places))
        if time is not None:
            times = discrete.trajectory.times  # type: ignore[union-attr]
            self.step = np.clip(np.searchsorted(times, time, side="right") - 1, 0, len(times) - 2)
            self.length = np.diff(times)[self.step]
            self.fraction = np.clip((time - times[self.step]) / self.length, 0, 1)
        self.local = lru_cache(maxsize=None)(self._local)

    def derivative(self, row: int, directions: tuple[int, ...], order_in_time: int) -> np.ndarray:
        if len(directions) == 2:
            i, j = directions
            return 0.5 * (
                self._combine(row, i, j, order_in_time) + self._combine(row, j, i, order_in_time)
            )
        direction = directions[0] if directions else None
        return self._combine(row, None, direction, order_in_time)

    def _combine(self, row, recovered, direction, order_in_time) -> np.ndarray:
        """d/d(direction) of the nodal function: of the unknown, or of its recovered derivative."""
        nodal = self.local(row, recovered, order_in_time)
        return np.einsum("pb,pb->p", self.located(row).weights(direction), nodal)

    def _local(self, row: int, recovered: int | None, order_in_time: int) -> np.ndarray:
        """Nodal values of the cell of each point, at its time: (points, b)."""
        dofs, values = self.located(row).dofs, self.discrete.nodal(row, recovered)
        if self.discrete.trajectory is None:
            return values[0, dofs]
        rates = self.discrete.nodal_rates(row, recovered)
        now, then = self.step[:, None], self.step[:, None] + 1
        h = self.length[:, None]
        w = [v[:, None] for v in _hermite(self.fraction, order_in_time)]
        value = w[0] * values[now, dofs] + w[1] * values[then, dofs]
        value = value + h * (w[2] * rates[now, dofs] + w[3] * rates[then, dofs])
        return value / h**order_in_time


def _hermite(s: np.ndarray, order: int) -> tuple[np.ndarray, ...]:
    """Derivatives of the cubics with value or slope one at either end: v(0), v(1), v'(0), v'(1)."""
    if order == 0:
        return (1 + 2 * s) * (1 - s) ** 2, s**2 * (3 - 2 * s), s * (1 - s) ** 2, s**2 * (s - 1)
    if order == 1:
        return 6 * s * (s - 1), 6 * s * (1 - s), (1 - s) * (1 - 3 * s), s * (3 * s - 2)
    return 12 * s - 6, 6 - 12 * s, 6 * s - 4, 6 * s - 2

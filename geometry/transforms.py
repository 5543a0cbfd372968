"""Moved, turned, scaled and mirrored shapes: similarities, which keep distances exact."""

from __future__ import annotations

import abc
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from geometry._arrays import is_symbolic, motion, namespace, number, vector
from geometry.chart import Chart
from geometry.csg import Combination
from geometry.distance import part_distance
from geometry.face import Face, Surface
from geometry.mesh import SimplexMesh
from geometry.meshing.lattice import oriented
from geometry.meshing.shapes import mesh_shape
from geometry.shape import Shape, positive, refuse_periodic


class Similarity(Shape, abc.ABC):
    """The image of `base` under y = factor * matrix @ x + offset, with an orthogonal matrix."""

    base: Shape

    @abc.abstractmethod
    def _map(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Returns the factor, the matrix and the offset."""

    @property
    def axes(self) -> tuple[str, ...]:  # type: ignore[override]
        """Names of the coordinates."""
        return self.base.axes

    @property
    def _n_sliced(self) -> int:
        return self.base._n_sliced

    def _forward(self, points: Any) -> Any:
        factor, matrix, offset = self._map()
        return factor * _times(points, matrix) + namespace(points).asarray(offset, points.dtype)

    def _turned(self, vectors: Any) -> Any:
        return _times(vectors, self._map()[1])

    def _back(self, points: Any) -> Any:
        factor, matrix, offset = self._map()
        moved = points - namespace(points).asarray(offset, points.dtype)
        return _times(moved, matrix.T) / factor

    def _pulled(self, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """A distance-like function of the base as one of the image."""
        factor = self._map()[0]
        return lambda points: factor * function(self._back(points))

    def _bounds(self) -> tuple[Any, Any]:
        factor, matrix, offset = self._map()
        lower, upper = self.base.bounds
        middle = factor * matrix @ ((lower + upper) / 2) + offset
        reach = factor * np.abs(matrix) @ ((upper - lower) / 2)
        return middle - reach, middle + reach

    def _sdf(self, points: Any) -> Any:
        return self._pulled(self.base._sdf)(points)

    def _membership(self, points: Any) -> Any:
        return self._pulled(self.base._membership)(points)

    def _level(self, points: Any) -> Any:
        return self._pulled(self.base._level)(points)

    def _moved(self, chart: Chart) -> Chart:
        def moved_map(u: Any) -> tuple[Any, Any, Any]:
            points, normals, kept = chart.map(u)
            normals = None if normals is None else self._turned(normals)
            return self._forward(points), normals, kept

        times = self._map()[0] ** chart_dimension(chart, self.dimension)
        return replace(
            chart, map=moved_map, measure=chart.measure * times, error=chart.error * times
        )

    def _solid(self) -> Chart:
        return self._moved(self.base._solid_chart)

    def _faces(self) -> tuple[Face, ...]:
        return self._moved_faces(self.base._boundary_faces)

    def _inner_faces(self) -> tuple[Face, ...]:
        return self._moved_faces(self.base._interface_faces)

    def _moved_faces(self, faces: tuple[Face, ...]) -> tuple[Face, ...]:
        return tuple(
            replace(face, chart=self._moved(face.chart), surface=self._moved_surface(face.surface))
            for face in faces
        )

    @property
    def regions(self) -> Mapping[str, Shape]:
        """The regions of `base`, moved alike."""
        moved: Any = self  # a dataclass, as all final shapes are
        return {name: replace(moved, base=shape) for name, shape in self.base.regions.items()}

    def _moved_surface(self, surface: Surface) -> Surface:
        return Surface(
            self._pulled(surface.inner),
            self._pulled(surface.outer),
            lambda points: self._turned(surface.normal(self._back(points))),
            None if surface.trim is None else self._pulled(surface.trim),
            surface.is_supporting,
        )

    def _base_text(self) -> str:
        return f"({self.base!r})" if isinstance(self.base, Combination) else repr(self.base)


def chart_dimension(chart: Chart, dimension: int) -> int:
    """Returns the dimension of what a chart covers in a space of the given dimension."""
    _, normals, _ = chart.map(np.full((1, chart.dimension), 0.5))
    return dimension if normals is None else dimension - 1


def _times(vectors: Any, matrix: np.ndarray) -> Any:
    return vectors @ namespace(vectors).asarray(matrix.T, vectors.dtype)


@dataclass(frozen=True, repr=False)
class Translated(Similarity):
    """The shape moved by `offset`; written `base.translate(offset)`."""

    base: Shape
    offset: tuple[float, ...]

    def __post_init__(self) -> None:
        refuse_periodic("`translate(offset)`", self.base)
        offset = motion(self.offset, "`translate(offset)`", self.base.dimension)
        object.__setattr__(self, "offset", offset)

    def _map(self) -> tuple[float, np.ndarray, np.ndarray]:
        return 1.0, np.eye(self.dimension), np.asarray(self.offset, float)

    def __repr__(self) -> str:
        return f"{self._base_text()}.translate({self.offset!r})"


@dataclass(frozen=True, repr=False)
class Rotated(Similarity):
    """The shape turned by `angle` (radians); written `base.rotate(angle, center=, axis=)`.

    In two dimensions from the first axis to the second, in three about the direction `axis`.
    """

    base: Shape
    angle: float
    center: tuple[float, ...]
    axis: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        refuse_periodic("`rotate(angle)`", self.base)
        d = self.base.dimension
        if d not in (2, 3):
            raise ValueError(f"`rotate(angle)` needs two or three dimensions; got {d}.")
        object.__setattr__(self, "angle", number(self.angle, "`rotate(angle)`"))
        center = vector(self.center, "`rotate(angle, center=)`", d)
        object.__setattr__(self, "center", center)
        if (self.axis is None) != (d == 2):
            raise ValueError(
                f"`rotate(angle, axis=)` needs `axis` in three dimensions and only there; got "
                f"axis={self.axis!r} in {d}."
            )
        if d == 3:
            axis = vector(self.axis, "`rotate(angle, axis=)`", 3)
            if not any(axis):
                raise ValueError(f"`rotate(angle, axis=)` needs a direction; got {axis}.")
            object.__setattr__(self, "axis", axis)

    def _map(self) -> tuple[float, np.ndarray, np.ndarray]:
        c, s = math.cos(self.angle), math.sin(self.angle)
        if self.axis is None:
            matrix = np.array([[c, -s], [s, c]])
        else:  # Rodrigues' formula
            x, y, z = np.asarray(self.axis, float) / np.linalg.norm(self.axis)
            cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            matrix = np.eye(3) + s * cross + (1 - c) * cross @ cross
        center = np.asarray(self.center, float)
        return 1.0, matrix, center - matrix @ center

    def __repr__(self) -> str:
        words = [repr(self.angle)]
        if any(self.center):
            words.append(f"center={self.center!r}")
        if self.axis is not None:
            words.append(f"axis={self.axis!r}")
        return f"{self._base_text()}.rotate({', '.join(words)})"


@dataclass(frozen=True, repr=False)
class Scaled(Similarity):
    """The shape enlarged by `factor` about `center`; written `base.scale(factor, center=)`."""

    base: Shape
    factor: float
    center: tuple[float, ...]

    def __post_init__(self) -> None:
        refuse_periodic("`scale(factor)`", self.base)
        if hasattr(self.factor, "__len__"):
            raise TypeError(
                f"`scale(factor)` needs one number, the same for all axes; got {self.factor!r}. "
                "Use `Ellipse` or `Box` for shapes of unequal axes."
            )
        if not is_symbolic(self.factor):
            object.__setattr__(self, "factor", positive(self.factor, "`scale(factor)`"))
        center = vector(self.center, "`scale(factor, center=)`", self.base.dimension)
        object.__setattr__(self, "center", center)

    def _map(self) -> tuple[float, np.ndarray, np.ndarray]:
        center = np.asarray(self.center, float)
        return float(self.factor), np.eye(self.dimension), (1 - self.factor) * center

    def __repr__(self) -> str:
        center = f", center={self.center!r}" if any(self.center) else ""
        return f"{self._base_text()}.scale({self.factor!r}{center})"


@dataclass(frozen=True, repr=False)
class Mirrored(Similarity):
    """The mirror image in the plane through `point` across `normal`; written `base.mirror(normal)`.

    Parts keep the names they have in `base`.
    """

    base: Shape
    normal: tuple[float, ...]
    point: tuple[float, ...]

    def __post_init__(self) -> None:
        refuse_periodic("`mirror(normal)`", self.base)
        d = self.base.dimension
        normal = vector(self.normal, "`mirror(normal, point=)`", d)
        if not any(normal):
            raise ValueError(f"`mirror(normal, point=)` needs a direction; got normal={normal}.")
        object.__setattr__(self, "normal", normal)
        object.__setattr__(self, "point", vector(self.point, "`mirror(normal, point=)`", d))

    def _map(self) -> tuple[float, np.ndarray, np.ndarray]:
        n = np.asarray(self.normal, float) / np.linalg.norm(self.normal)
        matrix = np.eye(self.dimension) - 2 * np.outer(n, n)
        point = np.asarray(self.point, float)
        return 1.0, matrix, point - matrix @ point

    def __repr__(self) -> str:
        point = f", point={self.point!r}" if any(self.point) else ""
        return f"{self._base_text()}.mirror({self.normal!r}{point})"


@part_distance.register
def _(shape: Similarity, names: tuple[str, ...], points: Any, join: str) -> Any:
    return shape._map()[0] * part_distance(shape.base, names, shape._back(points), join)


@mesh_shape.register
def _(shape: Similarity, size: Any) -> SimplexMesh:
    factor = shape._map()[0]
    if callable(size):
        mesh = mesh_shape(shape.base, lambda points: size(shape._forward(points)) / factor)
    else:
        mesh = mesh_shape(shape.base, size / factor)
    points = shape._forward(mesh.points)
    return SimplexMesh(points, oriented(points, mesh.cells), mesh.facets)

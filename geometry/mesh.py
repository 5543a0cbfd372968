"""Meshes of simplices with named facets."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from geometry.meshing.tets import dihedral_angles
from geometry.simplices import simplex_measures

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class SimplexMesh:
    """Points `(n, d)`, cells `(m, d + 1)` of positive orientation, and `facets`, which gives for
    the name of each part of the boundary the vertices `(k, d)` of its facets."""

    points: np.ndarray
    cells: np.ndarray
    facets: Mapping[str, np.ndarray]

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return self.points.shape[1]

    @functools.cached_property
    def cell_measures(self) -> np.ndarray:
        """Length, area or volume of each cell."""
        edges = self.points[self.cells[:, 1:]] - self.points[self.cells[:, :1]]
        return np.linalg.det(edges) / math.factorial(self.dimension)

    @property
    def measure(self) -> float:
        """Length, area or volume of the mesh."""
        return float(self.cell_measures.sum())

    @functools.cached_property
    def angles(self) -> np.ndarray:
        """The three angles of each triangle, or the six dihedral ones of each tetrahedron, in
        degrees `(m, 3)` or `(m, 6)`."""
        corners = self.points[self.cells]
        if self.dimension == 3:
            return dihedral_angles(corners)
        if self.dimension != 2:
            raise ValueError(
                f"`angles` needs triangles or tetrahedra; got dimension {self.dimension}."
            )
        ahead, behind = (
            np.roll(corners, -1, axis=1) - corners,
            np.roll(corners, 1, axis=1) - corners,
        )
        cosine = np.sum(ahead * behind, axis=-1)
        cosine /= np.linalg.norm(ahead, axis=-1) * np.linalg.norm(behind, axis=-1)
        return np.degrees(np.arccos(np.clip(cosine, -1, 1)))

    def facet_measure(self, name: str) -> float:
        """Length or area of the facets of a part, or their number in one dimension."""
        return float(simplex_measures(self.points[self.facets[name]]).sum())

    def plot(self, ax: Any = None, path: Any = None) -> Figure:
        """Returns a Matplotlib figure of the cells, and of the facets in a color for each part.

        Arguments:
            ax: axes to draw into, 3-D ones for solids.
            path: where to save the picture, if anywhere.
        """
        from geometry.picture import draw_mesh  # Matplotlib is slow to import

        return draw_mesh(self, ax, path)

    def __repr__(self) -> str:
        facets = ", ".join(f"{name}: {len(rows)}" for name, rows in self.facets.items())
        return f"SimplexMesh({len(self.points)} points, {len(self.cells)} cells, facets {facets})"

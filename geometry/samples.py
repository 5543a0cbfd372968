"""Sampled points with quadrature weights, for interiors and boundaries."""

from dataclasses import dataclass
from typing import Any

import jax


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Sample:
    """Points `(n, d)` of a region with weights `(n,)` that sum to its measure."""

    points: Any
    weights: Any


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class BoundarySample:
    """Points `(n, d)` of a boundary, outward unit normals `(n, d)`, weights `(n,)` that sum to the
    measure, and `parts` `(n,)`, the index of each point's part in `shape.parts`."""

    points: Any
    normals: Any
    weights: Any
    parts: Any

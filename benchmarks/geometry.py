"""Time of geometric queries and of meshes: `python -m benchmarks.geometry` writes GEOMETRY.md.

Compiled once before; each figure is the least of several turns, in process time over all
processors and on the clock, in seconds.
"""

import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np

import geometry as g

TURNS = 5
TARGET = Path(__file__).with_name("GEOMETRY.md")


def deep_tree(depth: int = 10) -> g.Shape:
    """A plate to which disks, turned rectangles and ellipses are added and taken away in turn."""
    shape: g.Shape = g.Rectangle((0, 0), (10, 10))
    for i in range(depth):
        x, y = 1 + 0.85 * i, 1 + (3.7 * i) % 8
        shape = (
            shape - g.Disk((x, y), 0.4),
            shape + g.Rectangle((x, y), (x + 1.5, y + 0.7)).rotate(0.3),
            shape - g.Ellipse((x, y), (0.5, 0.3)),
        )[i % 3]
    return shape


def sphere_surface() -> Any:
    """A closed surface of about ten thousand triangles, and how many these are."""
    surface = getattr(g, "SurfaceMesh", None)
    if surface is None:
        return None
    mesh = g.Ball((0, 0, 0), 1).mesh(0.063)
    used, triangles = np.unique(mesh.facets["sphere"], return_inverse=True)
    return surface((mesh.points[used], triangles.reshape(-1, 3))), len(mesh.facets["sphere"])


def tasks() -> dict[str, Callable[[], Any]]:
    rng = np.random.default_rng(0)
    plane, space = rng.uniform(-1, 11, (10**6, 2)), rng.uniform(-1.2, 1.2, (10**5, 3))
    tree = deep_tree()
    bored = g.Box((-1, -1, -1), (1, 1, 1)) - g.Cylinder((-2, 0, 0), (2, 0, 0), 0.5)
    rows: dict[str, Callable[[], Any]] = {
        "contains, 10^6 points, CSG tree of depth 10": lambda: tree.contains(plane),
        "signed distance, 10^6 points, the same tree": lambda: tree.signed_distance(plane),
        "mesh of a disk, size 0.02": lambda: g.Disk((0, 0), 1).mesh(0.02),
        "mesh of a ball, size 0.1": lambda: g.Ball((0, 0, 0), 1).mesh(0.1),
        "mesh of a bored cube, size 0.1": lambda: bored.mesh(0.1),
    }
    found = sphere_surface()
    if found is not None:
        surface, count = found
        rows[f"contains, 10^5 points, surface of {count} triangles"] = lambda: surface.contains(
            space
        )
        rows[f"signed distance, 10^5 points, surface of {count} triangles"] = lambda: (
            surface.signed_distance(space)
        )
    return rows


def timed(task: Callable[[], Any]) -> tuple[float, float]:
    """The least process time and the least time on the clock of several turns."""
    task()
    turns = []
    for _ in range(TURNS):
        clock, process = time.perf_counter(), time.process_time()
        task()
        turns.append((time.process_time() - process, time.perf_counter() - clock))
    return tuple(np.min(turns, axis=0).tolist())


def main() -> None:
    lines = [
        "# Geometry: time of queries and meshes",
        "",
        f"Written by `python -m benchmarks.geometry` on {os.cpu_count()} processors of "
        f"{platform.machine()}, Python {platform.python_version()}, jax {jax.__version__}. "
        + (__doc__ or "").split("\n\n")[1].replace("\n", " ").strip(),
        "",
        "| | process | clock |",
        "|---|---|---|",
    ]
    for name, task in tasks().items():
        process, clock = timed(task)
        lines.append(f"| {name} | {process:.3f} | {clock:.3f} |")
        sys.stdout.write(lines[-1] + "\n")
    TARGET.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

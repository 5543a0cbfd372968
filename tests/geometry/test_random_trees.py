"""Two hundred random CSG trees: names, normals, measures, the divergence theorem."""

import numpy as np
import pytest

from geometry import Annulus, Capsule, Disk, Ellipse, Polygon, Rectangle, RegularPolygon, Sector


def random_leaf(rng):
    center = rng.uniform(-1, 1, 2)
    size = rng.uniform(0.3, 1)
    choices = (
        lambda: Disk(center, size),
        lambda: Rectangle(center - size * rng.uniform(0.3, 1, 2), center + size),
        lambda: Ellipse(center, size * rng.uniform(0.4, 1, 2)).rotate(rng.uniform(0, 3)),
        lambda: RegularPolygon(center, size, int(rng.integers(3, 7)), angle=rng.uniform(0, 1)),
        lambda: Annulus(center, 0.5 * size, size),
        lambda: Sector(center, size, rng.uniform(0, 3), rng.uniform(3.5, 6)),
        lambda: Capsule(center, center + rng.uniform(0.2, 1, 2), 0.4 * size),
        lambda: Polygon(center + size * np.array([(0, 0), (1, -0.4), (0.3, 0.2), (0.4, 1)])),
    )
    return choices[rng.integers(len(choices))]()


def random_tree(rng, depth):
    if depth == 0:
        return random_leaf(rng)
    left, right = random_tree(rng, depth - 1), random_tree(rng, int(rng.integers(depth)))
    for operation in rng.permutation(4):
        try:
            return (left.__add__, left.__sub__, left.__and__, left.__xor__)[operation](right)
        except ValueError:  # empty: try the next operation
            continue
    raise AssertionError("the union of two shapes is never empty")


@pytest.mark.parametrize("group", range(20))
def test_random_trees_lose_no_boundary_and_name_each_point_once(group):
    for seed in range(10 * group, 10 * group + 10):
        rng = np.random.default_rng(seed)
        shape = random_tree(rng, 1 + (seed % 4 == 3) + (seed % 20 == 19))
        center = np.mean(shape.bounds, axis=0)

        # nothing lost: the boundary closes, so that constant fields have no flux, and the area by
        # the divergence theorem is that of counting, off by a fraction of boundary times cell
        gauss = shape.sample_boundary(4000, key=0, sampler="gauss")
        scale = shape.boundary.measure
        assert np.abs(gauss.weights @ gauss.normals).max() < 1e-8 * scale, seed
        lower, upper = shape.bounds
        cells = 60
        u = (np.stack(np.meshgrid(*[np.arange(cells)] * 2), -1).reshape(-1, 2) + 0.5) / cells
        area = shape.contains(lower + (upper - lower) * u).mean() * np.prod(upper - lower)
        cell = np.linalg.norm(upper - lower) / cells
        assert abs(area - shape.measure) < 0.3 * scale * cell + 1e-3 * area, seed
        assert gauss.weights @ np.sum((gauss.points - center) * gauss.normals, axis=-1) / 2 == (
            pytest.approx(shape.measure, rel=1e-6)
        ), seed

        # points found without the faces, by bisection between inside and outside, have one name
        a, b = rng.uniform(lower, upper, (2, 150, 2))
        inside, outside = shape.contains(a), ~shape.contains(b)
        a, b = a[inside & outside], b[inside & outside]
        for _ in range(50):
            middle = (a + b) / 2
            within = (shape.signed_distance(middle) < 0)[:, None]
            a, b = np.where(within, middle, a), np.where(within, b, middle)
        found = (a + b) / 2
        on_parts = sum(shape[name].contains(found).astype(int) for name in shape.parts)
        assert (on_parts == 1).all(), seed

        sample = shape.sample_boundary(100, key=0)
        step = 1e-7 * shape.size
        assert shape.contains(sample.points - step * sample.normals).all(), seed
        assert not shape.contains(sample.points + step * sample.normals).any(), seed

"""Random CSG trees: names, normals, measures, distances, the divergence theorem.

Two hundred trees in the plane and sixty in space; the first few of each in every run, the rest in
the slow one. The oracle of what is inside is the truth table of the operations on the leaves.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.spatial import cKDTree

import geometry as g

OPERATIONS: dict[str, Callable] = {
    "__add__": lambda a, b: a | b,
    "__sub__": lambda a, b: a & ~b,
    "__and__": lambda a, b: a & b,
    "__xor__": lambda a, b: a ^ b,
}


@dataclass
class Tree:
    """A shape and what is inside it, from its leaves alone."""

    shape: g.Shape
    inside: Callable


def leaf(rng, dimension):
    center, size = rng.uniform(-1, 1, dimension), rng.uniform(0.3, 1)
    choices = flat_leaves if dimension == 2 else solid_leaves
    made = choices(rng, center, size)
    shape = made[rng.integers(len(made))]()
    return Tree(shape, lambda points: shape.signed_distance(points) < 0)


def flat_leaves(rng, center, size):
    return (
        lambda: g.Disk(center, size),
        lambda: g.Rectangle(center - size * rng.uniform(0.3, 1, 2), center + size),
        lambda: g.Ellipse(center, size * rng.uniform(0.4, 1, 2)).rotate(rng.uniform(0, 3)),
        lambda: g.RegularPolygon(center, size, int(rng.integers(3, 7)), angle=rng.uniform(0, 1)),
        lambda: g.Annulus(center, 0.5 * size, size),
        lambda: g.Sector(center, size, rng.uniform(0, 3), rng.uniform(3.5, 6)),
        lambda: g.Capsule(center, center + rng.uniform(0.2, 1, 2), 0.4 * size),
        lambda: g.Polygon(center + size * np.array([(0, 0), (1, -0.4), (0.3, 0.2), (0.4, 1)])),
    )


def solid_leaves(rng, center, size):
    axis = rng.normal(size=3)
    axis *= size / np.linalg.norm(axis)
    dart = center[:2] + size * np.array([(0, 0), (1, -0.4), (0.3, 0.2), (0.4, 1)])
    corners = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)])
    return (
        lambda: g.Ball(center, size),
        lambda: g.Box(center - size * rng.uniform(0.3, 1, 3), center + size),
        lambda: g.Box(center - size, center + size * rng.uniform(0.3, 1, 3)).rotate(
            rng.uniform(0, 3), axis=axis
        ),
        lambda: g.Cylinder(center - axis, center + axis, 0.6 * size),
        lambda: g.Cone(center - axis, center + axis, 0.7 * size),
        lambda: g.Torus(center, 0.7 * size, 0.3 * size, axis),
        lambda: g.Ellipsoid(center, size * rng.uniform(0.4, 1, 3)),
        lambda: g.Capsule(center - 0.6 * axis, center + 0.6 * axis, 0.4 * size),
        lambda: g.Tetrahedron(*(center + size * corners * rng.uniform(0.5, 1.2, (4, 1)))),
        lambda: g.Prism(dart.tolist(), center[2] - size, center[2] + size),
    )


def random_tree(rng, dimension, depth):
    if depth == 0:
        return leaf(rng, dimension)
    left = random_tree(rng, dimension, depth - 1)
    right = random_tree(rng, dimension, int(rng.integers(depth)))
    for name in rng.permutation(list(OPERATIONS)):
        try:
            shape = getattr(left.shape, name)(right.shape)
        except ValueError:  # empty: try the next operation
            continue
        return Tree(shape, joined(OPERATIONS[name], left.inside, right.inside))
    raise AssertionError("the union of two shapes is never empty")


def joined(operation, first, second):
    return lambda points: operation(first(points), second(points))


def cases(count, always):
    slow = pytest.mark.slow
    return [pytest.param(seed, marks=() if seed < always else slow) for seed in range(count)]


@pytest.mark.parametrize("seed", cases(200, always=20))
def test_trees_in_the_plane_keep_names_normals_measures_and_distances(seed):
    check(seed, 2, closes=1e-8)  # Gauss points on each piece of a curve


@pytest.mark.parametrize("seed", cases(60, always=8))
def test_trees_in_space_keep_names_normals_measures_and_distances(seed):
    check(seed, 3, closes=1e-2)  # Sobol points on cut surfaces


def check(seed, dimension, closes):
    rng = np.random.default_rng([seed, dimension])
    tree = random_tree(rng, dimension, 1 + (seed % 4 == 3) + (seed % 20 == 19))
    shape = tree.shape
    lower, upper = shape.bounds
    cloud = rng.uniform(lower, upper, (20_000, dimension))
    inside = tree.inside(cloud)

    # the sign of the distance is the truth table of the tree
    distance = shape.signed_distance(cloud)
    np.testing.assert_array_equal(distance < 0, inside)
    clear = np.abs(distance) > 2e-8 * shape.size  # the boundary has the tolerance of `contains`
    np.testing.assert_array_equal(shape.contains(cloud)[clear], inside[clear])

    # the measure is what counting gives, within 4 standard errors of the count
    box, share = np.prod(upper - lower), inside.mean()
    deviation = box * np.sqrt(share * (1 - share) / len(cloud))
    tolerance = 4 * deviation + 3 * shape.measure_error + 1e-12 * box
    assert abs(shape.measure - box * share) < tolerance

    divergence_theorem(shape, rng, closes, cloud[inside], box * share, deviation)
    distances(shape, cloud[:2000], distance[:2000])
    names(shape, rng)

    # a step along a normal leaves the shape
    sample = shape.sample_boundary(200, key=0)
    step = 1e-7 * shape.size
    np.testing.assert_allclose(np.linalg.norm(sample.normals, axis=-1), 1)
    behind = sample.points - 1e-3 * step * sample.normals  # short, because corners may be acute
    assert (shape.signed_distance(behind) < 0).all()
    assert not shape.contains(sample.points + step * sample.normals).any()


def divergence_theorem(shape, rng, closes, interior, volume, deviation):
    """The boundary closes, and the flux of a random field is the integral of its divergence."""
    d = shape.dimension
    sample = shape.sample_boundary(4000, key=0, sampler="gauss" if d == 2 else "sobol")
    constant = np.abs(sample.weights @ sample.normals).max()
    assert constant < closes * shape.boundary.measure
    center = np.mean(shape.bounds, axis=0)
    half = shape.size / 2
    linear, square = rng.normal(size=(d, d)), rng.normal(size=(d, d))

    def field(points):
        x = (points - center) / half
        return x @ linear.T + x**2 @ square.T

    def divergence(points):
        x = (points - center) / half
        return (np.trace(linear) + 2 * x @ np.diag(square)) / half

    density = divergence(interior)
    within = volume * density.mean()
    spread = volume * density.std() / np.sqrt(len(interior)) + abs(density.mean()) * deviation
    through = sample.weights * np.sum(field(sample.points) * sample.normals, axis=-1)
    # Gauss points are exact here; Sobol points do better than random ones, whose error this is
    error = 0 if d == 2 else through.std() * np.sqrt(len(through))
    assert abs(through.sum() - within) < 4 * np.hypot(spread, error)


def distances(shape, points, distance):
    """No longer than to the nearest boundary point, and of unit slope off the medial axis."""
    boundary = cKDTree(shape.sample_boundary(20_000, key=1).points)
    assert (np.abs(distance) <= boundary.query(points)[0] + 1e-9 * shape.size).all()
    step = 1e-6 * shape.size
    slopes = [
        (shape.signed_distance(points + step * e) - shape.signed_distance(points - step * e))
        / (2 * step)
        for e in np.eye(shape.dimension)
    ]
    slope = np.linalg.norm(slopes, axis=0)
    assert slope.max() < 1 + 1e-6
    assert np.mean(np.abs(slope - 1) < 1e-6) > 0.995  # the rest are beside a medial axis


def names(shape, rng):
    """Points found without the faces, by bisection between inside and outside, have one name."""
    lower, upper = shape.bounds
    a, b = rng.uniform(lower, upper, (2, 300, shape.dimension))
    inside, outside = shape.contains(a), ~shape.contains(b)
    a, b = a[inside & outside], b[inside & outside]
    for _ in range(50):
        middle = (a + b) / 2
        within = (shape.signed_distance(middle) < 0)[:, None]
        a, b = np.where(within, middle, a), np.where(within, b, middle)
    found = (a + b) / 2
    on_parts = sum(shape[name].contains(found).astype(int) for name in shape.parts)
    assert (on_parts == 1).all()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:`mesh:UserWarning")  # details smaller than these coarse cells
@pytest.mark.parametrize("seed", range(30))
def test_trees_in_space_have_valid_meshes(seed):
    rng = np.random.default_rng([seed, 3])
    shape = random_tree(rng, 3, 1 + (seed % 4 == 3) + (seed % 20 == 19)).shape
    mesh = shape.mesh(min(shape.size / 18, np.cbrt(shape.measure) / 4))  # boxes may be far too wide
    assert (mesh.cell_measures > 0).all()
    corners = np.array([(1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1)])
    faces = np.sort(mesh.cells[:, corners].reshape(-1, 3), axis=1)
    faces, times = np.unique(faces, axis=0, return_counts=True)
    facets = np.sort(np.concatenate(list(mesh.facets.values())), axis=1)
    assert len(np.unique(facets, axis=0)) == len(facets)
    np.testing.assert_array_equal(np.unique(facets, axis=0), faces[times == 1])
    # chords of tori and cylinders about four cells wide leave up to a tenth of the volume
    assert mesh.measure == pytest.approx(shape.measure, rel=0.1)

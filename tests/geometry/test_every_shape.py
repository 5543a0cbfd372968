"""What holds for every shape: measures, samples, normals, distances, the divergence theorem."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chi2
from sympy import symbols

from geometry import BoundarySample, Part, Sample
from geometry.part import locate


def test_measure_is_exact_or_within_its_stated_error(known):
    measure, _, shape = known
    assert abs(shape.measure - measure) <= 1e-12 * measure + 3 * shape.measure_error


def test_boundary_measure_is_exact_or_within_its_stated_error(known):
    _, boundary, shape = known
    surface_is_cut = any(face.chart.is_cut for face in shape._boundary_faces)
    tolerance = 1e-5 if surface_is_cut and shape.dimension == 3 else 1e-11
    stated = 3 * sum(face.chart.error for face in shape._boundary_faces)
    assert shape.boundary.measure == pytest.approx(boundary, rel=tolerance, abs=stated)


def test_measure_agrees_with_monte_carlo_within_four_standard_errors(shape):
    lower, upper = shape.bounds
    points = np.random.default_rng(0).uniform(lower, upper, (20_000, shape.dimension))
    fraction = shape.contains(points).mean()
    volume = np.prod(upper - lower)
    error = volume * np.sqrt(fraction * (1 - fraction) / len(points))
    assert abs(fraction * volume - shape.measure) <= 4 * error + 1e-9


def test_boundary_samples_are_on_their_parts_with_outward_unit_normals(shape):
    sample = shape.sample_boundary(300, key=5)
    assert isinstance(sample, BoundarySample)
    assert len(sample.points) == (300 if shape.dimension > 1 else len(shape._boundary_faces))
    assert sample.weights.sum() == pytest.approx(shape.boundary.measure)
    np.testing.assert_allclose(np.linalg.norm(sample.normals, axis=-1), 1, atol=1e-12)
    step = 1e-6 * shape.size
    assert not shape.contains(sample.points + step * sample.normals).any()
    assert shape.contains(sample.points - step * sample.normals).all()
    assert np.abs(shape.signed_distance(sample.points)).max() < 1e-9 * shape.size
    for index, name in enumerate(shape.parts):
        mine = sample.parts == index
        assert mine.any()
        assert shape[name].contains(sample.points[mine]).all()


def test_each_boundary_point_belongs_to_exactly_one_part(shape):
    sample = shape.sample_boundary(300, key=6)
    on_parts = np.array([shape[name].contains(sample.points) for name in shape.parts])
    assert (on_parts.sum(axis=0) == 1).all()
    np.testing.assert_array_equal(locate(shape, sample.points), sample.parts)


def test_boundary_samples_follow_the_measure_of_the_parts(shape):
    n = 4096
    counts = np.bincount(shape.sample_boundary(n, key=0).parts, minlength=len(shape.parts))
    for name, count in zip(shape.parts, counts, strict=True):
        if shape.dimension > 1:
            share = n * shape[name].measure / shape.boundary.measure
            pieces = sum(face.name == name for face in shape._boundary_faces)
            assert abs(count - share) <= pieces


def test_boundary_samples_are_uniform_on_each_part(shape):
    """Random points fill cells of a chart made by rotating the axes as much as points of another
    key do (chi-square of two samples, at the 1e-4 level)."""
    if shape.dimension == 1:
        pytest.skip("parts are points")
    for name in shape.parts:
        sobol = shape[name].sample(2048, key=1, sampler="sobol").points
        random = shape[name].sample(2048, key=2, sampler="random").points
        direction = np.random.default_rng(3).normal(size=shape.dimension)
        edges = np.quantile(sobol @ direction, np.linspace(0, 1, 17)[1:-1])
        counts = np.bincount(np.searchsorted(edges, random @ direction), minlength=16)
        expected = np.bincount(np.searchsorted(edges, sobol @ direction), minlength=16)
        statistic = ((counts - expected) ** 2 / (counts + expected)).sum() * 2
        assert statistic < 2 * chi2.ppf(1 - 1e-4, 15)


def test_divergence_theorem_holds_for_random_quadratic_fields(shape):
    """The sampled integrals agree within their errors: 1e-2 for 4096 Sobol points."""
    rng = np.random.default_rng(1)
    d = shape.dimension
    center = np.mean(shape.bounds, axis=0)
    linear, quadratic = rng.normal(size=(d, d)), rng.normal(size=(d, d, d)) / shape.size

    def field(x):
        x = x - center
        return x @ linear.T + np.einsum("ijk,nj,nk->ni", quadratic, x, x)

    def divergence(x):
        x = x - center
        symmetric = np.einsum("iik->k", quadratic) + np.einsum("iji->j", quadratic)
        return np.trace(linear) + x @ symmetric

    inside, around = shape.sample_interior(4096, key=1), shape.sample_boundary(4096, key=1)
    volume = inside.weights @ divergence(inside.points)
    flux = around.weights @ np.sum(field(around.points) * around.normals, axis=-1)
    scale = np.abs(field(around.points)).max() * shape.boundary.measure
    assert abs(volume - flux) < (1e-2 if d < 4 else 5e-2) * scale


def test_gradient_of_signed_distance_is_the_normal(shape):
    sample = shape.sample_boundary(64, key=8)
    step = 1e-5 * shape.size
    ahead, behind = (
        shape.signed_distance(sample.points + sign * step * sample.normals) for sign in (1, -1)
    )
    close = np.isclose((ahead - behind) / (2 * step), 1, atol=1e-4)
    assert close.mean() > 0.98  # not within a step of an edge


def test_signed_distance_never_exceeds_the_distance_to_boundary_points(shape):
    lower, upper = shape.bounds
    margin = 0.2 * (upper - lower)
    points = np.random.default_rng(4).uniform(lower - margin, upper + margin, (200, len(lower)))
    cloud = shape.sample_boundary(2000, key=0).points
    nearest = np.linalg.norm(points[:, None] - cloud, axis=-1).min(axis=1)
    assert (np.abs(shape.signed_distance(points)) <= nearest + 1e-9).all()


def test_lists_numpy_and_jax_arrays_give_the_same_queries(shape):
    points = shape.sample_interior(5, key=0).points
    for query in (shape.contains, shape.signed_distance):
        array = query(points)
        assert isinstance(array, np.ndarray)
        np.testing.assert_array_equal(query(points.tolist()), array)
        traced = query(jnp.asarray(points))
        assert isinstance(traced, jax.Array)
        np.testing.assert_allclose(traced, array, atol=1e-14)
        assert query(points[0]).shape == ()


def test_a_point_that_is_no_number_is_nowhere(shape):
    points = np.vstack([np.full(shape.dimension, np.nan), shape.sample_interior(1, key=0).points])
    assert shape.contains(points).tolist() == [False, True]


def test_the_text_of_a_shape_makes_an_equal_shape(shape):
    import geometry

    again = eval(repr(shape), vars(geometry) | dict(zip("xyz", symbols("x y z"), strict=True)))
    assert again == shape
    assert hash(again) == hash(shape)


def test_distance_to_each_part_is_zero_there_only(shape):
    sample = shape.sample_boundary(200, key=9)
    inside = shape.sample_interior(500, key=10).points
    subsets = [(name,) for name in shape.parts] + [shape.parts]
    for names in subsets:
        part = Part(shape, names)
        on_part = np.isin(sample.parts, [shape.parts.index(name) for name in names])
        distance = part.distance(sample.points)
        assert np.abs(distance[on_part]).max() < 1e-9 * shape.size
        assert (distance[~on_part] > 0).all()
        assert (part.distance(inside) > 0).all()


def test_distance_has_unit_slope_at_its_part(shape):
    sample = shape.sample_boundary(40, key=11)
    for index, name in enumerate(shape.parts):
        points, normals = (a[sample.parts == index] for a in (sample.points, sample.normals))
        step = 1e-7 * shape.size
        slope = shape[name].distance(points - step * normals) / step
        np.testing.assert_allclose(slope, 1, atol=1e-3)


def draws(shape, key, sampler):
    """Samples of the interior, of the boundary and of its last part, with their measures."""
    part = shape[shape.parts[-1]]
    yield shape.sample_interior(48, key=key, sampler=sampler), shape.measure
    yield shape.sample_boundary(48, key=key, sampler=sampler), shape.boundary.measure
    yield part.sample(48, key=key, sampler=sampler), part.measure


@pytest.mark.parametrize("sampler", ["sobol", "random", "halton", "latin", "grid", "poisson"])
def test_every_sampler_draws_true_to_measure(shape, sampler):
    """Inside, with weights that sum to the measure and unit normals; one key gives one set."""
    again = draws(shape, 1, sampler)
    other = draws(shape, 2, sampler)
    for sample, measure in draws(shape, 1, sampler):
        assert sample.points.dtype == np.float64
        is_whole = isinstance(sample, Sample) and sampler != "grid"
        assert sample.points.shape[1:] == (shape.dimension,)
        assert not is_whole or len(sample.points) == 48
        assert shape.contains(sample.points).all()
        assert (sample.weights > 0).all()
        assert sample.weights.sum() == pytest.approx(measure)
        if isinstance(sample, BoundarySample):
            np.testing.assert_allclose(np.linalg.norm(sample.normals, axis=-1), 1, atol=1e-12)
        np.testing.assert_array_equal(next(again)[0].points, sample.points)
        points = next(other)[0].points
        is_fixed = sampler == "grid" or len(points) <= len(shape._boundary_faces)
        assert is_fixed or not np.array_equal(points, sample.points)


def test_a_traced_key_gives_samples_of_known_shape(shape):
    """Traced, not compiled, which would take minutes for all; the slow test runs them."""
    eager = shape.sample_boundary(48, key=0)
    inside, around = jax.eval_shape(lambda key: sampled(shape, key, "sobol"), jax.random.key(0))
    assert inside.points.shape == (48, shape.dimension)
    assert around.points.shape == eager.points.shape


def sampled(shape, key, sampler):
    return tuple(
        sample(48, key=key, sampler=sampler)
        for sample in (shape.sample_interior, shape.sample_boundary)
    )


@pytest.mark.slow
@pytest.mark.parametrize("sampler", ["sobol", "random", "halton", "latin", "grid", "poisson"])
def test_a_compiled_sample_is_the_eager_one(shape, sampler):
    key = jax.random.key(3)
    compiled = jax.jit(lambda key: sampled(shape, key, sampler))(key)
    for found, expected in zip(compiled, sampled(shape, key, sampler), strict=True):
        np.testing.assert_allclose(found.points, expected.points, atol=1e-9 * shape.size)
        np.testing.assert_allclose(found.weights, expected.weights, rtol=1e-9)

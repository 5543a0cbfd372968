"""Smooth distances to parts, for conditions that hold exactly."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from geometry import Ball, Box, Disk, Interval, Rectangle

L = Rectangle((-1, -1), (1, 1)) - Rectangle((0, -1), (1, 0), name="cut")
CASES = {
    "walls and cylinder": (
        (Rectangle((0, 0), (2.2, 0.41)) - Disk((0.2, 0.2), 0.05, name="cylinder")).boundary
    ),
    "faces of a cut": L["cut"],
    "union": (Rectangle((0, 0), (1, 1)) + Disk((1, 0.5), 0.3)).boundary,
    "space-time": Interval(-1, 1).over("t", 0, 1)["left", "right", "initial"],
    "pole through a cube": (
        Box((0, 0, 0), (1, 1, 1)) + Box((0.25, 0.25, -0.5), (0.75, 0.75, 1.5), name="pole")
    )["left", "pole.left"],
}


def test_distances_on_boxes_are_the_polynomials():
    x, y = np.random.default_rng(0).uniform(size=(2, 50))
    points = np.stack([x, y], axis=-1)
    square = Rectangle((0, 0), (1, 1))
    np.testing.assert_allclose(square["left"].distance(points), x)
    np.testing.assert_allclose(square["left", "right"].distance(points), x * (1 - x))
    product = x * (1 - x) * y * (1 - y)
    np.testing.assert_allclose(square.boundary.distance(points), 4 * product)


@pytest.mark.parametrize("part", CASES.values(), ids=CASES)
def test_third_derivatives_exist_inside(part):
    points = jnp.asarray(part.shape.sample_interior(64, key=0).points)
    direction = jnp.ones(points.shape[1])

    def along(x):
        slope = lambda y: jax.jvp(part.distance, (y,), (direction,))[1]  # noqa: E731
        bend = lambda y: jax.jvp(slope, (y,), (direction,))[1]  # noqa: E731
        return jax.jvp(bend, (x,), (direction,))[1]

    assert np.isfinite(jax.jit(jax.vmap(along))(points)).all()


@pytest.mark.parametrize("part", CASES.values(), ids=CASES)
def test_gradient_on_the_part_is_the_inward_normal(part):
    sample = part.sample(50, key=0)
    distance = lambda x: part.distance(x, join="equivalence")  # noqa: E731
    gradient = np.asarray(jax.jit(jax.vmap(jax.grad(distance)))(jnp.asarray(sample.points)))
    np.testing.assert_allclose(gradient, -sample.normals, atol=1e-6)


def test_distance_to_a_face_of_a_cut_does_not_vanish_on_its_extension():
    extension = [[0, 0.5], [0, 0.1], [-0.5, 0]]
    assert (L["cut.left"].distance(extension) > 0.05).all()
    assert (L["cut.top"].distance(extension) > 0.05).all()


def test_distance_to_a_hole_is_smooth_and_exact_outside_it():
    shape = Rectangle((-1, -1), (1, 1)) - Disk((0, 0), 0.5, name="hole")
    np.testing.assert_allclose(shape["hole"].distance([[0.5, 0], [0.8, 0]]), [0, 0.3], atol=1e-15)


def test_distance_to_a_sphere_from_inside_is_smooth_at_the_center():
    ball = Ball((0, 0, 0), 2)
    hessian = jax.hessian(ball.boundary.distance)(jnp.zeros(3))
    np.testing.assert_allclose(hessian, -np.eye(3) / 2, atol=1e-14)

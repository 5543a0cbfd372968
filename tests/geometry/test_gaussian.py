"""Space without walls."""

import numpy as np
import pytest

from geometry import Gaussian


def test_points_have_the_mean_and_the_deviation():
    sample = Gaussian(mean=(1, -2), deviation=(0.5, 3), size=2).sample_interior(4096, key=0)
    np.testing.assert_allclose(sample.points.mean(axis=0), [1, -2], atol=1e-2)
    np.testing.assert_allclose(sample.points.std(axis=0), [0.5, 3], rtol=1e-2)
    assert sample.weights.sum() == pytest.approx(1)


def test_space_has_no_boundary_and_space_time_has_two_instants():
    space = Gaussian(mean=0, deviation=1, size=100)
    assert space.parts == ()
    assert space.contains(np.full((3, 100), 1e3)).all()
    domain = space.over("t", 0, 1)
    assert domain.parts == ("initial", "final")
    assert domain["final"].sample(20, key=0).points.shape == (20, 101)
    assert domain.contains(domain.sample_interior(50, key=0).points).all()
    assert not domain.contains(np.full(101, 2.0))
    np.testing.assert_allclose(domain["final"].distance(np.full(101, 0.25)), 0.75)
    assert repr(space) == "Gaussian(mean=0, deviation=1, size=100)"


def test_a_deviation_of_zero_is_refused():
    with pytest.raises(ValueError, match="needs a deviation above zero; got 0"):
        Gaussian(mean=0, deviation=0, size=3)

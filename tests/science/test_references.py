"""Reference solutions are found by name, with their arrays and what is known about them."""

import numpy as np
import pytest

from science import references


@pytest.mark.parametrize("name", references.names())
def test_every_reference_can_be_read(name):
    reference = references.load(name)
    assert reference.arrays and reference.problem and reference.origin
    assert all(a.dtype.kind in "fcibu" for a in reference.arrays.values())
    assert name in str(reference)


def test_the_cavity_has_the_published_extrema():
    cavity = references.load("cavity_re100")
    assert cavity["u"].shape == (81, 81)
    published = cavity.quantities["published"]["u_min"]
    assert cavity["u_on_x05"].min() == pytest.approx(published, rel=1e-3)  # of 201 points
    assert np.isnan(cavity["p"]).sum() == 2  # the lid's corners


def test_names_that_are_not_there_are_refused_with_the_closest():
    with pytest.raises(ValueError, match=r"'cavity_re10'.*Did you mean 'cavity_re100'\?"):
        references.load("cavity_re10")
    with pytest.raises(KeyError, match="cavity_re100 has x, y"):
        references.load("cavity_re100")["w"]

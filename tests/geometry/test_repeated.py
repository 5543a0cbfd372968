"""Arrays of copies, and channels."""

import functools

import numpy as np
import pytest

from geometry import Box, Channel, Disk, Ellipse, Interval, Rectangle

LATTICES = {
    "square": (Ellipse((0.1, 0), (0.4, 0.2)), (4, 3), ((1, 0), (0, 1))),
    "turned": (Disk((0, 0), 0.5), (3, 3), ((1, 1), (-1, 1))),
    "hexagonal": (Disk((0, 0), 0.4), (3, 4), ((1, 0), (0.5, np.sqrt(3) / 2))),
    "boxes": (Rectangle((0, 0), (1, 2)), (3,), ((1.5, 0),)),
    "cubes": (Box((0, 0, 0), (1, 1, 1)), (2, 2, 2), ((2, 0, 0), (0, 2, 0), (0, 0, 2))),
    "line": (Interval(0, 1), (3,), ((2,),)),
}


@pytest.mark.parametrize(("base", "counts", "offsets"), LATTICES.values(), ids=list(LATTICES))
def test_copies_are_the_union_of_translates(base, counts, offsets):
    shape = base.repeat(counts, offsets)
    steps = np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), -1).reshape(
        -1, len(counts)
    )
    copies = [base.translate(shift) for shift in steps @ np.array(offsets, float)]
    union = functools.reduce(lambda a, b: a + b, copies)
    lower, upper = shape.bounds
    points = np.random.default_rng(0).uniform(lower - 1, upper + 1, (2000, len(lower)))
    np.testing.assert_allclose(
        shape.signed_distance(points), union.signed_distance(points), atol=1e-12
    )
    assert shape.measure == pytest.approx(len(copies) * base.measure)
    assert shape.boundary.measure == pytest.approx(len(copies) * base.boundary.measure)
    assert shape.parts == base.parts
    np.testing.assert_allclose(shape.bounds, union.bounds)


def test_samples_are_spread_over_all_copies_alike():
    pins = Disk((0, 0), 0.3).repeat((3, 2), ((1, 0), (0, 1)))
    points = pins.sample_interior(600, key=0).points
    copies, counts = np.unique(np.round(points), axis=0, return_counts=True)
    assert len(copies) == 6
    assert np.ptp(counts) <= np.log2(600)  # the discrepancy of Sobol points in an interval


def test_a_mesh_of_copies_is_that_of_one_repeated():
    mesh = Disk((0, 0), 0.3).repeat(3, (1, 0)).mesh(0.1)
    one = Disk((0, 0), 0.3).mesh(0.1)
    assert len(mesh.cells) == 3 * len(one.cells)
    assert mesh.measure == pytest.approx(3 * one.measure)
    assert len(mesh.facets["circle"]) == 3 * len(one.facets["circle"])


@pytest.mark.parametrize(
    ("counts", "offsets", "message"),
    [
        (2, (1, 0), r"copies that do not meet; those apart by \(1.0, 0.0\) do"),
        ((2, 2), ((3, 0), (3, 0)), r"those apart by \(0.0, 0.0\) do"),
        (0, (3, 0), "whole counts of one or more; got 0"),
        (2.5, (3, 0), "whole counts of one or more; got 2.5"),
        (2, (0, 0), "offsets of some length"),
        (2, (3,), "needs 2 numbers; got 1"),
        ((2, 2), ((3, 0),), "one offset for each count"),
        (10**6, (3, 0), "at most 10000 copies"),
    ],
)
def test_copies_that_cannot_be_are_refused(counts, offsets, message):
    with pytest.raises(ValueError, match=message):
        Disk((0, 0), 1).repeat(counts, offsets)


def test_copies_are_made_in_space_and_then_taken_over_time():
    with pytest.raises(ValueError, match="after it"):
        Disk((0, 0), 1).over("t", 0, 1).repeat(2, (3, 0, 0))
    assert Disk((0, 0), 1).repeat(2, (3, 0)).over("t", 0, 1).measure == pytest.approx(2 * np.pi)


def test_a_channel_names_what_flows_in_and_out():
    pipe = Channel((0, 0), (2.2, 0.41)) - Disk((0.2, 0.2), 0.05, name="cylinder")
    assert pipe.parts == ("inlet", "outlet", "walls", "cylinder")
    assert pipe["walls"].measure == pytest.approx(4.4)
    duct = Channel((0, 0, 0), (1, 2, 3), along="z")
    assert [duct[name].measure for name in ("inlet", "outlet", "walls")] == [2, 2, 18]
    assert duct["outlet"].sample(4, key=0).points[:, 2].tolist() == [3] * 4
    mesh = duct.mesh(1)
    assert {name: len(f) for name, f in mesh.facets.items()} == {
        "inlet": 4, "outlet": 4, "walls": 36,
    }  # fmt: skip
    distance = duct["walls"].distance(duct.sample_interior(100, key=0).points)
    assert (distance > 0).all()

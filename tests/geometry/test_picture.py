"""Pictures of shapes and meshes: every part has its name and color, whatever the dimension."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import geometry as g

from .conftest import SHAPES

DRAWN = {name: shape for name, (_, _, shape) in SHAPES.items() if shape.dimension <= 3}
DRAWN |= {
    "regions": g.Regions(
        core=g.Disk((0, 0), 0.5, name="core"),
        shell=g.Disk((0, 0), 1, name="rim") - g.Disk((0, 0), 0.5),
    ),
    "periodic": g.Rectangle((0, 0), (2, 1)).periodic("x"),
    "periodic over time": g.Rectangle((0, 0), (2, 1)).periodic("x").over("t", 0, 1),
}
ALWAYS = ("interval", "channel", "regions", "interval over time", "cylinder", "periodic over time")


def names_in(figure):
    (ax,) = figure.axes
    return {text.get_text() for text in ax.get_legend().get_texts()}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in ALWAYS else pytest.mark.slow) for name in DRAWN],
)
def test_the_legend_names_each_part_and_something_is_drawn(name, tmp_path):
    shape = DRAWN[name]
    figure = shape.plot(path=tmp_path / "shape.png")
    assert isinstance(figure, Figure)
    assert names_in(figure) >= {*shape.parts, *shape.interfaces}
    assert (tmp_path / "shape.png").stat().st_size > 5000


def test_meshes_are_drawn_with_their_parts():
    for shape, size in (
        (g.Interval(0, 1), 0.1),
        (g.Disk((0, 0), 1, name="rim"), 0.3),
        (g.Box((0, 0, 0), (1, 1, 1)), 0.5),
    ):
        assert names_in(shape.mesh(size).plot()) == set(shape.parts)


def test_pictures_go_into_given_axes_of_the_right_kind():
    figure = Figure()
    flat, solid = figure.add_subplot(121), figure.add_subplot(122, projection="3d")
    assert g.Disk((0, 0), 1).plot(flat) is figure
    assert len(flat.collections) > 0
    with pytest.raises(ValueError, match="`ax` needs flat axes for 2 dimensions"):
        g.Disk((0, 0), 1).plot(solid)
    with pytest.raises(ValueError, match="`ax` needs 3-D axes"):
        g.Ball((0, 0, 0), 1).plot(flat)
    with pytest.raises(ValueError, match="draws up to three dimensions; got 4"):
        g.Box([0] * 4, [1] * 4).plot()


def test_normals_point_out_of_the_shape():
    figure = g.Disk((0, 0), 1).plot()
    (arrows,) = [c for c in figure.axes[0].collections if type(c).__name__ == "Quiver"]
    start = np.asarray(arrows.get_offsets())
    assert (np.sum(start * np.stack([arrows.U, arrows.V], -1), -1) > 0).all()

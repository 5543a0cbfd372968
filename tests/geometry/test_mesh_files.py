"""Every mesh file of the kinds that people have: read, mended with a warning, or refused."""

import re
import struct
import warnings
from pathlib import Path

import meshio
import numpy as np
import pytest

from geometry import Box, Mesh, MeshFileError, PlaneMesh, Rectangle, SurfaceMesh, VolumeMesh
from geometry.meshes.files import kind_of

DATA = Path(__file__).parent / "data"
BOX = ("left", "right", "bottom", "top", "back", "front")
PLATE = {"left", "right", "top", "bottom", "hole"}
RECTANGLE = ("left", "right", "bottom", "top")
SPHERE = 4.047044679978849  # volume of the icosphere of 320 triangles, as it was made
PLATE_AREA = 4 - 4.5 * 0.25**2 * np.sin(2 * np.pi / 9)  # the hole is a polygon of nine edges
# single precision in the file, or eight digits
SINGLE = 1e-7


def read(name, **options):
    """The shape in a file, and what its warnings say."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        shape = Mesh(DATA / name, **options)
    return shape, "; ".join(str(w.message) for w in caught)


GOOD = [
    ("plate_hole_v22_ascii.msh", PlaneMesh, PLATE, PLATE_AREA, ""),
    ("plate_hole_v22_bin.msh", PlaneMesh, PLATE, PLATE_AREA, ""),
    ("plate_hole_v41_ascii.msh", PlaneMesh, PLATE, PLATE_AREA, ""),
    ("plate_hole_v41_bin.msh", PlaneMesh, PLATE, PLATE_AREA, ""),
    (
        "plate_hole_order2.msh",
        PlaneMesh,
        PLATE,
        PLATE_AREA,
        "middle nodes of .*triangle6.* dropped",
    ),
    ("plate_no_groups.msh", PlaneMesh, {*RECTANGLE, "edge1"}, PLATE_AREA, r"no part .* has a name"),
    ("box_cyl_v41.msh", VolumeMesh, {"xmin", "xmax", "other"}, 0.8837659818904748, ""),
    ("field.vtu", PlaneMesh, set(RECTANGLE), 2.0, "no part of the boundary has a name"),
    ("field_legacy.vtk", PlaneMesh, set(RECTANGLE), 2.0, "no part of the boundary has a name"),
    ("field_legacy_ascii.vtk", PlaneMesh, set(RECTANGLE), 2.0, "no part of the boundary"),
    ("field.xdmf", PlaneMesh, set(RECTANGLE), 2.0, "no part of the boundary has a name"),
    ("part.inp", PlaneMesh, set(RECTANGLE), 2.0, "no part of the boundary has a name"),
    ("part.bdf", PlaneMesh, set(RECTANGLE), 2.0, "no part of the boundary has a name"),
    ("quad_mixed.vtu", PlaneMesh, None, 1.5, "24 cells of type 'quad' were cut into triangles"),
    ("box_ascii.stl", SurfaceMesh, set(BOX), 1.0, ""),
    ("box_bin.stl", SurfaceMesh, set(BOX), 1.0, ""),
    ("solid_word_binary.stl", SurfaceMesh, {"surface"}, SPHERE, ""),
    ("sphere.obj", SurfaceMesh, {"surface"}, SPHERE, ""),
    ("sphere_ascii.ply", SurfaceMesh, {"surface"}, SPHERE, ""),
    ("sphere_bin.ply", SurfaceMesh, {"surface"}, SPHERE, ""),
    ("bad_flipped_some.stl", SurfaceMesh, set(BOX), 1.0, "27 triangles turned to agree"),
    (
        "bad_flipped_all.stl",
        SurfaceMesh,
        set(BOX),
        1.0,
        "1 closed piece .*negative volume.* turned",
    ),
    ("bad_normals_lie.stl", SurfaceMesh, set(BOX), 1.0, "54 stored normals contradict .* trusted"),
    ("bad_duplicate_faces.stl", SurfaceMesh, set(BOX), 1.0, "10 duplicate triangles dropped"),
    ("bad_degenerate.stl", SurfaceMesh, set(BOX), 1.0, "2 triangles without area dropped"),
    (
        "bad_inverted_cells.vtu",
        PlaneMesh,
        None,
        31 / 32,
        r"1 cell \(5\) without .* 1 cell \(3\) ins",
    ),
]


@pytest.mark.parametrize("name, kind, parts, measure, warning", GOOD, ids=[g[0] for g in GOOD])
def test_a_file_is_read_with_its_parts_and_measure_and_says_what_was_mended(
    name, kind, parts, measure, warning
):
    shape, said = read(name)
    assert type(shape) is kind
    assert parts is None or set(shape.parts) == parts
    assert shape.measure == pytest.approx(measure, rel=SINGLE)
    assert re.search(warning, said) if warning else not said
    # no boundary is lost: the closed surface has no net area, and the normals are unit and finite
    sample = shape.sample_boundary(400, key=0)
    assert np.linalg.norm(sample.normals, axis=-1) == pytest.approx(1)
    assert (
        not shape.contains(sample.points + 1e-5 * shape.size * sample.normals).any()
        or parts is None
    )
    assert shape.contains(shape.sample_interior(200, key=0).points).all()


BAD = [
    ("bad_truncated.stl", "108 triangles, which are 5484 bytes, and the file has 5407"),
    ("bad_wrong_count.stl", "1108 triangles, which are 55484 bytes, and the file has 5484"),
    ("bad_empty.stl", "the file is empty"),
    ("bad_msh_truncated.msh", r"section \$Elements that starts in line \d+ does not end"),
    ("bad_nan_vertex.vtu", r"vertex 7 has the coordinates \[nan"),
    ("bad_index_range.vtu", "cell 2 refers to vertex 999, and there are 25"),
    ("box_cyl_v41.step", r"CAD model \(STEP\), which is not supported: export it as STL .* MSH"),
]


@pytest.mark.parametrize("name, message", BAD, ids=[b[0] for b in BAD])
def test_a_file_that_cannot_be_used_is_refused_with_name_place_and_remedy(name, message):
    with pytest.raises(MeshFileError, match=message) as refusal:
        Mesh(DATA / name)
    assert name in str(refusal.value)


def test_all_mesh_files_of_the_folder_are_in_a_table():
    listed = {row[0] for row in (*GOOD, *BAD)} | {"bad_not_watertight.stl"}
    assert {p.name for p in DATA.iterdir() if p.suffix != ".csv"} == listed


def test_a_surface_with_holes_tells_inside_and_refuses_a_volume():
    shape, said = read("bad_not_watertight.stl")
    assert "not watertight, 7 open edges" in said
    with pytest.raises(ValueError, match="7 open edges.*repair=True"):
        shape.sample_interior(10, key=0)
    points = np.random.default_rng(0).uniform((-0.2, -0.2, -0.2), (2.2, 1.2, 0.7), (4000, 3))
    box = Box((0, 0, 0), (2, 1, 0.5))
    clear = np.abs(box.signed_distance(points)) > 0.05  # the holes are 0.2 to 0.7 wide
    assert (shape.contains(points) == box.contains(points))[clear].all()


def test_holes_are_closed_on_request_by_the_triangles_that_were_missing():
    shape, said = read("bad_not_watertight.stl", repair=True)
    assert "2 holes closed by 3 triangles" in said
    assert shape.is_watertight
    assert shape.boundary.measure == pytest.approx(7, rel=1e-8)  # eight digits in the file
    assert shape.measure == pytest.approx(1, rel=1e-8)


def test_the_four_versions_of_the_gmsh_format_hold_one_mesh():
    names = ["v22_ascii", "v22_bin", "v41_ascii", "v41_bin"]
    meshes = [read(f"plate_hole_{name}.msh")[0].mesh() for name in names]
    for mesh in meshes:
        assert len(mesh.points) == 198
        assert {k: len(v) for k, v in mesh.facets.items()} == {
            "hole": 9, "bottom": 12, "left": 12, "right": 12, "top": 12,
        }  # fmt: skip
        assert np.sort(mesh.points, axis=0) == pytest.approx(np.sort(meshes[0].points, axis=0))


# Files made here


def stl(path, corners, name="body"):
    lines = [f"solid {name}"]
    for triangle in corners:
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += [f"vertex {x!r} {y!r} {z!r}" for x, y, z in np.asarray(triangle, float).tolist()]
        lines += ["endloop", "endfacet"]
    path.write_text("\n".join([*lines, f"endsolid {name}"]) + "\n")
    return path


def cube_corners():
    mesh = Box((0, 0, 0), (1, 1, 1)).mesh(1)
    solid = VolumeMesh(mesh)
    return solid._boundary.corners


def test_a_cut_ascii_stl_tells_the_line(tmp_path):
    path = stl(tmp_path / "cut.stl", cube_corners())
    text = path.read_text()
    path.write_text(text[: len(text) // 2])
    with pytest.raises(
        MeshFileError, match=r"cut.stl', line \d+: .*(cut short|numbers|coordinates)"
    ):
        SurfaceMesh(path)
    path.write_text(text.rsplit("endsolid", 1)[0])
    with pytest.raises(MeshFileError, match="ends before `endsolid`"):
        SurfaceMesh(path)


def test_content_counts_more_than_the_suffix(tmp_path):
    wrong = tmp_path / "part.obj"
    wrong.write_bytes((DATA / "box_bin.stl").read_bytes())
    assert kind_of(wrong) == "stl"
    assert Mesh(wrong).measure == pytest.approx(1)
    wrong = tmp_path / "plate.stl"
    wrong.write_bytes((DATA / "plate_hole_v22_bin.msh").read_bytes())
    assert set(Mesh(wrong).parts) == PLATE


def test_paths_that_are_no_files_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file"):
        Mesh(tmp_path / "nothing.stl")
    with pytest.raises(MeshFileError, match="is a folder"):
        Mesh(tmp_path)
    (tmp_path / "noise.bin").write_bytes(bytes(range(256)) * 4)
    with pytest.raises(MeshFileError, match="no mesh file that is known"):
        Mesh(tmp_path / "noise.bin")
    (tmp_path / "noise.stl").write_bytes(bytes(range(256)) * 4)
    with pytest.raises(MeshFileError, match="noise.stl"):
        Mesh(tmp_path / "noise.stl")
    with pytest.raises(TypeError, match="Arrays go to"):
        Mesh(cube_corners())


def test_a_lying_count_costs_no_memory(tmp_path):
    header = b"ply\nformat binary_little_endian 1.0\nelement vertex 2000000000\n"
    header += b"property float x\nproperty float y\nproperty float z\n"
    header += b"element face 2000000000\nproperty list uchar int vertex_indices\nend_header\n"
    (tmp_path / "lie.ply").write_bytes(header + struct.pack("<9f", *range(9)))
    with pytest.raises(MeshFileError, match="2000000000 rows, more than the file holds"):
        SurfaceMesh(tmp_path / "lie.ply")
    (tmp_path / "lie.off").write_text("OFF\n1000000000 1000000000 0\n0 0 0\n")
    with pytest.raises(MeshFileError, match="1000000000 vertices"):
        SurfaceMesh(tmp_path / "lie.off")


def test_groups_of_obj_and_solids_of_stl_are_parts(tmp_path):
    corners = cube_corners()
    lower = corners[:, :, 2].max(axis=1) == 0
    first, second = stl(tmp_path / "a.stl", corners[lower], "floor"), tmp_path / "b.stl"
    text = first.read_text() + stl(second, corners[~lower], "walls").read_text()
    first.write_text(text)
    assert SurfaceMesh(first).parts == ("floor", "walls")
    assert SurfaceMesh(first)["floor"].measure == pytest.approx(1)
    lines = [f"v {x} {y} {z}" for x, y, z in corners.reshape(-1, 3).tolist()]
    for i in range(len(corners)):
        lines += [
            f"g {'floor' if lower[i] else 'walls'}",
            f"f {3 * i + 1}//1 {3 * i + 2}//1 {3 * i + 3}//1",
        ]
    (tmp_path / "c.obj").write_text("\n".join(lines))
    assert set(SurfaceMesh(tmp_path / "c.obj").parts) == {"floor", "walls"}
    assert SurfaceMesh(tmp_path / "c.obj")["walls"].measure == pytest.approx(5)


def test_polygons_of_off_become_triangles(tmp_path):
    (tmp_path / "cube.off").write_text(
        "OFF\n8 6 12\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n"
        "4 0 3 2 1\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n"
    )
    cube = SurfaceMesh(tmp_path / "cube.off")
    assert (cube.parts, cube.measure) == (BOX, pytest.approx(1))


def hexahedra(n):
    """A unit cube of n^3 hexahedra, its points in random order."""
    ticks = np.linspace(0, 1, n + 1)
    points = np.stack(np.meshgrid(ticks, ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 3)
    index = np.arange(len(points)).reshape((n + 1,) * 3)
    corner = index[:-1, :-1, :-1].ravel()
    step = [(n + 1) ** 2, n + 1, 1]
    offsets = [0, step[0], step[0] + step[1], step[1]]
    cells = corner[:, None] + np.array(offsets + [o + step[2] for o in offsets])
    order = np.random.default_rng(0).permutation(len(points))
    place = np.argsort(order)
    return points[order], place[cells]


@pytest.mark.parametrize("suffix", ["vtu", "vtk", "msh", "med", "inp"])
def test_hexahedra_are_cut_into_tetrahedra_face_to_face(tmp_path, suffix):
    points, cells = hexahedra(2)
    path = tmp_path / f"cube.{suffix}"
    options = {"file_format": "gmsh"} if suffix == "msh" else {}
    meshio.write(path, meshio.Mesh(points, [("hexahedron", cells)]), **options)
    with pytest.warns(UserWarning, match="8 cells of type 'hexahedron' were cut into tetrahedra"):
        cube = Mesh(path)
    # were faces cut differently by neighbors, facets inside would count as boundary
    assert (cube.measure, cube.boundary.measure) == (pytest.approx(1), pytest.approx(6))
    assert cube.parts == BOX


def test_prisms_and_pyramids_are_cut_too(tmp_path):
    points = np.array(
        [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0.5, 1), (1, 0, 1), (1, 1, 1)]
    )
    wedge, pyramid = [[0, 1, 5, 3, 2, 6]], [[0, 1, 2, 3, 4]]
    for kind, cells, volume in (("wedge", wedge, 0.5), ("pyramid", pyramid, 1 / 3)):
        path = tmp_path / f"{kind}.vtu"
        meshio.write(path, meshio.Mesh(points, [(kind, np.array(cells))]))
        with pytest.warns(UserWarning, match=f"1 cells? of type '{kind}'"):
            assert Mesh(path).measure == pytest.approx(volume)


def test_sets_of_abaqus_and_tags_of_med_are_regions(tmp_path):
    mesh = Rectangle((0, 0), (2, 1)).mesh(0.5)
    left = mesh.points[mesh.cells].mean(axis=1)[:, 0] < 1
    sets = {"soft": [np.flatnonzero(left)], "hard": [np.flatnonzero(~left)]}
    flat = np.concatenate([mesh.points, np.zeros((len(mesh.points), 1))], axis=1)
    path = tmp_path / "two.inp"
    meshio.write(path, meshio.Mesh(flat, [("triangle", mesh.cells)], cell_sets=sets))
    with pytest.warns(UserWarning, match="no part of the boundary"):
        plate = Mesh(path)
    assert {k: v.measure for k, v in plate.regions.items()} == {
        "soft": pytest.approx(1), "hard": pytest.approx(1),
    }  # fmt: skip
    assert plate.interface("soft", "hard").measure == pytest.approx(1)


def test_meshes_of_another_kind_say_which_one_to_use():
    with pytest.raises(MeshFileError, match="with tetrahedra: read it by `VolumeMesh`"):
        SurfaceMesh(DATA / "box_cyl_v41.msh")
    with pytest.raises(MeshFileError, match="holds triangles, not tetrahedra: use `PlaneMesh`"):
        VolumeMesh(DATA / "box_bin.stl")
    with pytest.raises(MeshFileError, match="do not lie in a plane"):
        PlaneMesh(DATA / "box_bin.stl")
    with pytest.raises(MeshFileError, match="no cell data 'material'; there are: region"):
        PlaneMesh(DATA / "field.vtu", regions_from="material")

"""The front door: what is in it, how fast it opens, and that nobody stands in it."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import equations.laws
import geometry
import science

ROOT = Path(__file__).parents[2]


def python(code, **options):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, **options)


def test_every_listed_name_exists_and_completion_knows_it():
    assert [name for name in science.__all__ if not hasattr(science, name)] == []
    assert dir(science) == sorted(science.__all__)
    with pytest.raises(AttributeError, match="'science' has no attribute 'nonsense'"):
        science.nonsense  # noqa: B018


def test_all_laws_and_all_shapes_that_people_make_are_in_it():
    laws = {n for n, v in vars(equations.laws).items() if hasattr(v, "equations")}
    made_by_methods = {  # of shapes, as `a + b`, `shape.over(...)`, `shape["left"]`
        *("Union", "Difference", "Intersection", "SymmetricDifference", "SpaceTime", "Periodic"),
        *("Translated", "Rotated", "Scaled", "Mirrored", "Extruded", "Revolved", "Part"),
        *("Repeated", "Family", "WireInTime", "Sample", "BoundarySample", "SimplexMesh"),
        "choose",  # for those who write methods
    }
    laws.discard("Law")
    missing = (laws | set(geometry.__all__) - made_by_methods) - set(science.__all__)
    assert missing == set()


def test_its_pieces_are_those_of_the_packages():
    import sympy

    import solvers

    assert science.Eq is equations.Eq and science.Disk is geometry.Disk
    assert science.PINN is solvers.PINN and science.sin is sympy.sin


def test_pictures_mesh_files_and_progress_bars_are_loaded_where_they_are_needed():
    code = (
        "import science.namespace, sys; print({'matplotlib', 'meshio', 'rich'} & set(sys.modules))"
    )
    assert python(code, cwd=ROOT).stdout.strip() == "set()"


def test_the_command_line_answers_without_loading_jax():
    code = (
        "import sys, science.cli\n"
        "try: science.cli.main(['--help'])\n"
        "except SystemExit: print({'jax', 'sympy'} & set(sys.modules))"
    )
    assert python(code, cwd=ROOT).stdout.splitlines()[-1] == "set()"


def test_a_file_that_stands_in_for_a_package_is_named(tmp_path):
    (tmp_path / "geometry.py").write_text("shapes = []\n")
    run = python("import science", cwd=tmp_path, env={"PYTHONPATH": f"{tmp_path}:{ROOT}"})
    last = run.stderr.splitlines()[-1]
    assert last.startswith(f"ImportError: `import geometry` finds {tmp_path / 'geometry.py'}")
    assert "rename yours" in last


def test_star_import_gives_the_names():
    names: dict = {}
    exec("from science import *", names)
    assert set(science.__all__) <= set(names)
    assert importlib.import_module("science.references") is science.references

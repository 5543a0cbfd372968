"""The command: what it prints, and what bad input gets: a sentence and exit status 2."""

import json
import textwrap

import meshio
import pytest

from science import catalogue, scripts
from science.cli import main

SCRIPT = """
    '''A rod that is heated evenly.'''
    import numpy as np
    from science import Eq, FiniteElements, Interval, Poisson, Problem, coordinates, solve

    x = coordinates("x")
    law = Poisson(x, source=1)
    problem = Problem(Interval(0, 1), law, {("left", "right"): Eq(law.unknown, 0)}, name="rod")
    solution = solve(problem, FiniteElements(size=0.1), progress=False)
    middle = solution(law.unknown, [0.5])[0]
    error = abs(middle - 0.125) / 0.125
    quantities = {"largest u": (middle, 0.125), "cells": 10}
"""


@pytest.fixture
def rod(tmp_path, monkeypatch):
    """A script, in the folder where the command runs."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "rod.py"
    path.write_text(textwrap.dedent(SCRIPT))
    return path


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two finished runs of that script, with cells of different size."""
    folder = tmp_path_factory.mktemp("work")
    path = folder / "rod.py"
    path.write_text(textwrap.dedent(SCRIPT))
    fine, coarse = str(folder / "fine"), str(folder / "coarse")
    assert main(["solve", str(path), "--folder", fine]) == 0
    assert main(["solve", str(path), "--folder", coarse, "--set", "method.size=0.25"]) == 0
    return fine, coarse


def test_solve_runs_the_script_once_into_a_folder_of_its_name(rod, capsys):
    assert main(["solve", "rod.py"]) == 0
    paragraph = " ".join(capsys.readouterr().out.split())
    assert paragraph.startswith("rod: FiniteElements: solved. Estimated relative error ")
    assert "Relative error against the reference" in paragraph
    assert "Largest u: 0.125 (reference 0.125); cells: 10." in paragraph
    assert paragraph.endswith("Report, pictures and solution are in runs/rod.")
    assert (rod.parent / "runs" / "rod" / "solution.npz").exists()


def test_settings_and_folder_come_from_the_command_line(runs):
    with open(f"{runs[1]}/configuration.json") as file:
        assert "size=0.25" in json.load(file)["method"]


def test_a_script_that_only_states_a_problem_is_solved(rod, capsys):
    lines = [line for line in rod.read_text().splitlines() if "solution" not in line]
    rod.write_text("\n".join(line for line in lines if "middle" not in line))
    assert main(["solve", "rod.py", "--folder", "out", "--quiet"]) == 0
    assert "are in out." in " ".join(capsys.readouterr().out.split())


def test_check_prints_statement_and_findings_and_does_not_solve(rod, capsys, monkeypatch):
    monkeypatch.setattr(scripts, "run", None)
    assert main(["check", "rod.py"]) == 0
    assert "Problem rod" in capsys.readouterr().out
    rod.write_text(rod.read_text().replace('"right"', '"rihgt"'))
    assert main(["check", "rod.py"]) == 1
    assert "Did you mean 'right'?" in capsys.readouterr().out


def test_list_names_the_catalogue_with_its_titles(capsys):
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(catalogue.entries())
    assert any(line.startswith("cavity ") and "Re = 100" in line for line in lines)


def test_plot_writes_a_picture_and_prints_where(runs, tmp_path, capsys):
    picture = tmp_path / "slope.png"
    assert main(["plot", runs[0], "diff(u, x)", "--output", str(picture)]) == 0
    assert capsys.readouterr().out.strip() == str(picture)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_compare_prints_the_difference(runs, capsys):
    assert main(["compare", *runs]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["relative", "L2", "largest"]


def test_export_writes_expressions_under_the_names_given(runs, tmp_path):
    out = tmp_path / "rod.vtu"
    assert main(["export", runs[0], str(out), "u", "diff(u, x)"]) == 0
    assert set(meshio.read(out).point_data) == {"u", "diff(u, x)"}


def test_export_of_a_program_says_where_it_has_none_to_write(runs, tmp_path, capsys):
    assert main(["export", runs[0], str(tmp_path / "rod.export")]) == 2
    assert "save values as .vtu or .csv" in capsys.readouterr().err
    assert not (tmp_path / "rod.export").exists()


REFUSED = {
    "an unknown name": (["solve", "cavty"], "no solved problem is called 'cavty'. Did you mean"),
    "a missing file": (["check", "no/such.py"], "there is no file 'no/such.py'"),
    "a missing run": (["plot", "runs/none"], "no file 'runs/none'"),
    "a folder that is no run": (["export", ".", "x.vtu"], "no run folder"),
    "an unknown setting": (
        ["solve", "rod.py", "--set", "method.sze=1"],
        "FiniteElements has size,",
    ),
    "a setting below nothing": (["solve", "rod.py", "--set", "method.size.x=1"], "no settings"),
    "a setting of another kind": (["solve", "rod.py", "--set", "method.size=a"], "needs float"),
    "a setting without value": (["solve", "rod.py", "--set", "method.size"], "method.width=64"),
    "a setting of nothing": (["solve", "rod.py", "--set", "size=1"], "are those of the method"),
    "a value that the method refuses": (
        ["solve", "rod.py", "--set", "method.degree=7"],
        "`degree` must be 1 or 2",
    ),
    "a budget of nothing": (["solve", "rod.py", "--budget", "3 parsecs"], "'3 min'"),
    "a script with a slip": (["solve", "slip.py"], "slip.py, line 2: `Rectangle(lower, upper)`"),
    "a script that is no Python": (["check", "broken.py"], "broken.py, line 1"),
    "a file that is no script": (["check", "/etc/hostname"], "must end in .py"),
    "a script without problem": (["solve", "empty.py"], "defines `problem"),
}


@pytest.mark.parametrize("arguments, message", REFUSED.values(), ids=REFUSED)
def test_bad_input_gets_a_sentence_and_status_2(arguments, message, rod, capsys):
    slip = "from science import Rectangle\nRectangle((0, 1), (1, 1))\n"
    for name, text in (("slip", slip), ("broken", "problem = (\n"), ("empty", "")):
        (rod.parent / f"{name}.py").write_text(text)
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert message in told and "Traceback" not in told
    assert not (rod.parent / "runs").exists()


def test_expressions_and_cuts_that_mean_nothing_are_refused(runs, capsys):
    assert main(["plot", runs[0], "w"]) == 2
    assert "there is no name 'w'" in capsys.readouterr().err
    assert main(["plot", runs[0], "u", "--at", "y=1"]) == 2
    assert "`at` has 'y'; the problem has x" in capsys.readouterr().err
    assert main(["plot", runs[0], "u", "--at", "x=left"]) == 2
    assert "write it as t=0.5" in capsys.readouterr().err


def test_what_cannot_be_drawn_is_refused_in_words(runs, tmp_path, capsys):
    for text in ("sin(u, u)", "sin()", "u/0", "9**9**9**9"):
        assert main(["plot", runs[0], text]) == 2
    assert "out of range" in capsys.readouterr().err
    assert main(["plot", runs[0], "u", "--output", str(tmp_path / "a.xyz")]) == 2
    assert "pictures end in ." in capsys.readouterr().err
    assert not (tmp_path / "a.xyz").exists()


@pytest.mark.filterwarnings("ignore:the expression is not finite")
def test_comparing_what_is_not_a_number_fails(runs, capsys):
    assert main(["compare", *runs, "log(u - 1)"]) == 1
    assert "not a number" in capsys.readouterr().err


def test_the_scripts_own_mistakes_keep_their_traceback(rod):
    rod.write_text("raise ValueError('mine')\n")
    with pytest.raises(ValueError, match="mine"):
        main(["solve", "rod.py"])


def test_an_interrupt_says_how_to_go_on(rod, capsys):
    rod.write_text("raise KeyboardInterrupt\n")
    assert main(["solve", "rod.py"]) == 130
    assert "goes on from the last checkpoint" in capsys.readouterr().err


def test_an_installed_wheel_finds_the_examples_in_the_package(tmp_path, monkeypatch):
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "rod.py").write_text("'''A rod.'''\n")
    (tmp_path / "examples" / "_helper.py").write_text("")
    monkeypatch.setattr(catalogue, "_HERE", tmp_path)
    assert list(catalogue.entries()) == ["rod"]
    assert catalogue.title(catalogue.find("rod")) == "A rod."

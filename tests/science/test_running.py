"""`solve` with a run folder: what it leaves, and how it goes on after a kill."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

import science as sci
from equations import StatementError
from science import folder as folders
from science.folder import RunFolder
from solvers import Progress
from tests.exact import solution_of

pytestmark = pytest.mark.filterwarnings("ignore:solution.npz was not written")  # of a fake

ROOT = Path(__file__).parents[2]
x = sci.coordinates("x")
law = sci.Poisson(x, source=1)
u = law.unknown
rod = sci.Problem(
    sci.Interval(0, 1), law, {("left", "right"): sci.Eq(u, 0)}, name="rod"
)  # u = x (1 - x) / 2
ELEMENTS = sci.FiniteElements(size=0.1)


def log(folder):
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


@dataclass(frozen=True)
class Counting:
    """A method that counts and does what the test says at each step."""

    steps: int = 5
    act: object = field(default=None, compare=False)

    def reasons_against(self, problem):
        return ("it counts down only.",) if self.steps < 0 else ()

    def solve(self, problem, *, key, target, monitor):
        state = monitor.restore(None) or {"step": np.array(0), "sum": np.array(0.0)}
        for step in range(int(state["step"]) + 1, self.steps + 1):
            state = {"step": np.array(step), "sum": state["sum"] + 1 / step}
            monitor.report(Progress("count", step, 1 / step, step / 10, step / self.steps))
            monitor.checkpoint(state)
            if self.act is not None:
                self.act(step)
        scale = float(state["sum"])
        return solution_of(problem, {u: lambda p: scale * p[0]}, state=state)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run of finite elements."""
    folder = tmp_path_factory.mktemp("runs") / "rod"
    return folder, sci.solve(rod, ELEMENTS, folder=folder, progress=False)


def test_a_run_leaves_everything_behind(finished):
    folder, _ = finished
    names = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    assert names >= {
        *("configuration.json", "solution.npz", "solution.vtu", "report.md", "report.html"),
        *("pictures/u.png",),
    }
    assert not [name for name in names if "tmp" in name]
    told = json.loads((folder / "configuration.json").read_text())
    assert told["statement"] == str(rod) and told["method"] == repr(ELEMENTS)
    assert told["finished"] and set(told["versions"]) >= {"python", "jax", "numpy", "sympy"}
    assert "![u](pictures/u.png)" in (folder / "report.md").read_text()


def test_a_finished_run_is_not_computed_again(finished, capsys):
    folder, solution = finished
    before = (folder / "solution.npz").stat().st_mtime_ns
    again = sci.solve(rod, ELEMENTS, folder=folder, progress=True)
    points = np.linspace(0, 1, 17)
    assert np.array_equal(again(u, points), solution(u, points)) and again.problem is rod
    assert (folder / "solution.npz").stat().st_mtime_ns == before
    assert "`fresh=True` solves anew" in capsys.readouterr().err


def test_load_takes_a_folder(finished):
    folder, solution = finished
    assert np.allclose(sci.load(folder)(u, [0.5]), 0.125) and solution.seconds > 0


def test_a_folder_belongs_to_one_statement_method_and_key(finished):
    folder, _ = finished
    other = rod.replace(conditions={("left", "right"): sci.Eq(u, 1)})
    for call, what in [
        (lambda: sci.solve(other, ELEMENTS, folder=folder), "another statement;"),
        (lambda: sci.solve(rod, sci.FiniteElements(size=0.2), folder=folder), "another method;"),
        (lambda: sci.solve(rod, ELEMENTS, key=1, folder=folder), "another key;"),
        (lambda: sci.solve(other, key=1, folder=folder), "statement and method and key;"),
    ]:
        with pytest.raises(ValueError, match=rf"`folder`.*{what}.*`fresh=True`"):
            call()


def test_fresh_replaces_a_run_and_a_folder_of_other_files_is_left_alone(tmp_path):
    folder = tmp_path / "run"
    sci.solve(rod, Counting(2), folder=folder, progress=False)
    assert len(log(folder)) == 2
    sci.solve(rod, Counting(3), folder=folder, progress=False, fresh=True)
    assert len(log(folder)) == 3
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "report.md").write_text("mine")
    with pytest.raises(ValueError, match="holds other files and no run"):
        sci.solve(rod, Counting(), folder=tmp_path / "thesis", fresh=True)
    assert (tmp_path / "thesis" / "report.md").read_text() == "mine"
    with pytest.raises(ValueError, match="is a file"):
        sci.solve(rod, Counting(), folder=tmp_path / "thesis" / "report.md")


def test_what_is_refused_leaves_no_folder(tmp_path):
    nowhere = rod.replace(conditions={"lefft": sci.Eq(u, 0)})
    with pytest.raises(StatementError, match="left"):
        sci.solve(nowhere, Counting(), folder=tmp_path / "run")
    with pytest.raises(sci.UnsupportedProblem, match="counts down"):
        sci.solve(rod, Counting(-1), folder=tmp_path / "run")
    with pytest.raises(TypeError, match="takes a Problem"):
        sci.solve(law, folder=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_an_interrupted_run_goes_on_where_it_was(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(folders, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(RunFolder, "write_seconds", 0.0, raising=False)
    armed = [True]

    def interrupt(step):
        if armed[0] and step == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Counting, "__repr__", lambda self: "Counting()")
    method = Counting(6, interrupt)
    with pytest.raises(KeyboardInterrupt):
        sci.solve(rod, method, folder=tmp_path / "run", progress=True)
    with pytest.raises(FileNotFoundError, match="no finished run; call the same `solve` again"):
        sci.load(tmp_path / "run")
    armed[0] = False
    solution = sci.solve(rod, method, folder=tmp_path / "run", progress=True)
    assert solution(u, [1.0]) == sum(1 / k for k in range(1, 7))
    steps = [moment["step"] for moment in log(tmp_path / "run")]
    assert steps[:3] == [1, 2, 3] and steps[-1] == 6 and steps.count(1) == 1
    assert "going on from the last checkpoint" in capsys.readouterr().err


SCRIPT = """
import sys, time
sys.path.insert(0, {root!r})
from tests.science.test_running import Counting, rod
import science as sci, science.folder
science.folder.CHECKPOINT_SECONDS = 0.0
def pause(step): time.sleep({pause})
Counting.__repr__ = lambda self: "Counting()"
solution = sci.solve(rod, Counting(200, pause), folder={folder!r})
print(repr(float(solution(sci.Poisson(sci.coordinates("x")).unknown, [1.0])[0])))
"""


def test_a_killed_run_ends_like_an_unbroken_one(tmp_path):
    folder = tmp_path / "run"

    def start(pause):
        code = SCRIPT.format(root=str(ROOT), folder=str(folder), pause=pause)
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, **options)

    process = start(0.02)
    while not ((folder / "checkpoint.npz").exists() and len(log(folder)) > 5):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    before = len(log(folder))
    out, err = start(0).communicate(timeout=240)
    unbroken = 0.0
    for k in range(1, 201):
        unbroken += 1 / k
    assert float(out) == unbroken, err  # bitwise
    assert "going on from the last checkpoint" in err
    steps = [moment["step"] for moment in log(folder)]
    assert steps[before] > 1 and steps[-1] == 200


def test_a_new_target_goes_on_from_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(Counting, "__repr__", lambda self: "Counting()")
    monkeypatch.setattr(folders, "_mark", lambda value, packages: str(value)[:8])
    folder = tmp_path / "run"
    sci.solve(rod, Counting(3), folder=folder, budget=1, progress=False)
    sci.solve(rod, Counting(5), folder=folder, budget=2, progress=False)
    steps = [moment["step"] for moment in log(folder)]
    assert steps[-1] == 5 and steps.count(1) == 1


def test_products_that_cannot_be_made_are_warnings(tmp_path):
    with pytest.warns(UserWarning, match="solution.npz was not written: Exact has no state"):
        solution = sci.solve(rod, Counting(1), folder=tmp_path / "run", progress=False)
    assert solution.status.is_good and (tmp_path / "run" / "report.md").exists()


def test_load_names_what_is_wrong(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file"):
        sci.load(tmp_path / "nothing")
    with pytest.raises(FileNotFoundError, match="no run folder"):
        sci.load(tmp_path)
    (tmp_path / "configuration.json").write_text("{")
    with pytest.raises(ValueError, match="is damaged"):
        sci.load(tmp_path)


def test_a_configuration_that_is_none_is_refused(tmp_path):
    (tmp_path / "configuration.json").write_text("[1]")
    for use in (sci.load, lambda path: sci.solve(rod, folder=path, progress=False)):
        with pytest.raises(ValueError, match="is damaged: it holds list"):
            use(tmp_path)


def test_a_folder_that_cannot_be_written_is_refused_before_the_run(tmp_path):
    (tmp_path / "file").write_text("")
    calls = []
    for folder in ("/proc/foo", tmp_path / "file" / "run"):
        with pytest.raises(ValueError, match="cannot be written.*name another folder"):
            sci.solve(rod, Counting(1, calls.append), folder=folder, progress=False)
    assert not calls and [p.name for p in tmp_path.iterdir()] == ["file"]


def test_the_marks_of_equal_statements_are_equal():
    again = sci.Problem(rod.domain, rod.equations, {("left", "right"): sci.Eq(u, 0)}, name="rod")
    assert folders.identity(rod, ELEMENTS, 0) == folders.identity(again, ELEMENTS, 0)
    measured = rod.replace(data=sci.Data([0.5], {u: [1.0]}))
    assert folders.identity(rod, ELEMENTS, 0) != folders.identity(measured, ELEMENTS, 0)


def test_pieces_of_a_side_and_functions_count_in_the_marks():
    x, y = sci.coordinates("x y")
    u = sci.field("u", x, y)
    square = sci.Rectangle((0, 0), (1, 1))

    def mark(where):
        conditions = {square["left"].where(where): sci.Eq(u, 1)}
        problem = sci.Problem(square, sci.Eq(-sci.laplacian(u), 1), conditions)
        return folders.identity(problem, None, 0)["statement"]

    def above(height):
        return lambda points: points[..., 1] - height

    assert mark(y > 0.5) == mark(y > 0.5) != mark(y > 0.25)
    assert mark(above(0.5)) == mark(above(0.5)) != mark(above(0.25))
    assert mark(lambda p: p[..., 1] - 0.5) != mark(lambda p: 0.5 - p[..., 1])


def test_a_solution_without_folder_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sci.solve(rod, Counting(2), progress=False)
    assert not list(tmp_path.iterdir())

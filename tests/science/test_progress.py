"""What a person sees of a run, in a terminal, a notebook and a log file."""

import io
import sys
import types

import pytest

from science import progress
from science.progress import describe, display
from solvers import Progress

MOMENT = Progress("Adam", 120, 0.0123, seconds=30.0, fraction=0.25, error_estimate=0.05)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_moment_in_one_line():
    assert describe(MOMENT) == (
        "Adam: loss 1.23e-02, error estimate 5.00e-02, step 120, 25%, 1 min 30 s left"
    )
    assert describe(Progress("assembly", 2, None, 0.0, 0.0)) == "assembly: step 2, 0%"
    first = Progress("time steps", 1, None, 0.5, 1e-6)
    assert describe(first) == "time steps: step 1, 0%"  # and no word of the days left


def test_a_log_file_gets_a_line_a_phase_and_then_one_every_few_seconds(monkeypatch):
    stream, clock = io.StringIO(), iter([0.0, 1.0, 2.0, 6.0])
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with display() as shown:
        for phase in ("Adam", "Adam", "Broyden", "Broyden"):
            shown.show(Progress(phase, 1, 1.0, 1.0, 0.5))
        shown.say("done")
    lines = stream.getvalue().splitlines()
    assert [line.split(":")[0] for line in lines] == ["Adam", "Broyden", "done"]


def test_a_terminal_gets_a_bar_with_loss_estimate_and_time_left(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    with display() as shown:
        shown.show(MOMENT)
    text = stream.getvalue()
    for piece in ("Adam", "━", "25%", "1 min 30 s left", "loss 1.23e-02", "error estimate"):
        assert piece in text


def test_silence_is_kept(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with display(False) as shown:
        shown.show(MOMENT)
        shown.say("nothing")
    assert stream.getvalue() == ""


def test_a_notebook_gets_one_line_that_is_rewritten(monkeypatch):
    written = []
    handle = types.SimpleNamespace(update=written.append)

    def show(text, display_id):
        written.append(text)
        return handle

    shell = type("ZMQInteractiveShell", (), {})()
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: shell  # type: ignore[attr-defined]
    ipython.display = types.ModuleType("IPython.display")  # type: ignore[attr-defined]
    ipython.display.Markdown = str
    ipython.display.display = show
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    with display() as shown:
        shown.show(MOMENT)
        shown.show(Progress("Adam", 480, 1e-3, 120.0, 1.0))
    assert len(written) == 2 and written[0].startswith("`██████░")
    assert written[0].endswith(describe(MOMENT)) and "100%" in written[1]


@pytest.mark.parametrize("wanted", [None, True, False])
def test_the_display_ends_with_the_run_also_after_an_error(wanted):
    with pytest.raises(RuntimeError), display(wanted) as shown:
        shown.show(MOMENT)
        raise RuntimeError

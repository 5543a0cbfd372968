"""The command `science`: solve, check, list, plot, compare, export."""

from __future__ import annotations

import argparse
import sys
import textwrap
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._ours import PACKAGES

if TYPE_CHECKING:
    from .running import Call
    from .scripts import Outcome

BAD_INPUT = 2
INTERRUPTED = 130
PROGRAMS = (".export", ".onnx")  # files that compute, where others hold values
EXAMPLES = """\
examples:
  science solve cavity                        the lid-driven cavity, into runs/cavity
  science solve cavity --set method.width=64  with a wider network
  science check my_problem.py                 what is wrong with a statement
  science plot runs/cavity "sqrt(u**2 + v**2)"
  science export runs/cavity cavity.vtu
  science export runs/cavity cavity.export u v "diff(u, y)"
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0, 1 where `check` or `compare` find fault, or 2
    for input that cannot be used."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options) or 0
    except KeyboardInterrupt:
        _tell("interrupted; the same command goes on from the last checkpoint")
        return INTERRUPTED
    except Exception as error:
        if not _is_bad_input(error):
            raise
        _tell(f"science {options.command}: {_message(error)}")
        return BAD_INPUT


def _is_bad_input(error: Exception) -> bool:
    """Whether the text of an error says it all: errors of our own making, and of files. Others come
    with their traceback."""
    from equations import StatementError
    from solvers import UnsupportedProblem

    if isinstance(error, StatementError | UnsupportedProblem | OSError | SyntaxError):
        return True
    raised_in = _frames(error)[-1][0]
    return isinstance(error, ValueError | TypeError | KeyError) and _is_ours(raised_in)


def _message(error: Exception) -> str:
    """The error's text, after the line of the script that it comes from."""
    from .scripts import SettingError

    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    if isinstance(error, SettingError):
        return text
    script = [(f, n) for f, n in _frames(error) if not _is_ours(f) and not _is_installed(f)]
    return f"{script[-1][0]}, line {script[-1][1]}: {text}" if script else text


def _frames(error: Exception) -> list[tuple[str, int]]:
    return [(f.filename, f.lineno or 0) for f in traceback.extract_tb(error.__traceback__)]


def _is_ours(file: str) -> bool:
    home = Path(__file__).resolve().parents[1]
    folders = (home / name for name in (*PACKAGES, "science"))
    return any(Path(file).resolve().is_relative_to(folder) for folder in folders)


def _is_installed(file: str) -> bool:
    prefixes = {sys.prefix, sys.base_prefix}
    return file.startswith("<") or any(Path(file).is_relative_to(p) for p in prefixes)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "science",
        description="State a physics problem in mathematics; solve it; know the error.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    def command(name: str, run: Any, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(run=run)
        return sub

    solve = command("solve", _solve, "solve a catalogue problem, or the script of a file")
    solve.add_argument("target", metavar="FILE-OR-NAME")
    solve.add_argument("--folder", type=Path, help="default: the script's own, or runs/NAME")
    solve.add_argument("--set", action="append", default=[], metavar="method.width=64")
    solve.add_argument("--key", type=int, help="seed of all random choices")
    solve.add_argument("--tolerance", type=float, help="stop at this estimated relative error")
    solve.add_argument("--budget", type=_time, metavar="TIME", help='seconds, or text as "3 min"')
    solve.add_argument("--fresh", action="store_true", help="forget what the folder holds")
    solve.add_argument("--quiet", action="store_true", help="show no progress")

    check = command("check", _check, "say what is wrong or doubtful in a statement")
    check.add_argument("target", metavar="FILE-OR-NAME")

    command("list", _list, "name the solved problems of the catalogue")

    plot = command("plot", _plot, "draw an expression of a finished run")
    plot.add_argument("folder", type=Path, metavar="RUN")
    plot.add_argument("expression", nargs="?", help='as "u", "diff(u, x)", "(u, v)"; default all')
    plot.add_argument("--at", action="append", default=[], metavar="t=0.5", help="fix a coordinate")
    plot.add_argument("--output", type=Path, help="picture to write (default: in the run folder)")

    compare = command("compare", _compare, "say how far two finished runs are apart")
    compare.add_argument("first", type=Path, metavar="RUN")
    compare.add_argument("second", type=Path, metavar="RUN")
    compare.add_argument("expression", nargs="?", help="default: the fields of both")

    export = command(
        "export",
        _export,
        "write values of a finished run as .vtu or .csv, or a function of points that runs without "
        "this library's statement as .export (for diffcore.load) or .onnx",
    )
    export.add_argument("folder", type=Path, metavar="RUN")
    export.add_argument("output", type=Path, metavar="OUT.vtu")
    export.add_argument("expression", nargs="*", help="default: the unknown fields")
    return parser


# Commands


def _solve(options: argparse.Namespace) -> None:
    from .catalogue import find
    from .scripts import run_script

    script = find(options.target)
    outcome = run_script(script, lambda call: _asked(call, options, script.stem))
    print(f"\n{_result(script.stem, outcome)}")


def _check(options: argparse.Namespace) -> int:
    from .catalogue import find
    from .scripts import statement

    problem = statement(find(options.target))
    findings = problem.check()
    print(f"{problem}\n\n{findings}")
    return 1 if findings.errors else 0


def _list(options: argparse.Namespace) -> None:
    from .catalogue import entries, title

    known = entries()
    width = max(map(len, known), default=0)
    for name, path in known.items():
        print(f"{name:<{width}}  {title(path)}")


def _plot(options: argparse.Namespace) -> None:
    from .folder import PICTURES, file_name
    from .running import load

    solution = load(options.folder)
    expression = _parsed(options.expression, solution)
    name = file_name(options.expression or "fields")
    output = options.output or options.folder / PICTURES / f"{name}.png"
    figure = solution.plot(expression, at=_at(options.at))
    formats = sorted(figure.canvas.get_supported_filetypes())
    if output.suffix.lower().removeprefix(".") not in formats:
        raise ValueError(f"`--output {output}`: pictures end in .{', .'.join(formats)}.")
    output.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(output)
    print(output)


def _compare(options: argparse.Namespace) -> int:
    import math

    from .comparing import compare
    from .running import load

    first, second = load(options.first), load(options.second)
    result = compare(first, second, _parsed(options.expression, first))
    print(result)
    if any(math.isnan(d.relative) for d in result.differences):
        _tell("science compare: where a value is not a number, nothing can be compared")
        return 1
    return 0


def _export(options: argparse.Namespace) -> None:
    from .running import load

    solution = load(options.folder)
    named = {text: _parsed(text, solution) for text in options.expression} or None
    if options.output.suffix in PROGRAMS:
        from diffcore import export

        print(export(solution, options.output, expressions=named))
    else:
        print(solution.save(options.output, named))


# Pieces


def _asked(call: Call, options: argparse.Namespace, name: str) -> Call:
    """The script's call of `solve` with what the command line says instead."""
    from dataclasses import replace

    from .scripts import SettingError, setting

    for text in options.set:
        path, equals, value = text.partition("=")
        if not equals:
            raise SettingError(f"`--set {text}`: write it as method.width=64.")
        call = setting(call, path, value)
    given = {n: getattr(options, n) for n in ("folder", "key", "tolerance", "budget")}
    changes = {n: value for n, value in given.items() if value is not None}
    if call.folder is None and options.folder is None:
        changes["folder"] = Path("runs") / name
    if options.quiet:
        changes["progress"] = False
    return replace(call, **changes, fresh=call.fresh or options.fresh)


def _result(name: str, outcome: Outcome) -> str:
    """One paragraph: how it ended, how wrong it may be, what the script found, where files are."""
    from solvers.report import summary

    solution, call = outcome.solutions[0], outcome.calls[0]
    sentences = [f"{name}: {summary(solution)}"]
    error = outcome.names.get("error")
    if error is not None:
        sentences.append(f"Relative error against the reference {float(error):.3g}.")
    quantities = outcome.names.get("quantities") or {}
    told = [_quantity(text, value) for text, value in quantities.items()]
    if told:
        listed = "; ".join(told)
        sentences.append(f"{listed[0].upper()}{listed[1:]}.")
    sentences.append(f"Report, pictures and solution are in {call.folder}.")
    return textwrap.fill(" ".join(sentences), 100)


def _quantity(text: str, value: Any) -> str:
    text = text.rstrip(":")
    if isinstance(value, tuple):
        return f"{text}: {float(value[0]):.5g} (reference {float(value[1]):.5g})"
    return f"{text}: {float(value):.5g}"


def _parsed(text: str | None, solution: Any) -> Any:
    from .expressions import parse

    return None if text is None else parse(text, solution.problem)


def _time(text: str) -> float | str:
    """Seconds, or the text as it is."""
    try:
        return float(text)
    except ValueError:
        return text


def _at(texts: Sequence[str]) -> dict[str, list[float]]:
    """{"t": [0.5]} from "t=0.5", {"t": [0, 1]} from "t=0,1"."""
    found = {}
    for text in texts:
        name, _, values = text.partition("=")
        try:
            found[name.strip()] = [float(v) for v in values.split(",")]
        except ValueError:
            raise ValueError(f"`--at {text}`: write it as t=0.5, or t=0,0.5,1.") from None
    return found


def _tell(message: str) -> None:
    print(message, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())

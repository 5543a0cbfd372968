"""The catalogue of solved problems: the scripts of `examples/`, by name.

In a clone they lie beside the packages; in an installed wheel the same files are in this package's
folder `examples`. They are read here, and run by `scripts`, never imported.
"""

from __future__ import annotations

import ast
import difflib
from pathlib import Path

_HERE = Path(__file__).parent


def entries() -> dict[str, Path]:
    """The scripts by name."""
    folders = (_HERE / "examples", _HERE.parent / "examples")
    folder = next((f for f in folders if f.is_dir()), None)
    return {} if folder is None else {p.stem: p for p in sorted(folder.glob("[!_]*.py"))}


def title(path: Path) -> str:
    """The first line of a script's docstring; the script does not run."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def find(name: str) -> Path:
    """The script that a name or a path stands for.

    Raises:
        FileNotFoundError for a file that is not there, ValueError for a file that is no Python
        script and for a name that is not in the catalogue, with the closest one.
    """
    path = Path(name)
    if path.suffix == ".py" or len(path.parts) > 1:
        if not path.is_file():
            raise FileNotFoundError(f"there is no file {name!r}.")
        if path.suffix != ".py":
            raise ValueError(f"{name!r} is no script: its name must end in .py.")
        return path
    known = entries()
    if name in known:
        return known[name]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"There are: {', '.join(known) or 'none'}."
    raise ValueError(f"no solved problem is called {name!r}. {hint} A file ends in .py.")

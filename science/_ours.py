"""A check that the packages with common names, such as `geometry`, are ours."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("diffcore", "geometry", "equations", "solvers")


def check_packages() -> None:
    """Make sure that our packages are those beside this one.

    Raises:
        ImportError naming the file or folder that Python finds instead.
    """
    home = Path(__file__).resolve().parents[1]
    for name in PACKAGES:
        spec = find_spec(name)
        expected = home / name / "__init__.py"
        if spec is None:
            raise ImportError(f"the package `{name}` of science is missing: install it again.")
        found = spec.origin or list(spec.submodule_search_locations or [name])[0]
        if Path(found).resolve() != expected:
            raise ImportError(
                f"`import {name}` finds {found} instead of science's own {expected.parent}; "
                "rename yours, or start Python in another folder."
            )

"""The front door: `import science as sci` has everything that a problem needs, in one namespace.

The names are those of `science.namespace`. They are loaded with the first use of one, so that the
command line answers at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from science._ours import check_packages

if TYPE_CHECKING:
    from science.namespace import *  # noqa: F403

check_packages()


def __getattr__(name: str) -> Any:
    if name.startswith("__") and name != "__all__":
        raise AttributeError(name)
    try:
        return getattr(import_module("science.namespace"), name)
    except AttributeError:
        raise AttributeError(f"module 'science' has no attribute {name!r}") from None


def __dir__() -> list[str]:
    return list(import_module("science.namespace").__all__)

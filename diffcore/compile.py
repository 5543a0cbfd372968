"""Compiling functions, stepping through them with real numbers, and keeping compiled programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import wraps
from pathlib import Path
from typing import Any

import equinox as eqx
import jax

from diffcore._inputs import control_flow_explained


def compile(
    f: Callable[..., Any] | None = None,
    *,
    static: str | Sequence[str] = (),
    donate: str | Sequence[str] = (),
) -> Callable[..., Any]:
    """f compiled for each new combination of shapes and data types; a decorator over `jax.jit`.

    Arguments:
        f: a function of pytrees of arrays, or a module, whose arrays are no constants of the
            program; without it, a decorator is returned.
        static: names of the arguments that are choices, not arrays (hashable); each value gets its
            own program.
        donate: names of the arguments whose memory the results may take over; do not use them
            again.

    Raises:
        TypeError: f branches in Python on a number, or calls NumPy.

    Example:
        >>> @compile(static="n")
        ... def power(x, n):
        ...     return x**n
        >>> power(2.0, n=3).item()
        8.0
    """
    if f is None:
        return lambda g: compile(g, static=static, donate=donate)
    if not callable(f):
        raise TypeError(f"`compile` needs a function; got {type(f).__name__} {f!r}.")
    if isinstance(f, eqx.Module):
        return _compiled_module(f, static, donate)
    jitted = jax.jit(f, static_argnames=static or None, donate_argnames=donate or None)

    @wraps(f)
    def compiled(*args: Any, **kwargs: Any) -> Any:
        with control_flow_explained():
            return jitted(*args, **kwargs)

    return compiled


def _compiled_module(module: Any, static: Any, donate: Any) -> Callable[..., Any]:
    if static or donate:
        raise TypeError(
            "`static` and `donate` are for functions: compile a function of the module."
        )

    @eqx.filter_jit
    def call(module: Any, args: tuple, kwargs: dict) -> Any:
        return module(*args, **kwargs)

    def compiled(*args: Any, **kwargs: Any) -> Any:
        with control_flow_explained():
            return call(module, args, kwargs)

    return compiled


def eager() -> AbstractContextManager[None]:
    """A scope in which nothing is compiled: step through the same code with real numbers.

    `jit` does nothing in it, and `scan`, `cond` and loops run in Python, so that a debugger stops
    anywhere and values can be looked at. Derivatives work; `vmap` still hides the single values.

    Example:
        >>> seen = []
        >>> @compile
        ... def f(x):
        ...     seen.append(float(x))
        ...     return x**2
        >>> with eager():
        ...     _ = f(3.0)
        >>> seen
        [3.0]
    """
    return jax.disable_jit()


def enable_compilation_cache(folder: str | os.PathLike | None = None) -> Path:
    """Keep compiled programs on disk from now on, and return the folder that holds them.

    Arguments:
        folder: where; by default `diffcore/programs` in the user's cache folder. Made if need be.

    Notes:
        Programs that took less than 0.3 s to compile are not kept. The files depend on the
        versions of JAX, the machine and the flags, and may be deleted at any time.
    """
    from jax.experimental.compilation_cache import compilation_cache

    path = Path(folder) if folder is not None else _user_cache() / "diffcore" / "programs"
    path.mkdir(parents=True, exist_ok=True)
    jax.config.update("jax_compilation_cache_dir", str(path))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.3)
    compilation_cache.reset_cache()  # JAX looks at the setting only when it compiles first
    return path


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")

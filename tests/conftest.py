"""The whole run is in double precision and without a screen; compiled programs stay in .cache."""

import os
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")

import hypothesis
import jax
import pytest

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_compilation_cache_dir", str(Path(__file__).parents[1] / ".cache" / "jax"))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.3)

hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("repeatable")


@pytest.fixture(scope="module", autouse=True)
def _bounded_memory():
    """Compiled programs would pile up to many gigabytes; each module starts without any."""
    yield
    jax.clear_caches()

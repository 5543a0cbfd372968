"""What `import diffcore as dc` gives."""

import subprocess
import sys

import diffcore as dc


def test_every_public_name_is_there_and_documented():
    assert dc.__all__ == sorted(dc.__all__, key=str.lower)
    for name in dc.__all__:
        assert getattr(dc, name).__doc__.strip(), name


def test_importing_it_changes_no_setting_and_starts_no_device():
    script = """
import jax, sys
before = dict(jax.config.values)
import diffcore
assert dict(jax.config.values) == before
from jax._src import xla_bridge
assert not xla_bridge._backends
assert not {"sympy", "matplotlib", "meshio", "scipy.special", "lineax"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", script], check=True)

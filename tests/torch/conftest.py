"""The tests of this folder compare with PyTorch and are left out where it is not installed."""

import importlib.util

if importlib.util.find_spec("torch") is None:
    collect_ignore_glob = ["test_*.py"]

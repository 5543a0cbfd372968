"""`import science` takes at most 1.5 s more than `import jax`: the best of three, taking turns."""

import subprocess
import sys
import time

LIMIT = 1.5  # seconds


def seconds(module: str) -> float:
    """Wall time of a fresh interpreter that imports `module`."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
    return time.perf_counter() - start


turns = [(seconds("jax"), seconds("science")) for _ in range(3)]
jax, science = map(min, zip(*turns, strict=True))
print(f"import jax: {jax:.2f} s; import science: {science:.2f} s")
if science - jax > LIMIT:
    sys.exit(f"`import science` adds {science - jax:.2f} s to `import jax`, more than {LIMIT} s")

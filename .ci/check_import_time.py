"""`import science` and its first name take at most 1.5 s more than `import jax`: best of five.

Counted in processor time, which other programs on the machine hardly stretch.
"""

import os
import subprocess
import sys

LIMIT = 1.5  # seconds


def seconds(statement: str) -> float:
    """Processor time of a fresh interpreter that runs one statement."""
    before = os.times()
    subprocess.run([sys.executable, "-c", statement], check=True)
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])  # user and system time of children


turns = [(seconds("import jax"), seconds("from science import solve")) for _ in range(5)]
jax, science = map(min, zip(*turns, strict=True))
print(f"import jax: {jax:.2f} s; from science import solve: {science:.2f} s")
if science - jax > LIMIT:
    sys.exit(f"`science` adds {science - jax:.2f} s to `import jax`, more than {LIMIT} s")

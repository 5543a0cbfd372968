"""The wheel holds the five packages with their data, nothing else, and runs without the clone."""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGES = {"diffcore", "geometry", "equations", "solvers", "science"}
DATA = {
    "science/examples/cavity.py",
    "science/references/cavity_re100.json",
    "science/references/cavity_re100.npz",
}

wheel = zipfile.ZipFile(sys.argv[1])
names = set(wheel.namelist())
folders = {name.split("/")[0] for name in names if ".dist-info/" not in name}
if folders != PACKAGES:
    sys.exit(f"the wheel holds {sorted(folders)}, it should hold {sorted(PACKAGES)}")
if missing := DATA - names:
    sys.exit(f"the wheel lacks {sorted(missing)}")

with tempfile.TemporaryDirectory() as folder:
    wheel.extractall(folder)
    where = subprocess.run(
        [sys.executable, "-c", "import science; print(science.__file__)"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": folder},
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    if Path(folder).resolve() not in Path(where).resolve().parents:
        sys.exit(f"`import science` took {where}, not the wheel")
size = Path(sys.argv[1]).stat().st_size
print(f"wheel: {len(names)} files, {size} bytes")

"""Claims of the repository about itself: its lock, its packages, its front page."""

import ast
import importlib
import pkgutil
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PACKAGES = ("diffcore", "geometry", "equations", "solvers", "science")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
DEPENDENCIES = [Requirement(text) for text in PROJECT["project"]["dependencies"]]
EXTRAS = {
    extra: [Requirement(text) for text in texts]
    for extra, texts in PROJECT["project"]["optional-dependencies"].items()
}
LOCK = (ROOT / "constraints.txt").read_text()
PIN = re.compile(r"(?P<name>[a-z0-9-]+)==(?P<version>[\w.]+)( ; (?P<marker>.+?))? \\")
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")


def sources(*folders):
    """Path and syntax tree of every Python file under the folders."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT), ast.parse(path.read_text())


def imports(tree):
    """(module, names) of every absolute import in a syntax tree, wherever it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module, tuple(alias.name for alias in node.names)


def code_blocks(page):
    """The Python code blocks of a Markdown page."""
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


def test_the_lock_holds_pins_and_hashes_only():
    # so it names no registry, no machine and no folder
    lines = [line for line in LOCK.splitlines() if line]
    assert [line for line in lines if not (PIN.fullmatch(line) or HASH.fullmatch(line))] == []


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_every_declared_dependency_is_locked_once_for_each_python(python):
    environment = {"python_version": python, "python_full_version": f"{python}.0"}
    pins = {}
    for pin in PIN.finditer(LOCK):
        if pin["marker"] is None or Marker(pin["marker"]).evaluate(environment):
            pins.setdefault(pin["name"], []).append(pin["version"])
    for requirement in DEPENDENCIES + EXTRAS["test"]:
        versions = pins[canonicalize_name(requirement.name)]
        assert len(versions) == 1 and requirement.specifier.contains(versions[0]), requirement


def test_the_wheel_is_told_of_the_five_packages_and_the_catalogue():
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    moved = wheel["sources"]
    assert set(wheel["only-include"]) - set(moved) == set(PACKAGES)
    assert moved == {"examples": "science/examples"}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_can_be_imported(package):
    found = importlib.import_module(package)
    for module in pkgutil.walk_packages(found.__path__, prefix=f"{package}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_exists_and_is_listed_once(package):
    module = importlib.import_module(package)
    assert len(module.__all__) == len(set(module.__all__))
    assert [name for name in module.__all__ if not hasattr(module, name)] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_ships_its_types(package):
    assert (ROOT / package / "py.typed").exists()


def test_dependencies_are_exactly_what_the_packages_import():
    # IPython is only imported by a program that runs in it
    standard = set(sys.stdlib_module_names) | set(PACKAGES) | {"IPython"}
    distributions = packages_distributions()
    used = set()
    for _, tree in sources(*PACKAGES):
        roots = {module.split(".")[0] for module, _ in imports(tree)} - standard
        names = (name for root in roots for name in distributions.get(root, [root]))
        used |= set(map(canonicalize_name, names))
    required = {canonicalize_name(requirement.name) for requirement in DEPENDENCIES}
    extras = (*EXTRAS["mesh"], *EXTRAS["onnx"], *EXTRAS["units"])
    optional = {canonicalize_name(requirement.name) for requirement in extras}
    indirect = {"flatbuffers"}  # the files of jax.export
    assert required - used == indirect, "declared and not imported"
    assert used - required - optional - {"jaxlib", "jaxtyping"} == set(), "imported, not declared"


def test_methods_name_no_law():
    laws = set(importlib.import_module("equations.laws").__all__)
    for path, tree in sources("solvers"):
        for module, names in imports(tree):
            if module.split(".")[0] == "equations":
                assert laws.isdisjoint(names), path


def test_the_numerical_core_loads_neither_symbols_nor_pictures():
    code = "import diffcore, sys; print({'sympy', 'matplotlib', 'meshio'} & set(sys.modules))"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "set()"


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_code_on_the_page_compiles_and_names_what_exists(page):
    science = importlib.import_module("science")
    blocks = code_blocks(page)
    assert blocks
    for block in blocks:
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.Attribute) and getattr(node.value, "id", None) == "sci":
                assert hasattr(science, node.attr), node.attr
            if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in PACKAGES:
                module = importlib.import_module(node.module)
                assert [a.name for a in node.names if not hasattr(module, a.name)] == []


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/architecture.md"])
def test_links_on_the_page_lead_somewhere(page):
    folder = (ROOT / page).parent
    links = re.findall(r"\]\(([^)#]+)", (ROOT / page).read_text())
    assert [link for link in links if "://" not in link and not (folder / link).exists()] == []

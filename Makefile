# `make demo` solves a flow and shows what comes out; `make test` runs the tests. Both create .venv first.
# PYTHON names the interpreter to start from: make test PYTHON=python3.12

SUPPORTED := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
CANDIDATES := python3 python3.13 python3.12 python3.11 python
PYTHON ?= $(firstword $(foreach name,$(CANDIDATES),$(shell $(name) -c '$(SUPPORTED)' 2>/dev/null && echo $(name))) python3)

BIN := .venv/bin
INSTALLED := .venv/installed
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PACKAGES := diffcore geometry equations solvers science
PYTEST := $(BIN)/python -m pytest --numprocesses auto --maxprocesses 8 --dist loadfile

# Compiled programs are kept in the working copy, so that a second run starts at once.
export JAX_COMPILATION_CACHE_DIR := $(CURDIR)/.cache/jax
export JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS := 0.3

.PHONY: help install demo test test-slow test-torch doctest lint format bench-derivatives bench-accuracy bench-geometry docs wheel lock clean

help:
	@echo "make demo               solve the lid-driven cavity; the report and pictures go to runs/"
	@echo "make test               tests and documentation examples, about ten minutes"
	@echo "make test-slow          the long trainings as well"
	@echo "make test-torch         networks against PyTorch, which it installs"
	@echo "make lint               style, types and the order of the packages"
	@echo "make format             rewrite the code in the project's style"
	@echo "make bench-derivatives  time of derivatives, as ratios"
	@echo "make bench-accuracy     error and time of solved problems"
	@echo "make bench-geometry     time of queries and meshes of shapes"
	@echo "make docs               the manual, in docs/_build"
	@echo "make wheel              the wheel, in dist/"
	@echo "make lock               pin the newest versions in constraints.txt (needs uv)"
	@echo "make clean              remove everything that these commands made, except runs/"

install: $(INSTALLED)

# Where venv comes without pip (Debian without python3-venv), the interpreter's own pip installs one.
$(INSTALLED): constraints.txt pyproject.toml
	@$(PYTHON) -c '$(SUPPORTED)' || { \
	  echo "Python 3.11, 3.12 or 3.13 is needed, '$(PYTHON)' is not one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "Installing into .venv ..."
	@$(PYTHON) -m venv .venv >/dev/null 2>&1 || { \
	  $(PYTHON) -m venv --without-pip .venv && $(PYTHON) -m pip --python $(BIN)/python install --quiet pip; }
	@$(PIP) --require-hashes --no-deps -r constraints.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

demo: install
	@$(BIN)/science solve cavity

test: install
	$(PYTEST) -m "not slow"
	$(MAKE) doctest

test-slow: install
	$(PYTEST)

# Layers, losses and activations against PyTorch, which on Linux is a download of gigabytes.
test-torch: install
	$(PIP) --editable '.[torch]'
	$(BIN)/python -m pytest tests/torch

# As a reader would run them: in a process of their own, without the settings of the tests.
doctest: install
	$(PYTEST) --doctest-modules --durations=0 --durations-min=5 $(PACKAGES)

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: install
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format .

bench-derivatives: install
	$(BIN)/python -m benchmarks.derivatives

bench-accuracy: install
	$(BIN)/python -m benchmarks.accuracy

bench-geometry: install
	$(BIN)/python -m benchmarks.geometry

docs: install
	$(PIP) --editable '.[docs]'
	$(BIN)/sphinx-build --quiet docs docs/_build

wheel: install
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

lock:
	uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --extra test pyproject.toml --output-file constraints.txt

clean:
	rm -rf .venv .cache .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist docs/_build

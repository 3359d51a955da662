# Everything is set up in .venv, from Python >= 3.11 and pinned packages: those of
# requirements-dev.txt, and for `bench` the peers in requirements-bench.txt.

PYTHON ?= python3
BIN := .venv/bin

# two workers of pytest share two cores: threads of linear algebra would wait for each other
test test-all: export OMP_NUM_THREADS := 1
# and the processes that tests start find the sources compiled
test test-all: export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test test-all docs bench lock clean

run: .venv/ready          ## play the handwritten digits: a table, and a picture
	$(BIN)/selectron run

test: .venv/ready         ## lint, types, quick tests, doctests: some minutes, most of them compiling
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --num-workers 2
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow"

test-all: .venv/ready     ## the tests that `test` leaves out: whole grids, pages, crashes, long runs
	$(BIN)/pytest -n 2 --dist worksteal -m slow

docs: .venv/ready         ## the site, in docs/_build/html, and a check of its links; warnings are errors
	$(BIN)/python -m sphinx -q -W --keep-going docs docs/_build/html

bench: .venv/bench        ## speed and memory, as ratios measured in one run
	$(BIN)/python -m benchmarks

lock: .venv/ready         ## take up newer packages
	$(BIN)/uv pip compile pyproject.toml --extra dev --extra docs --universal --python-version 3.11 \
	  --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
	  --upgrade --output-file requirements-dev.txt
	$(BIN)/uv pip compile pyproject.toml --extra dev --extra docs --extra bench --universal \
	  --constraint requirements-dev.txt --python-version 3.11 \
	  --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
	  --upgrade --output-file requirements-bench.txt

.venv/ready: requirements-dev.txt pyproject.toml desktop/pyproject.toml
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable . --editable desktop
	touch $@

.venv/bench: .venv/ready requirements-bench.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-bench.txt
	touch $@

clean:                    ## remove the environment and all caches
	rm -rf docs/_build docs/gallery docs/reference/api .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src desktop experiments tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# make install | serve [PORT=8000] | test | test-slow | check | docs | bench
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
SERVING := .venv/.serving
STAMP := .venv/.installed
# Modules are compiled when they are first imported: most of those that are installed never are.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt
PYTEST := $(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder \
	--numprocesses $$($(BIN)/python -c 'import os; print(min(4, (os.cpu_count() or 1) + 1))')

.PHONY: install serve test test-slow check docs bench

install: $(SERVING)

# What serving needs. torch brings its own tests and C++ headers, 145 MB that nothing reads here.
$(SERVING): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "EduMod needs Python 3.11 or newer; set PYTHON=..."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) --editable ".[otel,postgresql]"
	rm -rf .venv/lib/python*/site-packages/torch/test .venv/lib/python*/site-packages/torch/include
	touch $(SERVING)

# And what tests and checks need.
$(STAMP): $(SERVING)
	$(PIP) --editable ".[dev,otel,postgresql]"
	touch $(STAMP)

serve: $(SERVING)
	$(BIN)/edumod course load data/ds101/course.yaml || test $$? -eq 1
	$(BIN)/edumod serve --port $(PORT)

# A file's tests stay together: they share its fixtures. Files run in the order of tests/conftest.py, on one process more
# than there are cores, since some wait for servers and browsers.
test: $(STAMP)
	$(PYTEST)

test-slow: $(STAMP)
	$(PYTEST) -m slow

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m app.docs --check
	$(BIN)/python data/build_pdfs.py --check
	$(BIN)/python -m benchmarks.house

docs: $(STAMP)
	$(BIN)/python -m app.docs

bench: $(STAMP)
	$(BIN)/python -m benchmarks

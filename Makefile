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

# A file's tests stay together: they share its fixtures.
test: $(STAMP)
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m app.docs --check
	$(BIN)/python data/build_pdfs.py --check

docs: $(STAMP)
	$(BIN)/python -m app.docs

bench: $(STAMP)
	$(BIN)/python -m benchmarks

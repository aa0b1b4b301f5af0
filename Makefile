# Two commands do all the set-up: `make demo` and `make test`. Needs Python >= 3.11 and make; uses uv if it is there.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
UV     := $(shell command -v uv 2>/dev/null)
DEMO_QUESTION := Does intravenous magnesium reduce mortality after acute myocardial infarction?

.DEFAULT_GOAL := help
.PHONY: help demo test lint format types check clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.installed ## Answer a question from the embedded corpus and write the audit trail and report
	@$(BIN)/metarag ask "$(DEMO_QUESTION)" --out metarag-runs/demo.json --report metarag-runs/demo.html

test: $(VENV)/.installed-test ## Run the test suite
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 8 --dist loadfile

lint: $(VENV)/.installed-dev ## Lint and check the format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.installed-dev ## Rewrite the format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(VENV)/.installed-dev ## Check the types
	$(BIN)/mypy

check: lint types test ## All three

clean: ## Remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if v >= (3, 11) else f"Python >= 3.11 is needed, $(PYTHON) is {v[0]}.{v[1]}; try: make PYTHON=python3.12 ...")'
ifdef UV
	$(UV) venv --quiet --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')" $(VENV)
else
	$(PYTHON) -m venv $(VENV)
endif

# A changed pyproject.toml or constraints.txt installs again; nothing else does.
$(VENV)/.installed: EXTRAS :=
$(VENV)/.installed-test: EXTRAS := [test]
$(VENV)/.installed-dev: EXTRAS := [dev]
$(VENV)/.installed $(VENV)/.installed-test $(VENV)/.installed-dev: pyproject.toml constraints.txt | $(BIN)/python
ifdef UV
	$(UV) pip install --quiet --python $(BIN)/python -c constraints.txt -e '.$(EXTRAS)'
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.$(EXTRAS)'
endif
	@touch $@

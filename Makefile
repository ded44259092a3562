# One virtual environment in .venv serves every target; `make` needs Python 3.10 or newer and nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH_READY := $(VENV)/.bench-ready
SERVICES := .services
SERVICES_READY := $(patsubst %,$(SERVICES)/%/.ready,kafka connect flink flink-jars flink-listener registry)

.PHONY: help demo test test-services lint golden golden-accept bench performance docs wheel clean

help:
	@echo "make demo           export the example of the document and print it"
	@echo "make test           set everything up, run linter, type checker and all tests"
	@echo "make test-services  run tests on Kafka, Kafka Connect, Flink and a registry; needs Java 17 or newer and Maven"
	@echo "make golden         run the golden suite alone"
	@echo "make golden-accept  accept what the golden suite prints now; review the change to golden/"
	@echo "make bench          measure exports, start-up and comparisons; a quarter of an hour"
	@echo "make performance    put what was measured into docs/performance.md and draw its plot"
	@echo "make docs           generate the generated pages of docs/"
	@echo "make wheel          build the wheel into dist/"

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

demo: $(READY)
	@$(BIN)/streamt docs openlineage --project-dir golden/payments/project \
		--job-namespace https://lineage.example/namespaces/prod --event-time 2026-01-02T03:04:05Z

test: lint
	$(BIN)/python -m pytest

# The distribution of Flink, which PyPI has; of its programs only the jars are used.
$(SERVICES)/flink/.ready: tests/services/requirements.txt | $(READY)
	rm -rf $(@D)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --target $(@D) \
		--requirement tests/services/requirements.txt
	touch $@

# The registry is in an archive; Maven remembers what it unpacked, so that is kept where the rest is.
$(SERVICES)/registry/.ready: COPY := unpack-dependencies -DmarkersDirectory=$(CURDIR)/$(SERVICES)/registry/markers
$(SERVICES)/%/.ready: COPY := copy-dependencies

$(SERVICES)/%/.ready: tests/services/pom.xml | java-and-maven
	rm -rf $(@D)
	mvn --batch-mode -Dstyle.color=never --quiet --file tests/services/pom.xml --activate-profiles $* \
		dependency:$(COPY) -DincludeScope=runtime -DoutputDirectory=$(CURDIR)/$(@D)
	touch $@

.PHONY: java-and-maven
java-and-maven:
	@for needed in java mvn; do command -v $$needed > /dev/null || { \
		echo "make test-services needs Java 17 or newer and Maven: there is no $$needed on the PATH" >&2; exit 1; }; done

test-services: java-and-maven $(READY) $(SERVICES_READY)
	STREAMT_TEST_BROKER=apache $(BIN)/python -m pytest tests/integration tests/services

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

golden: $(READY)
	$(BIN)/python -m pytest tests/golden

golden-accept: $(READY)
	$(BIN)/python -m pytest tests/golden/test_golden.py --snapshot-update

$(BENCH_READY): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	touch $@

bench: $(BENCH_READY)
	$(BIN)/python -m benchmarks --results benchmarks/results.json

performance: $(BENCH_READY)
	$(BIN)/python -m benchmarks.page

docs: $(READY)
	$(BIN)/python -m tools.document_diagnostics
	$(BIN)/python -m tools.document_tables

wheel: $(READY)
	$(BIN)/python -m build --quiet --wheel

clean:
	rm -rf $(VENV) $(SERVICES) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

# make demo | test | bench | wheel | clean. Each first sets up what it needs; an unchanged tree is not built again.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help kernels format tidy quick quick-jvm quick-native quick-python demo test bench bench-graph bench-sizes \
  bench-cache bench-launch bench-attach bench-profile bench-advice bench-batch bench-mapreduce bench-kernel-costs \
  hadoop-examples bench-scaling bench-beyond bench-ranks bench-ml bench-ml-quality bench-tensor faults schedules \
  soak peaks matrix examples docs jar aarch64 wheel clean build programs check sanitize fuzz fuzz-build test-native \
  lies-programs test-lies test-jvm test-python
MAKEFLAGS += --no-print-directory
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j2  # while Maven waits for itself, the compiler does not
endif

PY := .venv/bin/python
NATIVE := build/native
GLIBC := build/glibc
JAR := build/jars/sparkgap.jar
SPMV := build/peers/org/sparkgap/peers/optspark/libspmv.so
JVM_SOURCES := pom.xml $(shell find store launch topology mapreduce spark bench/peers -type f \
  \( -path '*/src/main/*' -o -name pom.xml \) 2>/dev/null)
MVN = mvn -T 2 --batch-mode --no-transfer-progress \
  -Dspark.jars="$$(echo $$PWD/.venv/lib/python3.*/site-packages/pyspark/jars)"
# uv takes a third of pip's time, the more so as it does not compress pyspark's jars only to unpack them.
install = .venv/bin/uv pip install --quiet --no-cache --python $(PY) \
  --config-settings-package pyspark:--build-option=--compression=stored -r $(1) \
  || { echo "set-up: uv could not install $(1), so pip does"; \
       $(PY) -m pip install --quiet --disable-pip-version-check -r $(1); }
SCALAFMT = java -cp "$$(cat build/scalafmt.classpath)" dev/scalafmt/ScalaFormat.java
C_SOURCES := '*.c' '*.cc' '*.h'
ARGS ?=
JAZZER := 0.24.0
LIES := segment_fuzz json_fuzz stored_components_fuzz
SANITIZED := ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 \
  LSAN_OPTIONS=suppressions=$(CURDIR)/kernels/cmake/leaks.txt \
  TSAN_OPTIONS=ignore_noninstrumented_modules=1 OMP_TOOL_LIBRARIES=/usr/lib/llvm-19/lib/libarcher.so
export SPARKGAP_DATA ?= $(abspath $(firstword $(wildcard data ../shared/data)))

help:
	@echo "make demo       PageRank on native ranks beside Spark's own; ARGS=\"--input FILE\" takes your graph"
	@echo "make quick      a sample of the tests, in two minutes"
	@echo "make test       every test"
	@echo "make bench      the measured tables; also bench-graph, -sizes, -cache, -launch, -attach, -profile, -advice,"
	@echo "                -local, -networkx, -scaling, -ml, -ml-quality and -tensor"
	@echo "make wheel      dist/*.whl"
	@echo "make jar        dist/*.jar, which carries the programs and MPI, and its POM"
	@echo "make docs       the documentation as a site"
	@echo "make aarch64    programs for ARM: tested under QEMU, as a wheel, and in the jar beside this machine's"
	@echo "make clean      removes what was built"
	@echo "make kernels    writes Python's functions after a change of a Spec"
	@echo "make format     formats all code as make check expects"
	@echo "make sanitize   the native tests under AddressSanitizer, UBSan and ThreadSanitizer"
	@echo "make fuzz       hostile files for the readers; ARGS=\"--minutes 60\""
	@echo "make faults     kills every kind of process during calls, and measures what follows"
	@echo "make schedules  two applications under the same names"
	@echo "make soak       a long session"
	@echo "make matrix     a part of the tests on every Spark 4, Java and Python (docs/compatibility.md)"
	@echo "make examples   Spark's own examples, unchanged, with native kernels (docs/accelerate.md)"
	@echo "make peaks      memory asked for, and memory taken"

demo: build
	@$(PY) examples/demo.py $(ARGS)

test: build-tests
	@$(MAKE) check
	@$(MAKE) --output-sync=target test-jvm test-native lies-programs build/classes.jsa
	@$(MAKE) test-lies
	@$(MAKE) test-python

bench: build .venv/bench.stamp
	@$(PY) bench/pagerank.py $(ARGS)

bench-graph: build .venv/bench.stamp
	@$(PY) bench/graph.py $(ARGS)

bench-sizes: build .venv/bench.stamp
	@$(PY) bench/graph_sizes.py $(ARGS)

bench-cache: build .venv/bench.stamp
	@$(PY) bench/cache.py $(ARGS)

bench-launch: build
	@$(PY) bench/launch.py $(ARGS)

bench-attach: build
	@$(PY) bench/attach.py $(ARGS)

bench-profile: build
	@$(PY) bench/profiled.py $(ARGS)

bench-advice: build
	@$(PY) bench/advice.py $(ARGS)

bench-batch: build
	@$(PY) bench/batch.py $(ARGS)

bench-mapreduce: build
	@$(PY) bench/mapreduce.py $(ARGS)

hadoop-examples: build
	@$(PY) bench/hadoop_examples.py $(ARGS)

bench-kernel-costs: build
	@$(PY) bench/kernel_costs.py $(ARGS)

bench-local: build .venv/bench.stamp
	@$(PY) bench/local.py $(ARGS)

bench-beyond: build
	@$(PY) bench/beyond_memory.py $(ARGS)

bench-ranks: build
	@$(PY) bench/ranks.py $(ARGS)

bench-scaling: build
	@$(PY) bench/scaling.py $(ARGS)

bench-networkx: build
	@$(PY) bench/networkx_backends.py $(ARGS)

bench-ml: build .venv/bench.stamp
	@$(PY) bench/ml.py $(ARGS)

bench-ml-quality: build .venv/bench.stamp
	@$(PY) bench/ml_quality.py $(ARGS)

bench-tensor: build .venv/bench.stamp
	@$(PY) bench/tensor.py $(ARGS)

faults: build
	@$(PY) conformance/faults $(ARGS)

schedules: build
	@$(PY) conformance/schedules $(ARGS)

soak: build
	@$(PY) conformance/soak $(ARGS)

matrix: build
	@$(PY) conformance/matrix $(ARGS)

examples: build
	@$(PY) conformance/spark_examples.py $(ARGS)

peaks: build
	@$(PY) conformance/peaks.py $(ARGS)

# The native tests, instrumented: an hour on 2 cores, most of it compiling. ARGS goes to ctest, e.g. ARGS="-R segment".
sanitize: build/sanitize-address/build.ninja build/sanitize-thread/build.ninja
	@for kind in address thread; do \
	  cmake --build build/sanitize-$$kind && $(SANITIZED) ctest --test-dir build/sanitize-$$kind \
	    --output-on-failure --timeout 900 $(ARGS) || exit 1; done

# Defects that compile, in 3 CPU minutes.
tidy: build/sanitize-address/build.ninja
	@mkdir -p build/tidy && ninja -C build/sanitize-address -t compdb >build/tidy/compile_commands.json
	@git ls-files 'kernels/*.cc' | grep -v -e _test.cc -e kernels/fuzz/ \
	  | xargs -P $$(nproc) -n 4 clang-tidy-19 --quiet -p build/tidy >build/tidy/log 2>&1 \
	  || { grep -A2 ': error:' build/tidy/log; exit 1; }

# What files may say: a time together for all targets (kernels/fuzz/README.md).
fuzz: fuzz-build
	@cmake --build build/sanitize-address --target kernels/fuzz/all
	@$(SANITIZED) $(PY) kernels/fuzz/run.py $(ARGS)

fuzz-build: build build/sanitize-address/build.ninja
	@$(MVN) --quiet test-compile
	@$(MVN) --quiet dependency:get -Dartifact=com.code-intelligence:jazzer:$(JAZZER)

build/sanitize-%/build.ninja: kernels/cmake/sanitize.cmake | .venv/install.stamp
	@dev/system-packages sanitize
	@cmake -S . -B $(@D) -G Ninja -DSPARKGAP_PYTHON=$(abspath $(PY)) \
	  -DSPARKGAP_SANITIZE=$* -DSPARKGAP_FUZZ=$(if $(filter address,$*),ON,OFF) \
	  -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 --log-level=WARNING >/dev/null
	@touch $@

# For ARM, built and tried on x86-64: a part of the native tests under QEMU, a wheel, and the jar for both.
ARM := build/aarch64
ARM_TESTS := crc32c exponential nearest_centers segment_writer split string_ids pagerank bfs sssp triangles kmeans \
  logreg lda cpd
aarch64: build $(ARM)/build.ninja
	@cmake --build $(ARM) --target programs $(ARM_TESTS:%=%_test)
	@ctest --test-dir $(ARM) --output-on-failure --timeout 600 -j $$(nproc) -E ranks_4 \
	  -R "^($$(echo $(ARM_TESTS) | tr ' ' '|'))\."
	@SPARKGAP_NATIVE="aarch64=$(abspath $(ARM)/bin)=$$(echo $$PWD/$(ARM)/mpi/*.whl)" \
	  $(PY) -m build --wheel --no-isolation --outdir dist .
	@$(PY) python/one_jar.py --native "aarch64=$(ARM)/bin=$$(echo $(ARM)/mpi/*.whl)"

$(ARM)/build.ninja: kernels/cmake/aarch64.cmake dev/old_glibc.py | .venv/install.stamp
	@dev/system-packages aarch64
	@$(PY) dev/old_glibc.py --arch aarch64 $(GLIBC)-aarch64
	@$(PY) -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
	  --platform manylinux_2_28_aarch64 --dest $(ARM)/mpi $$(grep '^mpich==' dev/requirements.txt)
	@cd $(ARM)/mpi && python3 -m zipfile -e *.whl .
	@cmake -S . -B $(@D) -G Ninja -DSPARKGAP_PYTHON=$(abspath $(PY)) -DSPARKGAP_GLIBC=$(abspath $(GLIBC))-aarch64 \
	  -DSPARKGAP_MPI_LIBRARY=$$(echo $$PWD/$(ARM)/mpi/*.data/data/lib/libmpi_abi.so.1) \
	  -DCMAKE_TOOLCHAIN_FILE=$(abspath $<) --log-level=WARNING >/dev/null
	@touch $@

docs: .venv/install.stamp $(JAR)
	@$(PY) dev/docs_site.py
	@echo "docs: build/docs/site/index.html"

jar: build
	@$(PY) python/one_jar.py $(ARGS)

wheel: build
	@$(PY) -m build --wheel --no-isolation --outdir dist .

clean:
	rm -rf build dist .venv python/sparkgap/native python/sparkgap/jars python/dist \
	  store/target launch/target topology/target mapreduce/target spark/target bench/peers/target target

# --- set-up and build

build: build/system.stamp .venv/install.stamp $(JAR) programs

programs: .venv/install.stamp
	@cmake --build $(NATIVE) --target programs

build-tests: build
	@cmake --build $(NATIVE)

build/system.stamp: dev/system-packages
	@dev/system-packages
	@mkdir -p build && touch $@

.venv/install.stamp: dev/requirements.txt pyproject.toml VERSION | build/system.stamp
	@echo "set-up: .venv (pyspark is a 400 MB download, once)"
	@[ -x $(PY) ] || python3 -m venv .venv
	@$(PY) -m pip install --quiet --disable-pip-version-check $$(grep '^uv==' dev/requirements.txt)
	@$(call install,dev/requirements.txt)
	@$(MAKE) $(NATIVE)/build.ninja
	@mkdir -p $(NATIVE)/bin build/jars
	@ln -sfn ../../$(NATIVE)/bin python/sparkgap/native
	@ln -sfn ../../build/jars python/sparkgap/jars
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@touch $@

.venv/bench.stamp: bench/requirements.txt | .venv/install.stamp
	@$(call install,bench/requirements.txt)
	@touch $@

$(NATIVE)/build.ninja: CMakeLists.txt kernels/CMakeLists.txt $(GLIBC)/libc.so
	@cmake -S . -B $(NATIVE) -G Ninja -DSPARKGAP_PYTHON=$(abspath $(PY)) -DSPARKGAP_GLIBC=$(abspath $(GLIBC)) \
	  --log-level=WARNING >/dev/null

# For .venv/install.stamp, which has installed zig by then.
$(GLIBC)/libc.so: dev/old_glibc.py
	@echo "build: $(GLIBC), the symbols of glibc that programs are linked against"
	@$(PY) dev/old_glibc.py $(@D)

build/classes.jsa: dev/class_archive.py $(JAR) | build
	@$(PY) dev/class_archive.py build \
	  || echo "build: no class archive, so tests start their JVMs slowly"

# Programs and tests of Hadoop's own.
build/hadoop-suite.stamp: conformance/hadoop_suite.pom.xml | build/system.stamp
	@rm -rf build/hadoop-suite
	@mvn --batch-mode --no-transfer-progress --quiet -f $< dependency:copy-dependencies -DexcludeTransitive=true \
	  -DoutputDirectory=$(abspath build/hadoop-suite)
	@touch $@

$(SPMV): bench/peers/src/main/c/spmv.c | build/system.stamp
	@mkdir -p $(@D)
	@cc -std=c11 -Wall -Wextra -Werror -O3 -fPIC -shared -o $@ $<

$(JAR): $(JVM_SOURCES) $(SPMV) | .venv/install.stamp
	@echo "build: $(JAR)"
	@$(MVN) --quiet -Dmaven.test.skip package
	@touch $@

# Python's functions of the kernels, from what these say of themselves.
kernels: .venv/install.stamp
	@cmake --build $(NATIVE) --target specs
	@$(PY) dev/make_kernels.py

build/scalafmt.classpath: dev/scalafmt/pom.xml | .venv/install.stamp
	@$(MVN) --quiet -f dev/scalafmt/pom.xml dependency:build-classpath -Dmdep.outputFile=$(abspath $@)

# A JVM of eight seconds: only where a file has changed.
build/scalafmt.stamp: .scalafmt.conf $(shell git ls-files '*.scala' ':!*Kernels.scala') | build/scalafmt.classpath
	@$(SCALAFMT) check $$(git ls-files '*.scala' ':!*Kernels.scala')
	@touch $@

format: build/scalafmt.classpath
	@$(PY) -m ruff format --quiet --config pyproject.toml .
	@.venv/bin/clang-format -i $$(git ls-files $(C_SOURCES))
	@$(SCALAFMT) write $$(git ls-files '*.scala' ':!*Kernels.scala')
	@$(MVN) --quiet spotless:apply

# --- tests, cheapest first

# Before each commit, in two minutes on 2 cores: the checks, the unit tests of all languages, and one short way through
# Spark. QUICK_OUT: native tests of seconds, which are the same ones on larger graphs or on more ranks. QUICK_FILES_OUT:
# a third of the time of Python's unit tests, for many processes of Python and the documentation's site.
QUICK_OUT := ranks_4|Partitions|ThreadsShare|Random|OfGraphsOfEveryKind|HubWithNearly|LongPaths|programs
QUICK_FILES_OUT := test_proof test_missing_packages test_profile test_inputs test_docs_site
quick: build-tests
	@$(MAKE) --output-sync=target quick-jvm check quick-native quick-python

quick-jvm:
	@$(MVN) --quiet -pl store,topology,launch test 2>&1 | { grep -E 'Tests run|ERROR' || true; }

quick-native:
	@ctest --test-dir $(NATIVE) --output-on-failure --timeout 120 -j $$(nproc) -E '$(QUICK_OUT)' | tail -4

quick-python:
	@$(PY) -m pytest -q -n 2 --dist loadgroup --no-loadscope-reorder $(QUICK_FILES_OUT:%=--ignore-glob='*/%.py') \
	  dev bench python/tests \
	  conformance/test_kernels.py::test_sql_and_python_give_the_same


check: .venv/install.stamp build/scalafmt.stamp
	@cmake --build $(NATIVE) --target specs
	@$(PY) -m ruff check --quiet --config pyproject.toml .
	@$(PY) -m ruff format --check --quiet --config pyproject.toml .
	@.venv/bin/clang-format --dry-run -Werror $$(git ls-files $(C_SOURCES))
	@.venv/bin/shellcheck .ci/run dev/system-packages
	@$(PY) -m mypy --no-error-summary --cache-dir build/mypy
	@$(PY) dev/make_kernels.py --check
	@for part in imports kernels layout architecture errors; do $(PY) dev/check_$$part.py || exit 1; done

test-native: build-tests
	@ctest --test-dir $(NATIVE) --output-on-failure --timeout 300 -j $$(nproc)

test-jvm: build
	@$(MVN) test | tee build/test-jvm.log | grep --line-buffered -E 'Tests run|ERROR|BUILD'

test-python: build build/classes.jsa build/hadoop-suite.stamp
	@$(PY) -m pytest -q -n 2 --dist loadgroup --no-loadscope-reorder $(ARGS) dev bench python/tests conformance

lies-programs: build/sanitize-address/build.ninja
	@cmake --build build/sanitize-address \
	  --target $(LIES) segment_values segment_damage_test stored_graph_damage_test table_reader_test

# A sample of sanitize and fuzz: readers of files under AddressSanitizer and UBSan, then half a minute of the targets
# that need at most one kernel.
test-lies: lies-programs fuzz-build
	@$(SANITIZED) ctest --test-dir build/sanitize-address --output-on-failure --timeout 600 -j $$(nproc) \
	  -R '^(segment_damage|stored_graph_damage|table_reader)\.'
	@$(SANITIZED) $(PY) kernels/fuzz/run.py --minutes 0.5 --targets $(LIES) SegmentFuzz JsonFuzz OutputFuzz
	@$(PY) kernels/fuzz/differential.py --files 1000

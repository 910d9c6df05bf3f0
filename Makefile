# The front door: `make help`. Everything here is a short call of CMake, CTest or a script.
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
SECONDS ?= 60
DEPENDENCIES ?= yes

dependencies = $(if $(filter yes,$(DEPENDENCIES)),scripts/install_dependencies.sh $(1),true)
build = cmake --preset $(1) $(2) && cmake --build --preset $(1) --parallel $(JOBS)

WERROR ?= OFF

CHECKS ?= format-check demo plain lint test asan tsan fuzz
# What `make check` looks at with clang-tidy: what changed since main, on main since the commit before. BASE= for all.
check: BASE = $(shell base=$$(git merge-base HEAD main 2>/dev/null); \
  [ "$$base" != "$$(git rev-parse HEAD)" ] || base=$$(git rev-parse HEAD^ 2>/dev/null); echo $$base)
check: SECONDS = 10

.PHONY: help demo test check plain bench format format-check lint asan tsan fuzz python install package clean
.DEFAULT_GOAL := help

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## build and put an example back together
	$(call dependencies,build)
	$(call build,release,-DPMTR_TESTS=OFF -DPMTR_WERROR=$(WERROR))
	scripts/demo.sh build/release/bin/pmtr

test: ## build with assertions and run all tests but the slow ones
	$(call dependencies,build test browser python)
	scripts/install_web_packages.sh
	$(call build,dev,-DPMTR_PYTHON=ON)
	ctest --preset dev --parallel $(JOBS)

check: ## everything that must hold before a change goes in: CHECKS, one after the other, with a table at the end
	@scripts/check.sh $(CHECKS) WERROR=ON SECONDS=$(SECONDS) BASE=$(BASE)

plain: ## build without torch, precompiled headers and unity; make tsan runs the tests of that part
	$(call dependencies,build test)
	$(call build,plain)

bench: ## build the benchmarks and run those that need no data
	$(call dependencies,build bench)
	$(call build,release,-DPMTR_TESTS=OFF -DPMTR_BENCH=ON)
	@for name in kernels matching; do build/release/bin/bench_$$name || exit 1; done

format: ## clang-format every source file in place
	$(call dependencies,dev)
	git ls-files '*.h' '*.cpp' | xargs clang-format -i

format-check: ## fail where clang-format would change something
	$(call dependencies,dev)
	git ls-files '*.h' '*.cpp' | xargs clang-format --dry-run -Werror

lint: ## clang-tidy on all sources, or on those changed since BASE (make lint BASE=main)
	$(call dependencies,build test dev)
	cmake --preset lint
	scripts/lint.sh build/lint $(JOBS) $(BASE)

asan: ## tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(call dependencies,build test)
	$(call build,asan)
	ctest --preset asan --parallel $(JOBS)

tsan: ## tests under ThreadSanitizer, without the network
	$(call dependencies,build test)
	$(call build,tsan)
	ctest --preset tsan --parallel $(JOBS)

fuzz: ## run every fuzz target for SECONDS (60)
	$(call dependencies,build dev)
	$(call build,fuzz)
	scripts/fuzz.sh build/fuzz $(SECONDS)

python: ## build the Python module into build/release/python
	$(call dependencies,build python)
	$(call build,release,-DPMTR_TESTS=OFF -DPMTR_PYTHON=ON)
	@echo "try it: PYTHONPATH=build/release/python python3"

install: ## build for users and install under PREFIX (/usr/local), the Python module with it
	$(call dependencies,build python)
	$(call build,release,-DPMTR_TESTS=OFF -DPMTR_PYTHON=ON -DCMAKE_INSTALL_PREFIX=$(PREFIX))
	cmake --install build/release --prefix $(PREFIX)

package: ## build Debian packages into build/package, and run them from a folder of their own
	$(call dependencies,build python package)
	$(call build,release,-DPMTR_TESTS=OFF -DPMTR_PYTHON=ON -DCMAKE_INSTALL_PREFIX=/usr)
	cd build/release && cpack
	scripts/check_packages.sh build/package

clean: ## remove all that was built
	rm -rf build

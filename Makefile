# The front door. Meson does the work; this file knows how to get there on a fresh machine.
BUILD ?= build
export BUILD

# Setting up comes before building, also under -j: ninja has its own ways of using all CPUs.
.NOTPARALLEL:

.PHONY: all setup demo test test-kernel bench fuzz sanitize lint format install clean

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@tools/setup.sh build
	@meson setup $(BUILD)

# Installs what the tests need too (with apt when run as root, else says what to install).
setup:
	@tools/setup.sh build test

test: setup all
	@tools/run-tests.sh $(BUILD)

demo: all
	@tools/demo.sh $(BUILD)

test-kernel: setup all
	@tests/vm/run.sh $(BUILD)

bench:
	@tools/setup.sh build bench
	@bench/run.sh $(BUILD)

# make fuzz [FUZZ_SECONDS=600]
fuzz:
	@tools/setup.sh build fuzz
	@fuzz/run.sh $(FUZZ_SECONDS)

sanitize:
	@tools/setup.sh build test fuzz
	@tools/sanitize.sh

lint:
	@tools/setup.sh build lint
	@tools/lint.sh $(BUILD)

format:
	@tools/lint.sh --fix

# make install [PREFIX=/usr] [DESTDIR=/tmp/package]; the prefix is /usr/local, or what was said last
install: all
	@$(if $(PREFIX),meson configure $(BUILD) --prefix=$(PREFIX))
	@meson install -C $(BUILD)

clean:
	@rm -rf $(BUILD)

# The front door. Meson does the work; this file knows how to get there on a fresh machine.
BUILD ?= build
export BUILD
export DESTDIR

# Setting up comes before building, also under -j: ninja has its own ways of using all CPUs.
.NOTPARALLEL:

.PHONY: all setup demo test test-kernel compilers bench fuzz sanitize lint format install uninstall clean

# What the build directory is configured with when it is made. WERROR=1 takes warnings for errors, as developers and CI
# want it: set it in the environment. A compiler that is newer than cairn may warn of more, and is no reason to fail.
configuration = $(if $(WERROR),-Dwerror=true) $(if $(PREFIX),--prefix='$(abspath $(PREFIX))')

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@tools/setup.sh build
	@meson setup $(BUILD) $(configuration)

# Installs what the tests need too (with apt when run as root, else says what to install).
setup:
	@tools/setup.sh build test

test: setup all
	@tools/run-tests.sh $(BUILD)

demo: all
	@tools/demo.sh $(BUILD)

test-kernel: setup all
	@tests/vm/run.sh $(BUILD)

# The other compilers: clang, and the newest gcc that Debian has.
compilers:
	@tools/setup.sh build test
	@tools/compilers.sh $(BUILD)

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
	@tools/install.sh $(BUILD) '$(abspath $(PREFIX))'

# Removes what was installed from this build directory, with the same PREFIX= and DESTDIR=.
uninstall:
	@tools/uninstall.py $(BUILD) '$(abspath $(PREFIX))' "$$DESTDIR"

clean:
	@rm -rf $(BUILD)

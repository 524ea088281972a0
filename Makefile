# The entry point. Meson does the work; these targets also install the packages that it needs.
BUILD ?= build
export BUILD
export DESTDIR

# Setting up must precede building, also with -j. ninja uses all CPUs by itself.
.NOTPARALLEL:

.PHONY: all release setup demo windows test test-all test-kernel compilers bench fuzz sanitize lint format install uninstall clean

# Options of a new build directory. WERROR=1 in the environment makes warnings errors, for developers and CI. It is not the
# default: a compiler that is newer than cairn may have new warnings, which must not fail a build.
configuration = $(if $(WERROR),-Dwerror=true) $(if $(PREFIX),--prefix='$(abspath $(PREFIX))')

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@tools/setup.sh build
	@meson setup $(BUILD) $(configuration)

# Compiles the program by a profile of its own runs, in three minutes: it decodes a tenth faster. `make install` installs that then.
release: all
	@tools/profile.sh $(BUILD)

# Installs the packages of the tests too: with apt as root; otherwise prints the apt-get command.
setup:
	@tools/setup.sh build test

test: setup all
	@tools/run-tests.sh $(BUILD)

# With all combinations (tests/extent.py).
test-all: setup all
	@CAIRN_TEST_ALL=1 tools/run-tests.sh $(BUILD)

# Builds what it needs, not the tests.
demo: $(BUILD)/build.ninja
	@ninja -C $(BUILD) cairn examples/treewalk
	@tools/demo.sh $(BUILD)

# The library and the examples for Windows, by mingw-w64, in $(BUILD)-windows.
windows:
	@tools/setup.sh build windows
	@tools/windows.sh $(BUILD)-windows

test-kernel: setup all
	@tests/vm/run.sh $(BUILD)

# Builds with clang and with the newest gcc of Debian.
compilers:
	@tools/setup.sh build test
	@tools/compilers.sh $(BUILD)

bench:
	@tools/setup.sh build bench
	@bench/run.sh $(BUILD) $(FIGURES)

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

# make install [PREFIX=/usr] [DESTDIR=/tmp/package]; without PREFIX: that of the last time, at first /usr/local
install: all
	@tools/install.sh $(BUILD) '$(abspath $(PREFIX))'

# Removes what was installed from this build directory, with the same PREFIX= and DESTDIR=.
uninstall:
	@tools/uninstall.py $(BUILD) '$(abspath $(PREFIX))' "$$DESTDIR"

clean:
	@rm -rf $(BUILD)

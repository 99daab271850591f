# skidpad: `make help` lists the targets; docs/building.md explains them.
#
# Where a file goes follows from its name:
#   target/skidpad-NAME.c, host/skidpad-NAME.c   the program of `skidpad NAME`
#   any other .c in shared/, target/, host/      $(LIB)
#   target/*/*_cobalt.c, *_evl.c, *_rtdm.c       only the programs of that core, see RT
#   rt-tests/{unit,model,loop,hil}/test_*.c      one test program each; hil: for guests of rt-tests/vm
#   any other .c in rt-tests/{support,unit,model}  $(TEST_LIB), linked into every test
#   rt-tests/rt-shim/test_*_CORE.c               a test of a core's sources on a stand-in
#   rt-tests/perf/NAME.c                         $(BUILD)/perf/NAME, a program for measurements
#   rt-tests/inject/*.c                          $(BUILD)/inject.so, calls that fail as planned
#   rt-tests/fuzz/fuzz_NAME.c                    a libFuzzer program, corpus in fuzz/corpus/NAME
#   host/web/                                    the page, host/web/dist, where node and npm are
# *_avx.c is compiled with -mavx; a source with the line `/* build: -O3 */` with -O3; a test with the
# line `/* build: no-tsan */` is not run under ThreadSanitizer.

ifeq ($(origin CC),default)
CC := gcc
endif
BUILD   ?= build
OPT     ?= -O2
PREFIX  ?= /usr/local
# psabi: vectors wider than a register are only passed to inlined functions.
WARN    := -Wall -Wextra -Wconversion -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes \
           -Wno-psabi
# -ffp-contract=off: the same bits with and without fused multiply-add.
STD     := -std=c17 -D_GNU_SOURCE -I.
# What stops an overrun of a buffer from being used. The checks of the C library need an optimizer,
# and hide what sanitizers look for.
HARDEN   = -fstack-protector-strong $(if $(filter -O0,$(OPT))$(findstring -fsanitize,$(CFLAGS)),, \
           -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
# Every symbol is bound at the start: the real-time thread never waits for the dynamic linker.
HARDEN_LINK := -Wl,-z,relro,-z,now
ALL_CFLAGS = $(STD) $(OPT) -g $(WARN) -ffp-contract=off -fno-math-errno $(HARDEN) $(CFLAGS)
LIBS    := -Wl,--as-needed -lyaml -lsleef -llapacke -lsodium -lmatio -lm -pthread
TEST_LIBS := -Wl,--as-needed -lcmocka -lsundials_cvode -lsundials_nvecserial \
             -lsundials_sunmatrixdense -lsundials_sunlinsoldense

# Real-time cores besides posix; each has its own skidpad-run-CORE and skidpad-bench-CORE. Without a
# word of yours: those whose libraries are found.
XENO_CONFIG  ?= $(firstword $(shell command -v xeno-config) $(wildcard /usr/xenomai/bin/xeno-config))
EVL_PREFIX   ?= $(patsubst %/include/evl/evl.h,%,$(firstword \
                  $(wildcard $(addsuffix /include/evl/evl.h,/usr/evl /usr/local /usr))))
RT           ?= posix $(if $(XENO_CONFIG),cobalt) $(if $(EVL_PREFIX),evl)

SCENARIO     ?=
FUZZ_SECONDS ?= 5
export BUILD FUZZ_SECONDS

# Guests are emulated PCs, which pays on a PC only.
VM := $(if $(filter x86_64,$(shell uname -m)),vm)

# ---- sources

PROGRAM_SRC := $(wildcard target/skidpad-*.c host/skidpad-*.c)
PROGRAMS    := $(patsubst %.c,$(BUILD)/%,$(notdir $(PROGRAM_SRC)))
COBALT_SRC  := $(wildcard target/*/*_cobalt.c target/*/*_rtdm.c)
EVL_SRC     := $(wildcard target/*/*_evl.c)
CORES       := $(filter-out posix,$(RT))
# The stand-in unit on RT-Socket-CAN needs Cobalt as well.
PROGRAMS    += $(foreach core,$(CORES),$(BUILD)/skidpad-run-$(core) $(BUILD)/skidpad-bench-$(core)) \
               $(if $(filter cobalt,$(CORES)),$(BUILD)/skidpad-ecu-cobalt)
LIB_SRC     := $(filter-out $(PROGRAM_SRC) $(COBALT_SRC) $(EVL_SRC),$(wildcard shared/*/*.c target/*.c target/*/*.c \
                 target/*/*/*.c host/*.c))
LIB         := $(BUILD)/libskidpad.a

TEST_SRC    := $(wildcard rt-tests/unit/test_*.c rt-tests/model/test_*.c rt-tests/loop/test_*.c \
                 rt-tests/hil/test_*.c)
TESTS       := $(TEST_SRC:rt-tests/%.c=$(BUILD)/tests/%)
TEST_LIB_SRC := $(filter-out $(TEST_SRC),$(wildcard rt-tests/support/*.c rt-tests/unit/*.c \
                 rt-tests/model/*.c))
TEST_LIB    := $(BUILD)/libtest.a
PERF_SRC    := $(wildcard rt-tests/perf/*.c)
PERF        := $(PERF_SRC:rt-tests/%.c=$(BUILD)/%)
FUZZ_SRC    := $(wildcard rt-tests/fuzz/fuzz_*.c)
FUZZERS     := $(FUZZ_SRC:rt-tests/%.c=$(BUILD)/%)
INJECT_SRC  := $(wildcard rt-tests/inject/*.c)

SHIM        := rt-tests/rt-shim
SHIM_COBALT_SRC := $(COBALT_SRC) $(wildcard $(SHIM)/*_cobalt.c)
SHIM_EVL_SRC := $(EVL_SRC) $(wildcard $(SHIM)/*_evl.c)
SHIM_SRC    := $(filter-out %_cobalt.c %_evl.c,$(wildcard $(SHIM)/*.c))
SHIM_TESTS  := $(patsubst $(SHIM)/%.c,$(BUILD)/tests/rt-shim/%,$(wildcard $(SHIM)/test_*.c))
SHIM_PROGRAMS := $(foreach core,cobalt evl,$(addprefix $(BUILD)/shim/skidpad-,run-$(core) \
                 bench-$(core))) $(BUILD)/shim/skidpad-ecu-cobalt

ALL_SRC     := $(LIB_SRC) $(PROGRAM_SRC) $(TEST_LIB_SRC) $(TEST_SRC) $(PERF_SRC) $(FUZZ_SRC)
STEP_SRC    := $(foreach file,$(wildcard target/model/*.c target/model/*/*.c target/road/*.c target/loop.c \
                 target/loop_requests.c target/signals_fill.c shared/base/ring.c shared/base/latest.c),$(if \
                 $(findstring _load,$(file))$(filter tir% tyre_file.c tyre_units.c,$(notdir $(file))),,$(file)))
HOT_SRC     := $(if $(LIB_SRC),$(shell grep -lF '/* build: -O3 */' $(LIB_SRC)))

# The page. Variants of the programs share the one of the plain build; without npm, or without a
# network when its libraries are not there yet, the programs are built all the same.
WEB         := host/web
WEB_SRC     := $(WEB)/build.mjs $(shell find $(WEB)/src -type f)
WEB_TRY     := $(if $(filter build,$(BUILD)),$(if $(shell command -v npm),web-try))
NPM_CI      := cd $(WEB) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error \
               --prefer-offline --fetch-retries=1

# ---- what a user types

# Each of these calls make again for the parts, so that packages are there before anything is
# compiled, whatever -j says.
ENTRY := run test check unit model loop cli host-tests web-test fuzz golden perf test-vm vm-figure inject soak soak-kills
ifneq ($(filter $(ENTRY),$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif
SUBMAKE = $(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

.DEFAULT_GOAL := all
.PHONY: all web web-try web-tests web-figures help setup tests threaded-tests perf-programs sim fuzzers format install uninstall clean \
        tidy $(ENTRY) FORCE
.SECONDARY:
.DELETE_ON_ERROR:

all: $(PROGRAMS) $(WEB_TRY) ## build every program, and the page if npm is there (packages: `make setup`)

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' Makefile
	@echo
	@echo 'CC, OPT (-O2), CFLAGS, BUILD (build), V=1 (show commands) may be set, e.g. make OPT=-O0.'

setup: ## install the Debian packages that building, running and testing need
	@deploy/setup.sh run test web

run: ## install what is missing, build, and show the demo (SCENARIO=FILE: drive that one offline)
	@deploy/setup.sh run
	@+$(SUBMAKE) all
	@./skidpad $(if $(SCENARIO),sim $(SCENARIO),demo)

test: ## install what is missing, build, run every test and check; last line: the count
	@deploy/setup.sh run test web $(VM)
	@rt-tests/run-all.sh unit cli model loop host inject soak web $(VM) static sanitize golden perf fuzz

check: ## warnings as errors, clang-tidy, cppcheck, sanitizers, include arrows, pure objects
	@deploy/setup.sh run test
	@rt-tests/run-all.sh static sanitize

unit: ## unit tests only (ONLY=text: those whose name contains text)
	@rt-tests/run-all.sh unit

model: ## model tests only (ONLY=text)
	@rt-tests/run-all.sh model

loop: ## tests of the real-time loop only (ONLY=text)
	@rt-tests/run-all.sh loop

cli: ## command-line tests only: what bad input gets (ONLY=text)
	@rt-tests/run-all.sh cli

host-tests: ## tests of the host only: recording, pages, commands (ONLY=text)
	@rt-tests/run-all.sh host

web: $(WEB)/dist/index.html ## build the page that `skidpad host` serves (packages: `deploy/setup.sh web`)

web-test: ## tests of the page, in Debian's chromium (ONLY=text)
	@deploy/setup.sh run test web
	@rt-tests/run-all.sh web

web-figures: web-tests ## the pictures of docs/page.md, from real runs on the real host
	@rm -rf $(BUILD)/figures
	@node rt-tests/web/figures.mjs $(BUILD)/figures docs/img

test-vm: ## tests in guests with Debian's PREEMPT_RT and stock kernels, emulated (ONLY=text)
	@deploy/setup.sh run test vm
	@rt-tests/run-all.sh vm

vm-figure: ## both kernels' missed deadlines on the instruction clock, drawn for docs/real-time.md
	@deploy/setup.sh run vm
	@+$(SUBMAKE) all
	@rt-tests/vm/figure.sh

fuzz: ## replay the fuzz corpora, then fuzz each loader for FUZZ_SECONDS (5)
	@rt-tests/run-all.sh fuzz

inject: ## make every call outside the tick fail that can, with every error (docs/building.md)
	@deploy/setup.sh run test
	@+$(SUBMAKE) all $(BUILD)/inject.so
	@rt-tests/inject/test_inject.sh --all

soak: ## a serving bench for SOAK_SECONDS (600) under requests and 200 kill -9; memory of the host
	@deploy/setup.sh run test
	@+$(SUBMAKE) all
	@rt-tests/soak/soak.sh

soak-kills: ## 2,000 kill -9, and the table of what they lost for docs/real-time.md
	@deploy/setup.sh run test
	@+$(SUBMAKE) all
	@rt-tests/soak/soak.sh 0 2000 100 --drive 0.3 --table

golden: ## hash of a run per car, the same in every build and on a CPU without AVX; updates the file
	@rt-tests/golden/golden.sh update

perf: ## time and instructions of step and tick, wake-up latency beside cyclictest's
	@+$(SUBMAKE) all perf-programs
	@rt-tests/perf/perf.sh table
	@echo
	@$(BUILD)/perf/loop_cost 1000
	@echo
	@$(BUILD)/perf/can_rate
	@echo
	@rt-tests/perf/bus.sh table
	@rt-tests/perf/ecu.sh table
	@rt-tests/perf/hydraulics.sh table
	@echo
	@rt-tests/perf/host.sh
	@echo
	@rt-tests/perf/wakeup.sh
	@if [ -x rt-tests/vm/cyclictest.sh ]; then echo; rt-tests/vm/cyclictest.sh; fi

format: ## lay out all C sources by .clang-format
	@find $(wildcard shared target host rt-tests) -name '*.[ch]' -exec clang-format -i {} +

install: all ## copy programs, front command and config below $(DESTDIR)$(PREFIX)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/skidpad
	install -m 755 skidpad $(DESTDIR)$(PREFIX)/bin/skidpad
	install -m 755 $(PROGRAMS) $(DESTDIR)$(PREFIX)/libexec/skidpad
	find config -type f -exec install -D -m 644 {} $(DESTDIR)$(PREFIX)/share/skidpad/{} \;
	if [ -d $(WEB)/dist ]; then cd $(WEB)/dist && find . -type f ! -name '*.map' \
	    -exec install -D -m 644 {} $(DESTDIR)$(PREFIX)/share/skidpad/web/{} \; ; fi

uninstall: ## remove what install copied
	rm -f $(DESTDIR)$(PREFIX)/bin/skidpad
	rm -rf $(DESTDIR)$(PREFIX)/libexec/skidpad $(DESTDIR)$(PREFIX)/share/skidpad

clean: ## remove everything built
	rm -rf $(BUILD) $(WEB)/dist

# ---- how it is built

ifeq ($(V),1)
say = @:
Q :=
else
say = @printf '  %-5s %s\n'
Q := @
endif

# Two stamps: what building the page needs, and what its tests need besides.
$(WEB)/node_modules/.build: $(WEB)/package-lock.json
	$(say) NPM $(WEB)
	$(Q)$(NPM_CI) --omit=dev >/dev/null
	@touch $@
$(WEB)/node_modules/.tests: $(WEB)/package-lock.json
	$(say) NPM $(WEB)
	$(Q)$(NPM_CI) >/dev/null
	@touch $(WEB)/node_modules/.build $@
web-tests: $(WEB)/node_modules/.tests
	@$(MAKE) --no-print-directory web

$(WEB)/dist/index.html: $(WEB_SRC) $(WEB)/node_modules/.build
	$(say) WEB $(@D)
	$(Q)cd $(WEB) && node build.mjs
web-try:
	@$(MAKE) --no-print-directory web || echo 'The page was not built; `make web` tries again.' >&2

# The files below change only when their text does; what depends on them is rebuilt then. -Werror
# changes no object.
define write_if_changed
@mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(strip $1))' >$@.$$$$; \
if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi
endef

$(BUILD)/flags: FORCE
	@command -v $(firstword $(CC)) >/dev/null || \
	    { echo "$(firstword $(CC)) is not installed; 'make setup' installs what is missing" >&2; exit 2; }
	$(call write_if_changed,$(CC) $(filter-out -Werror,$(ALL_CFLAGS)))

VERSION  := $(shell cat VERSION)
REVISION := $(or $(shell git describe --always --dirty 2>/dev/null),unknown)
$(BUILD)/version: FORCE
	$(call write_if_changed,$(VERSION) $(REVISION))

FILE_FLAGS :=
$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(ALL_CFLAGS) $(FILE_FLAGS) -MMD -MP -c $< -o $@

# Four-wide code exists once for AVX and once for the SSE2 that every x86-64 has.
ifeq ($(shell uname -m),x86_64)
$(BUILD)/obj/%_avx.o: FILE_FLAGS += -mavx
$(BUILD)/tidy-quick/%_avx.ok $(BUILD)/tidy-full/%_avx.ok: FILE_FLAGS += -mavx
endif
# The longest sources by far: fuzzers, which read files, take them without sanitizers.
$(BUILD)/obj/target/model/lumped15/evaluate_%.o $(BUILD)/obj/target/model/two_track/evaluate_%.o: FILE_FLAGS += $(EVALUATE_FLAGS)
# Marked sources, unless another level than the usual one was asked for.
ifeq ($(OPT),-O2)
$(HOT_SRC:%.c=$(BUILD)/obj/%.o): FILE_FLAGS += -O3
endif
# What a step runs through works on fixed arrays and reads nothing from outside: the C library's
# checks find nothing there, but cost 3 % of its instructions.
$(STEP_SRC:%.c=$(BUILD)/obj/%.o): FILE_FLAGS += -U_FORTIFY_SOURCE
# Version and revision reach one object only, so that a commit does not rebuild the rest.
$(BUILD)/obj/shared/base/version.o: $(BUILD)/version
$(BUILD)/obj/shared/base/version.o: FILE_FLAGS = \
    -DSKIDPAD_VERSION='"$(VERSION)"' -DSKIDPAD_REVISION='"$(REVISION)"'

# A library is made anew when a source was added or removed.
$(BUILD)/sources: FORCE
	$(call write_if_changed,$(LIB_SRC) $(TEST_LIB_SRC))

$(LIB): $(LIB_SRC:%.c=$(BUILD)/obj/%.o)
$(TEST_LIB): $(TEST_LIB_SRC:%.c=$(BUILD)/obj/%.o)
$(LIB) $(TEST_LIB): $(BUILD)/sources
	@rm -f $@
	$(say) AR $@
	$(Q)$(AR) rcs $@ $(filter %.o,$^)

define link
@mkdir -p $(@D)
$(say) LD $@
$(Q)$(CC) $(ALL_CFLAGS) $(HARDEN_LINK) $(LDFLAGS) $^ $1 -o $@
endef

$(BUILD)/skidpad-%: $(BUILD)/obj/target/skidpad-%.o $(LIB)
	$(call link,$(LIBS))
$(BUILD)/skidpad-%: $(BUILD)/obj/host/skidpad-%.o $(LIB)
	$(call link,$(LIBS))
$(BUILD)/tests/%: $(BUILD)/obj/rt-tests/%.o $(TEST_LIB) $(LIB)
	$(call link,$(TEST_LIBS) $(LIBS))
$(BUILD)/perf/%: $(BUILD)/obj/rt-tests/perf/%.o $(TEST_LIB) $(LIB)
	$(call link,$(TEST_LIBS) $(LIBS))
# Counts the loop without the car.
$(BUILD)/perf/loop_cost: LDFLAGS += -Wl,--wrap=offline_plant,--wrap=offline_sense
# Its clocks are its own.
$(BUILD)/tests/loop/test_requests: LDFLAGS += -Wl,--wrap=clock_gettime
$(BUILD)/fuzz/%: $(BUILD)/obj/rt-tests/fuzz/%.o $(LIB)
	$(call link,-fsanitize=fuzzer $(LIBS))

# Loaded before libc: neither sanitizers nor checks of its own calls.
$(BUILD)/inject.so: $(INJECT_SRC) $(wildcard rt-tests/inject/*.h)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(STD) $(WARN) -O1 -g -fPIC -fno-builtin -U_FORTIFY_SOURCE -shared $(INJECT_SRC) -o $@

# ---- programs of the real-time cores

# Their headers are not ours: no warnings about them; and they use GNU C.
COBALT_FLAGS = -std=gnu17 $(patsubst -I%,-isystem %,$(shell $(XENO_CONFIG) --cobalt --cflags))
COBALT_LIBS  = $(shell $(XENO_CONFIG) --cobalt --no-auto-init --ldflags) \
               -Wl,-rpath,$(shell $(XENO_CONFIG) --libdir)
EVL_FLAGS    = -std=gnu17 -isystem $(EVL_PREFIX)/include
EVL_LIBS     = -L$(EVL_PREFIX)/lib -levl -Wl,-rpath,$(EVL_PREFIX)/lib
SHIM_FLAGS   = -std=gnu17 -I$(SHIM) -isystem $(SHIM)/$(1)

$(if $(filter-out posix cobalt evl,$(RT)),$(error RT="$(RT)": allowed are posix, cobalt and evl))
found = $(if $($1),,$(error RT has $2, but $3; docs/real-time.md says where to get it))
FOUND_cobalt = $(call found,XENO_CONFIG,cobalt,there is no xeno-config: set XENO_CONFIG=/PATH/xeno-config)
FOUND_evl    = $(call found,EVL_PREFIX,evl,there is no evl/evl.h: set EVL_PREFIX=/FOLDER)

# The other libraries and flags also count for whether they have to be built again.
$(BUILD)/flags-cobalt: FORCE
	$(call write_if_changed,$(FOUND_cobalt)$(COBALT_FLAGS) $(COBALT_LIBS))
$(BUILD)/flags-evl: FORCE
	$(call write_if_changed,$(FOUND_evl)$(EVL_FLAGS) $(EVL_LIBS))

define compile
@mkdir -p $(@D)
$(say) CC $<
$(Q)$(CC) $(ALL_CFLAGS) $1 -MMD -MP -c $< -o $@
endef

$(BUILD)/cobalt/%.o: %.c $(BUILD)/flags $(BUILD)/flags-cobalt
	$(call compile,$(COBALT_FLAGS))
$(BUILD)/evl/%.o: %.c $(BUILD)/flags $(BUILD)/flags-evl
	$(call compile,$(EVL_FLAGS))
$(BUILD)/shim/cobalt/%.o: %.c $(BUILD)/flags
	$(call compile,$(call SHIM_FLAGS,cobalt))
$(BUILD)/shim/evl/%.o: %.c $(BUILD)/flags
	$(call compile,$(call SHIM_FLAGS,evl))

# Before the library, whose members of the same names then stay out.
$(BUILD)/skidpad-%-cobalt: $(BUILD)/obj/target/skidpad-%.o $(COBALT_SRC:%.c=$(BUILD)/cobalt/%.o) $(LIB)
	$(call link,$(COBALT_LIBS) $(LIBS))
$(BUILD)/skidpad-%-evl: $(BUILD)/obj/target/skidpad-%.o $(EVL_SRC:%.c=$(BUILD)/evl/%.o) $(LIB)
	$(call link,$(EVL_LIBS) $(LIBS))

# The same sources on the stand-ins of rt-tests/rt-shim.
SHIM_OBJ_cobalt := $(patsubst %.c,$(BUILD)/shim/cobalt/%.o,$(filter-out $(SHIM)/test_%,$(SHIM_COBALT_SRC) $(SHIM_SRC)))
SHIM_OBJ_evl := $(patsubst %.c,$(BUILD)/shim/evl/%.o,$(filter-out $(SHIM)/test_%,$(SHIM_EVL_SRC) $(SHIM_SRC)))
$(BUILD)/shim/skidpad-%-cobalt: $(BUILD)/obj/target/skidpad-%.o $(SHIM_OBJ_cobalt) $(LIB)
	$(call link,$(LIBS))
$(BUILD)/shim/skidpad-%-evl: $(BUILD)/obj/target/skidpad-%.o $(SHIM_OBJ_evl) $(LIB)
	$(call link,$(LIBS))
$(BUILD)/tests/rt-shim/%_cobalt: $(BUILD)/shim/cobalt/$(SHIM)/%_cobalt.o $(SHIM_OBJ_cobalt) $(TEST_LIB) $(LIB)
	$(call link,$(TEST_LIBS) $(LIBS))
$(BUILD)/tests/rt-shim/%_evl: $(BUILD)/shim/evl/$(SHIM)/%_evl.o $(SHIM_OBJ_evl) $(TEST_LIB) $(LIB)
	$(call link,$(TEST_LIBS) $(LIBS))

tests: $(TESTS) $(PERF) $(SHIM_TESTS) $(SHIM_PROGRAMS) $(BUILD)/inject.so
perf-programs: $(PERF)
sim: $(BUILD)/skidpad-sim
# Those of the loop, but for marked ones, which do much in a single thread.
threaded-tests: $(patsubst rt-tests/%.c,$(BUILD)/tests/%,$(shell \
                  grep -LF '/* build: no-tsan */' rt-tests/loop/test_*.c; \
                  grep -l thread rt-tests/unit/test_*.c))
fuzzers: $(FUZZERS)

# ---- other builds of the same sources, each in its own folder below $(BUILD)

ASAN := -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all \
        -fno-omit-frame-pointer
# Without var-tracking gcc takes a quarter of the time for the longest sources.
VARIANT_asan  = CC=gcc OPT=-O1 CFLAGS='$(ASAN) -fno-var-tracking' $(PARTS)
VARIANT_O0    = CC=gcc OPT=-O0 LIB_SRC='$(SIM_SRC)' sim
VARIANT_O3    = CC=gcc OPT=-O3 LIB_SRC='$(SIM_SRC)' sim
VARIANT_clang = CC=clang LIB_SRC='$(SIM_SRC)' sim
VARIANT_tsan  = CC=gcc OPT=-O1 CFLAGS='-fsanitize=thread -fno-var-tracking' threaded-tests
VARIANT_fuzz  = CC=clang OPT=-O1 CFLAGS='$(ASAN) -fsanitize=fuzzer-no-link' \
                EVALUATE_FLAGS=-fno-sanitize=all fuzzers

# What the linker took from the library for skidpad-sim, a third of it.
SIM_MAP := $(BUILD)/skidpad-sim.map
SIM_SRC  = $(or $(filter $(patsubst %.o,\%/%.c,$(shell \
             sed -n 's/.*libskidpad\.a(\(.*\))$$/\1/p' $(SIM_MAP))),$(LIB_SRC)),$(LIB_SRC))
$(BUILD)/skidpad-sim: LDFLAGS += -Wl,-Map=$(SIM_MAP)
variant-O0 variant-O3 variant-clang: $(BUILD)/skidpad-sim

PARTS ?= all tests
variant-%:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/$* $(VARIANT_$*)

# clang-tidy, with clang's own warnings, of what changed: an object is newer than its stamp if the
# source or a header is. The analyzer takes nine tenths of the time; TIDY=quick keeps it for code that reads what comes from
# outside.
TIDY  ?= full
TIDIED := $(BUILD)/tidy-$(TIDY)
tidy_checks = $(if $(filter quick,$(TIDY)),$(if $(filter shared/% host/% target/io/%,$*),,--checks=-clang-analyzer-*))
$(TIDIED)/%.ok: $(BUILD)/obj/%.o .clang-tidy
	@mkdir -p $(@D)
	$(say) TIDY $*.c
	$(Q)clang-tidy --quiet $(tidy_checks) $*.c -- $(STD) $(WARN) $(FILE_FLAGS) 2>$@.err || \
	    { grep -v 'warnings* .*generated' $@.err; false; }
	@touch $@
# Sources of the cores by their stand-ins.
$(TIDIED)/shim/%.ok: $(BUILD)/shim/%.o .clang-tidy
	@mkdir -p $(@D)
	$(say) TIDY $*.c
	$(Q)core=$(firstword $(subst /, ,$*)); source=$(patsubst $(firstword $(subst /, ,$*))/%,%,$*).c; \
	clang-tidy --quiet $$source -- $(STD) $(WARN) $(call SHIM_FLAGS,$(firstword $(subst /, ,$*))) 2>$@.err || \
	    { grep -v 'warnings* .*generated' $@.err; false; }
	@touch $@
SHIM_ALL := $(SHIM_COBALT_SRC:%.c=cobalt/%) $(SHIM_SRC:%.c=cobalt/%) $(SHIM_EVL_SRC:%.c=evl/%)
tidy: $(ALL_SRC:%.c=$(TIDIED)/%.ok) $(SHIM_ALL:%=$(TIDIED)/shim/%.ok)

-include $(ALL_SRC:%.c=$(BUILD)/obj/%.d) $(SHIM_ALL:%=$(BUILD)/shim/%.d) \
    $(SHIM_SRC:%.c=$(BUILD)/shim/evl/%.d) \
    $(COBALT_SRC:%.c=$(BUILD)/cobalt/%.d) $(EVL_SRC:%.c=$(BUILD)/evl/%.d)

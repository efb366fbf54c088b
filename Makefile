# dlints: contextual bandits in PostgreSQL
#
#   make, make install, make installcheck    as with any extension (PGXS)
#   make demo, make test, make bench,        install what is missing, then run
#   make load, make paper, make peers        against a private, throwaway server;
#                                            ARGS="..." goes to the last four
#   make fuzz, make fuzz-corpus,             hostile input, for a minute per target
#   make sqlsmith
#   make sanitize, make valgrind             the tests, under other checkers
#   make long-run                            what millions of observations leave
#   make lint                                what reads the source for mistakes
#
# PG_CONFIG chooses the PostgreSQL.

EXTENSION = dlints
EXTVERSION = 0.1.0

MODULE_big = dlints
OBJS = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c))) $(CORE_OBJS)

# "make demo DATA=folder" is the reader's; PGXS means something else by DATA.
ifneq ($(filter environment% command%,$(origin DATA)),)
DEMO_DATA := $(DATA)
endif
# Scripts that install a version and scripts that upgrade to the next one, all
# that were ever released
override DATA = $(sort $(wildcard sql/$(EXTENSION)--*.sql))

# The first creates the extension, the last drops it.
REGRESS = dlints_basic dlints_type dlints_learn dlints_choose dlints_look \
	dlints_shared dlints_errors dlints_catalog
REGRESS_OPTS = --inputdir=.

PG_CPPFLAGS = -Isrc -DDLINTS_VERSION='"$(EXTVERSION)"'
SHLIB_EXPORTS = src/exports.txt
# SANITIZE=address,undefined builds everything with these checkers.  The server's
# own flags let integers wrap around; here that is an error.
SANITIZE_FLAGS = $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all)
PG_CFLAGS = $(FP_FLAGS) \
	$(if $(SANITIZE),$(SANITIZE_FLAGS) -fno-wrapv -DUSE_ASSERT_CHECKING)
# Which BLAS and LAPACK these are is the system's choice, made when the server
# loads the library; a serial build is the right one.
SHLIB_LINK = -llapack -lblas -lm $(SANITIZE_FLAGS)

EXTRA_CLEAN = build $(EXTENSION)-$(EXTVERSION).tar.gz

SCRIPTS_DIR := $(dir $(lastword $(MAKEFILE_LIST)))scripts
include $(SCRIPTS_DIR)/../src/core/core.mk

# A PG_CONFIG from the caller is handed on to the scripts.  Otherwise they look
# for one by themselves, since they may have to install it first.
ifdef PG_CONFIG
export PG_CONFIG
PG_CONFIG_USED := $(PG_CONFIG)
else
PG_CONFIG_USED := $(or $(shell sh $(SCRIPTS_DIR)/find-pg-config.sh),pg_config)
endif
PGXS := $(shell $(PG_CONFIG_USED) --pgxs 2>/dev/null)

ifneq ($(wildcard $(PGXS)),)
ifndef PG_CONFIG
PG_CONFIG = $(PG_CONFIG_USED)
endif
include $(PGXS)

# Code that the server's JIT compiler may inline has to give that same answer.
BITCODE_CFLAGS += $(FP_FLAGS)

$(VECTOR_OBJS): override CFLAGS += $(VECTOR_FLAGS)

else

.PHONY: all install uninstall installcheck clean distclean
all install uninstall installcheck:
	@sh $(SCRIPTS_DIR)/explain-build.sh

clean distclean:
	rm -f $(MODULE_big).so $(OBJS) $(OBJS:.o=.bc)
	rm -rf $(EXTRA_CLEAN) results regression.diffs regression.out

endif

ALL_HEADERS = $(wildcard src/*.h src/core/*.h)
$(OBJS) $(OBJS:.o=.bc): $(ALL_HEADERS)


# What the sanitizers are tried on; the same flags as the extension's
build/canary.so: test/sanitize/canary.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CPPFLAGS) -fPIC -shared -o $@ $<

.PHONY: core-tests test test-core sanitize valgrind long-run lint demo bench load paper peers dist

core-tests core-fuzzers build/core/long_run:
	$(MAKE) -C test/core $(patsubst core-%,%,$(subst core-tests,all,$(subst build/core/long_run,long,$@)))

.PHONY: core-fuzzers fuzz fuzz-corpus sqlsmith

# FUZZ_SECONDS=60 for each target, FUZZ_TARGETS="..." for some of them
fuzz fuzz-corpus:
	@sh $(SCRIPTS_DIR)/install-dependencies.sh fuzz
	@sh $(SCRIPTS_DIR)/fuzz.sh $@

# SQLSMITH_SECONDS=60
sqlsmith:
	@sh $(SCRIPTS_DIR)/install-dependencies.sh sqlsmith
	@sh $(SCRIPTS_DIR)/sqlsmith.sh

test:
	@sh $(SCRIPTS_DIR)/install-dependencies.sh test
	@sh $(SCRIPTS_DIR)/run-tests.sh

test-core:
	@sh $(SCRIPTS_DIR)/install-dependencies.sh test-core
	@STAGES=core sh $(SCRIPTS_DIR)/run-tests.sh

sanitize:
	@sh $(SCRIPTS_DIR)/install-dependencies.sh test
	@sh $(SCRIPTS_DIR)/run-sanitized.sh

# The unit tests allocate with malloc, where memcheck sees each array.
MEMCHECK = valgrind -q --error-exitcode=99 --leak-check=full \
	--show-leak-kinds=all --errors-for-leak-kinds=all

valgrind:
	@sh $(SCRIPTS_DIR)/install-dependencies.sh valgrind
	@STAGES=core CORE_EXEC='$(MEMCHECK)' sh $(SCRIPTS_DIR)/run-tests.sh

long-run:
	@sh $(SCRIPTS_DIR)/install-dependencies.sh test
	@sh $(SCRIPTS_DIR)/long-run.sh

lint:
	@sh $(SCRIPTS_DIR)/install-dependencies.sh lint
	@sh $(SCRIPTS_DIR)/lint.sh

demo:
	@sh $(SCRIPTS_DIR)/install-dependencies.sh demo
	@DATA='$(DEMO_DATA)' sh $(SCRIPTS_DIR)/with-extension.sh python3 bench/demo/demo.py

bench:
	@sh $(SCRIPTS_DIR)/install-dependencies.sh bench
	@sh $(SCRIPTS_DIR)/with-extension.sh python3 bench/speed/bench.py $(ARGS)

# Many clients at once; commits wait for the disk, as those of a real server do.
load:
	@sh $(SCRIPTS_DIR)/install-dependencies.sh load
	@SERVER_SETTINGS='fsync = on' sh $(SCRIPTS_DIR)/with-extension.sh python3 bench/load/load.py $(ARGS)

# The paper's experiments, and the programs that dlints competes with
paper:
	@sh $(SCRIPTS_DIR)/install-dependencies.sh paper
	@DATA='$(DEMO_DATA)' sh $(SCRIPTS_DIR)/with-extension.sh python3 bench/paper/paper.py $(ARGS)

peers:
	@sh $(SCRIPTS_DIR)/install-dependencies.sh peers
	@sh $(SCRIPTS_DIR)/with-extension.sh python3 bench/peers/peers.py $(ARGS)

# The source as it is committed, once every file agrees on the version.
dist:
	@grep -q "^default_version = '$(EXTVERSION)'" $(EXTENSION).control || \
		{ echo "$(EXTENSION).control does not say version $(EXTVERSION)" >&2; exit 1; }
	@test "`sed '/"meta-spec"/,$$d' META.json | grep -cF '"version": "$(EXTVERSION)"'`" = 2 || \
		{ echo "META.json does not say version $(EXTVERSION) twice" >&2; exit 1; }
	@grep -q "^## \[$(EXTVERSION)\]" CHANGELOG.md || \
		{ echo "CHANGELOG.md has no section for $(EXTVERSION)" >&2; exit 1; }
	@sh $(SCRIPTS_DIR)/check-release.sh $(EXTVERSION)
	git archive --format=tar.gz --prefix=$(EXTENSION)-$(EXTVERSION)/ \
		-o $(EXTENSION)-$(EXTVERSION).tar.gz HEAD

# dlints: contextual bandits in PostgreSQL
#
#   make, make install, make installcheck    as with any extension (PGXS)
#   make demo, make shop, make play          install what is missing, then show dlints
#                                            at work with a private, throwaway server
#   make speed, make drift, make judge,      measure it likewise.  ARGS="..." goes to
#   make capacity                            all of these; ARGS=--help says what each takes
#   make firstday                            first lists of a recommender, against what a
#                                            few lines of SQL find in the same log
#   make bench                               is make speed; python3 -m bench lists all
#   make records DATA=folder                 published figures of others beside ours
#   make test                                the tests; TESTS="test/t/001_basic.pl"
#   make demo-test, make shop-test           five of each show: fail if a bar is missed,
#                                            of which the shows only tell
#   make play-test                           the page of make play in a headless Chromium
#   make mutants                             which changes of recommenders no test sees;
#                                            hours, or ARGS="--every 50"
#   make fuzz, make fuzz-corpus,             hostile input, for a minute per target
#   make sqlsmith
#   make sanitize, make valgrind             the tests, under other checkers
#   make long-run                            rounding errors of ten million observations
#   make citus CITUS=folder                  with Citus, built from that checkout
#   make majors FROM="pg_config ..."         what older major versions have stored goes on
#                                            in that of PG_CONFIG
#   make lint                                what reads the source for mistakes
#   make dist                                the release, as a tarball
#   make deb, make deb-test                  Debian packages, in build/deb; and
#                                            tried in a system of their own
#   make fresh-test                          demo and test in three systems made for
#                                            it; ARGS="bare older source" says which
#
# PG_CONFIG chooses the PostgreSQL.

EXTENSION = dlints dlints_pgvector
EXTVERSION = 0.1.0

include src/core/core.mk
MODULE_big = dlints
OBJS = $(patsubst %.c,%.o,$(sort $(filter-out src/core/%,$(wildcard src/*.c src/*/*.c)))) $(CORE_OBJS)

# "make demo DATA=folder" and PYTHON are the reader's.  In PGXS, DATA lists the scripts to
# install, and PYTHON is the interpreter that PostgreSQL was built with.
DEMO_DATA := $(DATA)
READERS_PYTHON := $(PYTHON)
CREATION_SCRIPTS = $(EXTENSION:%=sql/%--$(EXTVERSION).sql)
# Upgrade scripts are written by hand.
override DATA = $(sort $(wildcard $(EXTENSION:%=sql/%--*--*.sql)))
DATA_built = $(CREATION_SCRIPTS)
# Files of the creation script, in order: a function bound when it is made comes after those that it calls
DECLARATIONS = $(patsubst %,sql/functions/%.sql,types learn choose look vectors judge) \
	$(patsubst %,sql/common/%.sql,entry arguments template tables wrappers log statistics constraints learn run) \
	$(patsubst %,sql/recommender/%.sql,tables views wrappers columns bindings rekey resolve create \
		checks profile page rates effects versions vectors popularity blocks factors upkeep later_values neighbour_weight warm_start repeats \
		constraints learn health report backtest) \
	$(patsubst %,sql/ranker/%.sql,tables views wrappers actions page constraints learn report winner) \
	sql/manage.sql

# The first creates the extension, the last drops it.
REGRESS = dlints_basic dlints_type dlints_learn dlints_choose dlints_errors dlints_encoding dlints_catalog

# SANITIZE=address,undefined builds everything with these checkers.  The server's
# own flags let integers wrap around; here that is an error.
SANITIZE_FLAGS = $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all)
PG_CPPFLAGS = -Isrc -DDLINTS_VERSION='"$(EXTVERSION)"'
# A function that no header declares is called wrongly: better no library at all.
DECLARED_FLAGS = -Werror=implicit-function-declaration -Werror=int-conversion
PG_CFLAGS = $(FP_FLAGS) $(DECLARED_FLAGS) $(if $(SANITIZE),$(SANITIZE_FLAGS) -fno-wrapv -DUSE_ASSERT_CHECKING)
# Nothing but what SQL calls can be seen from outside.
SHLIB_EXPORTS = src/exports.txt
# Which BLAS and LAPACK these are is the system's choice, made when the server
# loads the library; a serial build is the right one.
SHLIB_LINK = $(LAPACK_LIBS) $(BLAS_LIBS) -lm $(SANITIZE_FLAGS)
EXTRA_CLEAN = build dlints-$(EXTVERSION).tar.gz

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifneq ($(wildcard $(PGXS)),)
include $(PGXS)

# Code that the server's JIT compiler may inline has to give that same answer.
BITCODE_CFLAGS += $(FP_FLAGS) $(DECLARED_FLAGS)
$(VECTOR_OBJS): override CFLAGS += $(VECTOR_FLAGS)
$(OBJS) $(OBJS:.o=.bc): $(wildcard src/*.h src/*/*.h)

sql/dlints--$(EXTVERSION).sql: $(DECLARATIONS)
sql/dlints_pgvector--$(EXTVERSION).sql: sql/pgvector/casts.sql
# A column that a user adds to our tables may have the name of a variable: variables take precedence.
$(CREATION_SCRIPTS):
	sed '/LANGUAGE plpgsql/,/^\$$\$$$$/s/^\$$\$$$$/$$$$#variable_conflict use_variable/' $(filter %.sql,$^) >$@
else
.PHONY: all install installcheck clean
all install installcheck clean:
	@echo '$(PG_CONFIG) is no pg_config of a PostgreSQL with server headers;' \
		'PG_CONFIG=/path/to/pg_config names one. ("make test" and "make demo" install it.)' >&2; exit 1
endif

# Debian's libraries are for Debian's Python.
export override PYTHON := $(or $(READERS_PYTHON),$(wildcard /usr/bin/python3),python3)
export TESTS
INSTALL_FOR = @scripts/install.sh
WITH_SERVER = @scripts/with-server.sh

.PHONY: test bench demo shop demo-test shop-test play firstday speed capacity drift judge \
	records play-test mutants fuzz fuzz-corpus sqlsmith sanitize valgrind long-run citus majors lint dist

# PostgreSQL's own headers are not clean under the last of these, and its flags
# are those of the compiler it was built with.
test sanitize: export COPT ?= -Werror -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare \
	-Wno-unknown-warning-option -Wno-ignored-optimization-argument -Wno-ignored-attributes
# What tests compute in SQL to compare with would be compiled first.
test sanitize: export SERVER_SETTINGS ?= jit = off
# OpenBLAS takes its oldest kernels where it does not know the processor, and these round by where
# numbers lie in memory: a draw then differs in its last digit between two sessions.
ifneq ($(shell grep -sm 1 avx2 /proc/cpuinfo),)
test sanitize: export OPENBLAS_CORETYPE ?= Haswell
endif
test:
	$(INSTALL_FOR) test server
	$(WITH_SERVER) -u scripts/test.sh

sanitize:
	$(INSTALL_FOR) test server
	@scripts/sanitize.sh

# The unit tests allocate with malloc, where memcheck sees each array.
MEMCHECK = valgrind -q --error-exitcode=99 --leak-check=full \
	--show-leak-kinds=all --errors-for-leak-kinds=all
valgrind:
	$(INSTALL_FOR) core
	@$(MAKE) -s -C test/core check CORE_EXEC='$(MEMCHECK)'

# First pages of sessions have a bar for servers that preload the library.
speed: export SERVER_SETTINGS ?= shared_preload_libraries = 'dlints'
# Under load commits wait for the disk, as those of a real server do.
capacity: export SERVER_SETTINGS = fsync = on
# What is a show says whether a bar is missed; its test fails.
demo-test shop-test: override ARGS += --seeds 5 --strict
bench: speed
# The program looks at its arguments before it has anything installed or built.
demo shop demo-test shop-test play firstday speed capacity drift judge records:
	@command -v $(PYTHON) >/dev/null || scripts/install.sh bench server
	@DATA='$(DEMO_DATA)' $(PYTHON) -m bench $(@:-test=) $(ARGS)

play-test:
	$(INSTALL_FOR) play browser server
	$(WITH_SERVER) -u env PYTHONPATH=.:test/python prove -v --exec '$(PYTHON) -B' test/play/check_browser.py

# FUZZ_SECONDS=60 for each target, FUZZ_TARGETS="..." for some of them.  The
# extension tells libFuzzer, which is in another module, where it has been.
fuzz fuzz-corpus: export CC = clang
fuzz fuzz-corpus: export COPT = -w -fsanitize=fuzzer-no-link,undefined -fsanitize-trap=undefined
fuzz fuzz-corpus:
	$(INSTALL_FOR) fuzz server
	$(WITH_SERVER) test/fuzz/run.sh $@

# ARGS="--every 7 --first 3 sql/ranker/winner.sql" for some of them
mutants:
	$(INSTALL_FOR) test server
	$(WITH_SERVER) -u sh -c 'cp -n /usr/share/postgresql/*/extension/pgtap* "$$($$PG_CONFIG --sharedir)/extension"; \
		exec $(PYTHON) test/mutants/run.py $(ARGS)'

# SQLSMITH_SECONDS=60, SQLSMITH_SEED=1
sqlsmith:
	$(INSTALL_FOR) sqlsmith server
	$(WITH_SERVER) -u test/fuzz/sqlsmith/run.sh

long-run:
	$(INSTALL_FOR) core
	$(MAKE) -s -C test/core long
	build/core/long_run

# CITUS names a source checkout, which is left as it is.
citus:
	@[ -x '$(CITUS)/configure' ] || \
		{ echo 'dlints: CITUS=folder names a source checkout of Citus' >&2; exit 1; }
	$(INSTALL_FOR) test citus server
	@CITUS='$(abspath $(CITUS))' scripts/with-server.sh -u test/citus/run.sh

# FROM names the pg_config of each of the older versions.
majors:
	@[ -n '$(FROM)' ] || { echo 'dlints: FROM="/path/to/pg_config ..." names older versions' >&2; exit 1; }
	$(INSTALL_FOR) test server
	@FROM='$(FROM)' scripts/with-server.sh -u test/majors/run.sh

lint:
	$(INSTALL_FOR) lint server
	@scripts/lint.sh

dist:
	$(INSTALL_FOR) server
	@$(MAKE) -s $(DATA_built)
	@scripts/dist.sh $(EXTVERSION) $(DATA_built)

.PHONY: deb deb-test fresh-test
deb:
	$(INSTALL_FOR) deb
	@scripts/deb.sh

deb-test: deb
	@test/deb/run.sh

fresh-test:
	$(INSTALL_FOR) fresh
	@test/fresh/run.sh $(ARGS)

#!/bin/sh
# What "make" and "make install" say on a machine that cannot build.
cat >&2 <<'END'
dlints: cannot build here: no pg_config of a PostgreSQL with server headers.

Install PostgreSQL 13 or later with its server headers, a C compiler, BLAS and
LAPACK.  On Debian and Ubuntu (N is your server's major version):

    sudo apt-get install gcc libc6-dev make postgresql-N postgresql-server-dev-N \
        libblas-dev liblapack-dev libopenblas0-serial

If they are there, but not in the PATH, say where:

    make PG_CONFIG=/path/to/bin/pg_config

"make demo" and "make test" install by themselves what they need.
END
exit 1

# PostgreSQL with dlints, on the official image.
#
#   docker build --build-arg POSTGRESQL=17 --tag dlints .
ARG POSTGRESQL=17

FROM postgres:${POSTGRESQL} AS build
RUN apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        gcc libc6-dev make libblas-dev liblapack-dev "postgresql-server-dev-$PG_MAJOR"
WORKDIR /source
COPY . .
# with_llvm=no: the library alone, without a second copy for the JIT compiler
RUN make with_llvm=no && make with_llvm=no DESTDIR=/stage install

FROM postgres:${POSTGRESQL}
RUN apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends libopenblas0-serial && \
    rm -rf /var/lib/apt/lists/*
COPY --from=build /stage/ /

# PostgreSQL with dlints, on the official image.
#
#   docker build --build-arg POSTGRESQL=17 --tag dlints .
#
# or as what CloudNativePG mounts beside an image of the same distribution: files alone.
#
#   docker build --build-arg POSTGRESQL=18 --target extension --tag dlints-extension .
ARG POSTGRESQL=17

FROM postgres:${POSTGRESQL} AS build
RUN apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        gcc libc6-dev make libblas-dev liblapack-dev libopenblas0-serial "postgresql-server-dev-$PG_MAJOR"
WORKDIR /source
COPY . .
# with_llvm=no: the library alone, without a second copy for the JIT compiler
RUN make with_llvm=no && make with_llvm=no DESTDIR=/stage install
RUN mkdir -p /files/lib /files/share /files/system /files/licenses && \
    cp -r "/stage/usr/share/postgresql/$PG_MAJOR/extension" /files/share && \
    cp "/stage/usr/lib/postgresql/$PG_MAJOR/lib/dlints.so" /files/lib && \
    ldd /files/lib/dlints.so | awk '$3 ~ /blas|lapack|gfortran|quadmath/ { print $3 }' | \
        xargs cp -L -t /files/system && \
    cp --parents LICENSE /usr/share/doc/libopenblas0-serial/copyright \
        /usr/share/doc/libgfortran5/copyright /files/licenses

FROM scratch AS extension
COPY --from=build /files/ /

FROM postgres:${POSTGRESQL}
RUN apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends libopenblas0-serial && \
    rm -rf /var/lib/apt/lists/*
COPY --from=build /stage/ /

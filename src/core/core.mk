# What the algorithm is made of, and the flags that its answers and its speed
# depend on: for the extension and for the unit tests alike.

CORE_OBJS = $(addprefix src/core/, dot.o evidence.o hash.o kinds.o linalg.o memories.o panel.o posterior.o \
	projection.o random.o score.o slate.o svd.o unit.o value.o widen.o)

# Without fused multiply-adds every CPU gives the same answer.
FP_FLAGS = -ffp-contract=off

# "make BLAS_LIBS=-lopenblas LAPACK_LIBS=" where one library is both
BLAS_LIBS ?= -lblas
LAPACK_LIBS ?= -llapack

# Those that see every number of every context: at -O2 loops stay rolled up.
VECTOR_OBJS = $(addprefix src/core/, dot.o evidence.o panel.o svd.o unit.o widen.o)
VECTOR_FLAGS = -ftree-vectorize -funroll-loops

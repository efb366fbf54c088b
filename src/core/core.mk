# Objects and compiler flags of the mathematics, for the extension and the unit tests

CORE_OBJS = $(addprefix src/core/, ages.o byte_score.o evidence.o halving.o kinds.o linalg.o memories.o \
	neighbours.o numbers.o packed.o panel.o posterior.o price.o price_program.o random.o ridge.o score.o slate.o \
	svd.o value.o)

# Without fused multiply-adds, results are the same on every CPU. 32-bit x86 needs SSE2 for
# this, because its older registers have 80 bits.
SSE2_TARGETS = i386-% i486-% i586-% i686-%
FP_FLAGS = -ffp-contract=off \
	$(if $(filter $(SSE2_TARGETS),$(shell $(CC) -dumpmachine 2>/dev/null)),-msse2 -mfpmath=sse)

# "make BLAS_LIBS=-lopenblas LAPACK_LIBS=" where one library is both
BLAS_LIBS ?= -lblas
LAPACK_LIBS ?= -llapack

# Objects that read every element of every feature vector. GCC does not unroll their loops at -O2.
VECTOR_OBJS = $(addprefix src/core/, ages.o byte_score.o evidence.o halving.o linalg.o neighbours.o numbers.o panel.o \
	random.o svd.o) src/choose/varied_lists.o
VECTOR_FLAGS = -ftree-vectorize -funroll-loops -fno-math-errno

# What the algorithm is made of, and the flags that its answers and its speed
# depend on: for the extension and for the unit tests alike.

CORE_OBJS = $(addprefix src/core/, ages.o byte_score.o evidence.o halving.o kinds.o linalg.o memories.o \
	neighbours.o numbers.o packed.o panel.o posterior.o price.o price_program.o random.o ridge.o score.o slate.o \
	svd.o value.o variety.o)

# Without fused multiply-adds every CPU gives the same answer; 32-bit x86 does
# where it does not compute in the 80-bit registers of old.
SSE2_TARGETS = i386-% i486-% i586-% i686-%
FP_FLAGS = -ffp-contract=off \
	$(if $(filter $(SSE2_TARGETS),$(shell $(CC) -dumpmachine)),-msse2 -mfpmath=sse)

# "make BLAS_LIBS=-lopenblas LAPACK_LIBS=" where one library is both
BLAS_LIBS ?= -lblas
LAPACK_LIBS ?= -llapack

# Those that see every number of every feature vector: at -O2 loops stay rolled up.
VECTOR_OBJS = $(addprefix src/core/, ages.o byte_score.o evidence.o halving.o linalg.o numbers.o panel.o random.o \
	svd.o variety.o)
VECTOR_FLAGS = -ftree-vectorize -funroll-loops -fno-math-errno

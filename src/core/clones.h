/*
 * clones.h
 *		Macros for compiling a function for several instruction sets.
 *
 * The build needs -ffp-contract=off: with fused multiply-adds, results would depend on the CPU.
 */
#ifndef DLINTS_CLONES_H
#define DLINTS_CLONES_H

#include <float.h>
#include <stdint.h>				/* stdint.h also defines __GLIBC__ */

#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1
#error "double must be computed as double; 32-bit x86 needs -msse2 -mfpmath=sse"
#endif

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && \
	!defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define CPU_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define CPU_CLONES
#endif

/* Attributes for functions that use one instruction set */
#if defined(__x86_64__) && defined(__GNUC__)
#define CPU_AVX2	__attribute__((target("avx2")))
#define CPU_AVX512	__attribute__((target("avx512f")))
/* GCC 7 does not support AVX-512 VNNI. */
#if defined(__clang__) || __GNUC__ >= 8
#define CPU_VNNI	__attribute__((target("avx512f,avx512vnni")))
#endif
#endif

/* SIMD vector types for CHOOSE(), since compilers do not vectorize conditional expressions */
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t quad_mask __attribute__((vector_size(32), aligned(8), may_alias));
typedef float octet __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t octet_mask __attribute__((vector_size(32), aligned(4), may_alias));

/* Select elements of "a" where the mask "holds" is set, and of "b" elsewhere. */
#define CHOOSE(vector, holds, a, b) \
	((vector) (((vector##_mask) (a) & (holds)) | ((vector##_mask) (b) & ~(holds))))
#define HIGHER(vector, a, b)	CHOOSE(vector, (a) > (b), a, b)
#define LOWER(vector, a, b)		CHOOSE(vector, (a) < (b), a, b)

#define UNROLL	_Pragma("GCC unroll 16")

#define CACHE_LINE	64

#ifdef __GNUC__
#define PREFETCH(address)	__builtin_prefetch(address)
#else
#define PREFETCH(address)	((void) (address))
#endif

#endif							/* DLINTS_CLONES_H */

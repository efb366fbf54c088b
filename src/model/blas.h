/*
 * blas.h
 *		BLAS, ready to be called.
 */
#ifndef DLINTS_BLAS_H
#define DLINTS_BLAS_H

#include "postgres.h"

#include "core/linalg.h"

/*
 * Comes before whatever calls BLAS.  OpenBLAS takes 128 MB of address space at
 * its first product, and where there is none it tries again for ever, deaf to
 * every signal but SIGQUIT.
 */
static inline void
BlasReady(void)
{
	if (unlikely(!linalg_ready()))
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("BLAS needs 128 MB of address space for each process that computes."),
				 errhint("Raise or remove the limit on the server's address space (ulimit -v).")));
}

#endif							/* DLINTS_BLAS_H */

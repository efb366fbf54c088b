/*
 * readers.h
 *		Arbitrary bytes against everything that reads a model.
 */
#ifndef DLINTS_FUZZ_READERS_H
#define DLINTS_FUZZ_READERS_H

#include "nodes/nodes.h"

/* readers.c */
extern void BeginReading(void);
extern char *ReadInput(const char *data, size_t size, bool *accepted);
extern void EndReading(void);

/* support.c */
extern Node *SomeAggregate(void);

#endif							/* DLINTS_FUZZ_READERS_H */

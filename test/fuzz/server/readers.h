/*
 * readers.h
 *		Arbitrary bytes as input of all readers of models.
 */
#ifndef DLINTS_FUZZ_READERS_H
#define DLINTS_FUZZ_READERS_H

#include "nodes/nodes.h"

/* readers.c */
extern void BeginReading(void);
extern char *ReadInput(const char *data, size_t size, bool *accepted);
extern void EndReading(void);

/* doors.c */
extern Oid	model_type;
extern void FindModelType(void);
extern int	Door(char byte);
extern bool IsText(int door);
extern Datum ReadThrough(int door, char *bytes, size_t size);
extern Datum Receive(const char *bytes, size_t size);
extern Datum FromText(Oid type, char *text);

/* support.c */
extern Node *SomeAggregate(void);

#endif							/* DLINTS_FUZZ_READERS_H */

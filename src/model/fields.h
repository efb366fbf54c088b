/*
 * fields.h
 *		The fields of a model's header, as the external forms, dlints_info and
 *		comparisons know them.
 */
#ifndef DLINTS_FIELDS_H
#define DLINTS_FIELDS_H

#include "lib/stringinfo.h"

#include "model/model.h"

/* How a field is stored. */
typedef enum FieldType
{
	FIELD_UINT8,
	FIELD_UINT16,
	FIELD_INT32,
	FIELD_INT64,
	FIELD_FLOAT8
} FieldType;

/* What a number stands for outside. */
typedef enum FieldMeaning
{
	FIELD_NUMBER,				/* itself */
	FIELD_BOOLEAN,
	FIELD_NAME,					/* its name */
	FIELD_SECONDS,				/* an interval in SQL, itself elsewhere */
	FIELD_TIME					/* a timestamp in SQL, itself elsewhere */
} FieldMeaning;

/* Names of numbers, which are their places; NULL where one has none. */
typedef struct FieldNames
{
	int			count;
	const char *const *names;
} FieldNames;

typedef struct Field
{
	const char *name;
	FieldType	type;
	FieldMeaning meaning;
	const FieldNames *names;	/* of one that has names */
	const int64 *null;			/* what stands for null; NULL if nothing does */
	uint16		offset;
	bool		defines_evidence;	/* histories that differ here do not fit */
	bool		is_shown;		/* by dlints_info */
} Field;

/* What a field holds: one of the two, by its type. */
typedef struct FieldValue
{
	int64		integer;
	double		number;
} FieldValue;

/* all but the unused ones, in stored order, the version first */
extern const Field fields[];
extern const int field_count;

extern const FieldNames PolicyNames;
extern const FieldNames InteractionsNames;

extern bool NumberOfName(const FieldNames *names, const char *name, uint8 *number);
/* bytes of a field that is an integer of up to 32 bits */
static inline int
FieldWidth(const Field *field)
{
	return field->type == FIELD_UINT8 ? 1 : field->type == FIELD_UINT16 ? 2 : 4;
}

extern FieldValue FieldGet(const DlintsHeader *header, const Field *field);
extern void FieldSet(DlintsHeader *header, const Field *field, FieldValue value);
extern void FieldRange(const Field *field, int64 *min, int64 *max);
extern bool FieldIsNull(const DlintsHeader *header, const Field *field);
extern bool FieldIsSame(const DlintsHeader *left, const DlintsHeader *right,
						const Field *field);
extern void FieldsSettle(DlintsHeader *header);
extern void FieldWrite(StringInfo buf, const DlintsHeader *header,
					   const Field *field);
extern Datum FieldDatum(const DlintsHeader *header, const Field *field);

#endif							/* DLINTS_FIELDS_H */

/*
 * fields.h
 *		Descriptions of the fields of a model's header, used by the external
 *		forms, dlints_info and comparisons.
 */
#ifndef DLINTS_FIELDS_H
#define DLINTS_FIELDS_H

#include "lib/stringinfo.h"

#include "model/model.h"

/* Storage type of a field */
typedef enum FieldType
{
	FIELD_UINT8,
	FIELD_UINT16,
	FIELD_INT32,
	FIELD_INT64,
	FIELD_FLOAT8
} FieldType;

/* Meaning of a stored number for users. */
typedef enum FieldMeaning
{
	FIELD_NUMBER,				/* a number without a special meaning */
	FIELD_BOOLEAN,
	FIELD_NAME,					/* an enum value, shown by its label */
	FIELD_SECONDS,				/* an interval in SQL, a number in JSON */
	FIELD_TIME					/* a timestamptz in SQL, a number in JSON */
} FieldMeaning;

/* Labels of an enum, indexed by value; NULL for a value without a label. */
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
	const FieldNames *names;	/* labels, if the field is an enum */
	const int64 *null;			/* stored value that means null; NULL if the field is never null */
	uint16		offset;
	bool		defines_evidence;	/* must two models agree in the field to be combined? */
	bool		is_shown;		/* is the field a column of dlints_info? */
} Field;

/* Value of a header field: "number" for FIELD_FLOAT8, else "integer". */
typedef struct FieldValue
{
	int64		integer;
	double		number;
} FieldValue;

/* all header fields except the unused ones, in storage order; the version is first */
extern const Field fields[];
extern const int field_count;

extern const FieldNames PolicyNames;
extern const FieldNames InteractionsNames;

extern int	FindName(const FieldNames *names, const char *name);
/* Return the size in bytes of an integer field of up to 32 bits. */
static inline int
FieldWidth(const Field *field)
{
	return field->type == FIELD_UINT8 ? 1 : field->type == FIELD_UINT16 ? 2 : 4;
}

extern FieldValue FieldGet(const DlintsHeader *header, const Field *field);
extern void FieldSet(DlintsHeader *header, const Field *field, FieldValue value);
extern void FieldRange(const Field *field, int64 *min, int64 *max);
extern bool FieldIsNull(const DlintsHeader *header, const Field *field);
extern bool FieldIsSame(const DlintsHeader *left, const DlintsHeader *right, const Field *field);
extern void FieldsNormalize(DlintsHeader *header);
extern void FieldWrite(StringInfo buf, const DlintsHeader *header, const Field *field);
extern Datum FieldDatum(const DlintsHeader *header, const Field *field);

#endif							/* DLINTS_FIELDS_H */

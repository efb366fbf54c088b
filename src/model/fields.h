/*
 * fields.h
 *		Descriptions of the fields in the header of a model.
 */
#ifndef DLINTS_FIELDS_H
#define DLINTS_FIELDS_H

#include "lib/stringinfo.h"

#include "model/model.h"

/* type of a field; for integers, the enum value is the size in bytes */
typedef enum FieldType
{
	FIELD_UINT8 = 1,
	FIELD_UINT16 = 2,
	FIELD_INT32 = 4,
	FIELD_INT64 = 8,
	FIELD_FLOAT8
} FieldType;

typedef enum FieldMeaning
{
	FIELD_NUMBER,
	FIELD_BOOLEAN,
	FIELD_NAME,					/* an enum, shown by its label */
	FIELD_SECONDS,				/* an interval in SQL */
	FIELD_TIME					/* a timestamptz in SQL */
} FieldMeaning;

/* Labels of an enum, indexed by value, or NULL for values without a label */
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
	const FieldNames *names;	/* labels of an enum */
	/* stored value that represents NULL, or NULL without such a value */
	const int64 *null;
	uint16		offset;
	/* must two models have equal values of the field to be combined? */
	bool		defines_evidence;
	bool		is_shown;		/* does dlints_info show the field? */
} Field;

/* Value of a header field, either an integer or a floating-point number */
typedef struct FieldValue
{
	int64		integer;
	double		number;
} FieldValue;

/* the header fields in storage order */
extern const Field fields[];
extern const int field_count;

extern const FieldNames PolicyNames;
extern const FieldNames InteractionsNames;

extern int	FindName(const FieldNames *names, const char *name);
extern FieldValue FieldGet(const DlintsHeader *header, const Field *field);
extern void FieldSet(DlintsHeader *header, const Field *field, FieldValue value);
extern void FieldRange(const Field *field, int64 *min, int64 *max);
extern bool FieldIsNull(const DlintsHeader *header, const Field *field);
extern bool FieldIsSame(const DlintsHeader *left, const DlintsHeader *right, const Field *field);
extern void FieldsNormalize(DlintsHeader *header);
extern void FieldWrite(StringInfo buf, const DlintsHeader *header, const Field *field);
extern Datum FieldDatum(const DlintsHeader *header, const Field *field);

#endif							/* DLINTS_FIELDS_H */

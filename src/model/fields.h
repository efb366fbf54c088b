/*
 * fields.h
 *		Descriptions of the fields in a model's header.
 */
#ifndef DLINTS_FIELDS_H
#define DLINTS_FIELDS_H

#include "lib/stringinfo.h"

#include "model/model.h"

/* type of a field; the value of an integer type is its size in bytes */
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

/* Labels of an enum, indexed by value.  A value without a label has NULL. */
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
	const int64 *null;			/* stored value that stands for NULL */
	uint16		offset;
	bool		defines_evidence;	/* must the field be equal in models that are combined? */
	bool		is_shown;		/* does dlints_info show the field? */
} Field;

/* Value of a header field: "number" if its type is FIELD_FLOAT8, otherwise "integer" */
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

/*
 * fields.h
 *		The fields of a model's header, as the external forms, dlints_info and
 *		comparisons know them.
 */
#ifndef DLINTS_FIELDS_H
#define DLINTS_FIELDS_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "model.h"

typedef enum FieldKind
{
	FIELD_VERSION,				/* uint16 */
	FIELD_POLICY,				/* uint8; a name outside */
	FIELD_INTERACTIONS_OR_NULL,	/* uint8; a name outside, 0 is null */
	FIELD_BOOLEAN,				/* uint8, 0 or 1 */
	FIELD_SMALL,				/* uint8 */
	FIELD_DIMENSION,			/* int32 */
	FIELD_DIMENSION_OR_NULL,	/* int32; 0 is null outside */
	FIELD_BIGINT,				/* int64 */
	FIELD_TIME_OR_NULL,			/* int64; TIME_UNKNOWN is null outside */
	FIELD_NUMBER,				/* float8 */
	FIELD_NUMBER_OR_NULL,		/* float8; 0 is null outside */
	FIELD_SECONDS_OR_NULL		/* the same; an interval in SQL */
} FieldKind;

typedef struct Field
{
	const char *name;
	FieldKind	kind;
	uint16		offset;
	bool		defines_evidence;	/* histories that differ here do not fit */
	bool		is_shown;		/* by dlints_info */
} Field;

/* all but the unused ones, in stored order, the version first */
extern const Field fields[];
extern const int field_count;

/* What a field is in a header, as one of the types that the kinds name. */
#define FieldPointer(type, header, field) \
	((type *) ((char *) (header) + (field)->offset))

extern void FieldsSettle(DlintsHeader *header);
extern bool FieldIsNull(const DlintsHeader *header, const Field *field);
extern bool FieldIsSame(const DlintsHeader *left, const DlintsHeader *right,
						const Field *field);
extern void FieldWrite(StringInfo buf, const DlintsHeader *header,
					   const Field *field);
extern Datum FieldDatum(const DlintsHeader *header, const Field *field);

#endif							/* DLINTS_FIELDS_H */

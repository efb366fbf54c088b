/*
 * fields.c
 *		The table of header fields, and what each kind looks like outside.
 *
 * Text, binary, dlints_info and the comparison of histories walk this table,
 * so that a field is added in the struct, here, and where users name it
 * (dlints_new, the install script).
 */
#include "postgres.h"

#include <math.h>

#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "fields.h"

/*
 * The stored format is these positions: a member that has moved makes the
 * width of a bit-field negative.
 */
#define AT(member, position) \
	(offsetof(DlintsHeader, member) + \
	 0 * sizeof(struct { int moved : offsetof(DlintsHeader, member) == (position) ? 1 : -1; }))

const Field fields[] = {
	{"format", FIELD_VERSION, AT(version, 4), false, false},
	{"policy", FIELD_POLICY, AT(policy, 6), false, true},
	{"intercept", FIELD_BOOLEAN, AT(intercept, 7), true, true},
	{"memories", FIELD_SMALL, AT(memories, 8), true, true},
	{"memory", FIELD_SMALL, AT(memory, 9), false, true},
	{"interactions", FIELD_INTERACTIONS_OR_NULL, AT(interactions, 10), true, true},
	{"context_dim", FIELD_DIMENSION, AT(context_dim, 12), true, true},
	{"reduced_dim", FIELD_DIMENSION_OR_NULL, AT(reduced_dim, 16), true, true},
	{"shared_dim", FIELD_DIMENSION, AT(shared_dim, 20), true, true},
	{"discount", FIELD_NUMBER_OR_NULL, AT(discount, 24), true, true},
	{"half_life", FIELD_SECONDS_OR_NULL, AT(half_life, 32), true, true},
	{"ridge", FIELD_NUMBER, AT(ridge, 40), false, true},
	{"exploration", FIELD_NUMBER, AT(exploration, 48), false, true},
	{"noise", FIELD_NUMBER_OR_NULL, AT(noise, 56), false, true},
	{"projection_scale", FIELD_NUMBER_OR_NULL, AT(projection_scale, 64), true, true},
	{"seed", FIELD_BIGINT, AT(seed, 72), true, true},
	{"updates", FIELD_BIGINT, AT(updates, 80), false, true},
	{"newest", FIELD_TIME_OR_NULL, AT(newest, 88), false, true},
	{"reference_reward", FIELD_NUMBER, AT(reference, 96), false, false},
	{"sigma", FIELD_NUMBER, AT(sigma, 104), false, true},
	{"chosen", FIELD_BIGINT, AT(chosen, 112), false, false},
};

const int	field_count = lengthof(fields);

StaticAssertDecl(offsetof(DlintsHeader, unused1) == 11 &&
				 offsetof(DlintsHeader, unused2) == 120, "unused fields moved");

/* Zero has no sign, which not every form keeps. */
void
FieldsSettle(DlintsHeader *header)
{
	int			i;

	for (i = 0; i < field_count; i++)
		if (fields[i].kind == FIELD_NUMBER ||
			fields[i].kind == FIELD_NUMBER_OR_NULL ||
			fields[i].kind == FIELD_SECONDS_OR_NULL)
			*FieldPointer(float8, header, &fields[i]) += 0.0;
}

bool
FieldIsNull(const DlintsHeader *header, const Field *field)
{
	switch (field->kind)
	{
		case FIELD_INTERACTIONS_OR_NULL:
			return *FieldPointer(const uint8, header, field) == INTERACTIONS_NONE;
		case FIELD_DIMENSION_OR_NULL:
			return *FieldPointer(const int32, header, field) == 0;
		case FIELD_NUMBER_OR_NULL:
		case FIELD_SECONDS_OR_NULL:
			return *FieldPointer(const float8, header, field) == 0.0;
		case FIELD_TIME_OR_NULL:
			return *FieldPointer(const int64, header, field) == TIME_UNKNOWN;
		default:
			return false;
	}
}

bool
FieldIsSame(const DlintsHeader *left, const DlintsHeader *right,
			const Field *field)
{
	switch (field->kind)
	{
		case FIELD_VERSION:
			return *FieldPointer(const uint16, left, field) ==
				*FieldPointer(const uint16, right, field);
		case FIELD_POLICY:
		case FIELD_INTERACTIONS_OR_NULL:
		case FIELD_BOOLEAN:
		case FIELD_SMALL:
			return *FieldPointer(const uint8, left, field) ==
				*FieldPointer(const uint8, right, field);
		case FIELD_DIMENSION:
		case FIELD_DIMENSION_OR_NULL:
			return *FieldPointer(const int32, left, field) ==
				*FieldPointer(const int32, right, field);
		case FIELD_BIGINT:
		case FIELD_TIME_OR_NULL:
			return *FieldPointer(const int64, left, field) ==
				*FieldPointer(const int64, right, field);
		case FIELD_NUMBER:
		case FIELD_NUMBER_OR_NULL:
		case FIELD_SECONDS_OR_NULL:
			return *FieldPointer(const float8, left, field) ==
				*FieldPointer(const float8, right, field);
	}
	pg_unreachable();
}

/* A field as JSON has it, numbers with the fewest digits that read back. */
void
FieldWrite(StringInfo buf, const DlintsHeader *header, const Field *field)
{
	char		digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	if (FieldIsNull(header, field))
	{
		appendStringInfoString(buf, "null");
		return;
	}
	switch (field->kind)
	{
		case FIELD_VERSION:
			appendStringInfo(buf, "%d", *FieldPointer(const uint16, header, field));
			break;
		case FIELD_POLICY:
			appendStringInfo(buf, "\"%s\"",
							 PolicyGet(*FieldPointer(const uint8, header, field))->name);
			break;
		case FIELD_INTERACTIONS_OR_NULL:
			appendStringInfo(buf, "\"%s\"",
							 interactions_names[*FieldPointer(const uint8, header, field)]);
			break;
		case FIELD_BOOLEAN:
			appendStringInfoString(buf, *FieldPointer(const uint8, header, field) ?
								   "true" : "false");
			break;
		case FIELD_SMALL:
			appendStringInfo(buf, "%d", *FieldPointer(const uint8, header, field));
			break;
		case FIELD_DIMENSION:
		case FIELD_DIMENSION_OR_NULL:
			appendStringInfo(buf, "%d", *FieldPointer(const int32, header, field));
			break;
		case FIELD_BIGINT:
		case FIELD_TIME_OR_NULL:
			appendStringInfo(buf, INT64_FORMAT,
							 *FieldPointer(const int64, header, field));
			break;
		case FIELD_NUMBER:
		case FIELD_NUMBER_OR_NULL:
		case FIELD_SECONDS_OR_NULL:
			double_to_shortest_decimal_buf(*FieldPointer(const float8, header, field),
										   digits);
			appendStringInfoString(buf, digits);
			break;
	}
}

static Datum
IntervalFromSeconds(double seconds)
{
	Interval   *interval = palloc0(sizeof(Interval));

	interval->time = (TimeOffset) rint(seconds * USECS_PER_SEC);
	return DirectFunctionCall1(interval_justify_hours,
							   IntervalPGetDatum(interval));
}

/* A field that is not null as SQL has it. */
Datum
FieldDatum(const DlintsHeader *header, const Field *field)
{
	switch (field->kind)
	{
		case FIELD_VERSION:
			return Int32GetDatum(*FieldPointer(const uint16, header, field));
		case FIELD_POLICY:
			return CStringGetTextDatum(PolicyGet(*FieldPointer(const uint8, header, field))->name);
		case FIELD_INTERACTIONS_OR_NULL:
			return CStringGetTextDatum(interactions_names[*FieldPointer(const uint8, header, field)]);
		case FIELD_BOOLEAN:
			return BoolGetDatum(*FieldPointer(const uint8, header, field) != 0);
		case FIELD_SMALL:
			return Int32GetDatum(*FieldPointer(const uint8, header, field));
		case FIELD_DIMENSION:
		case FIELD_DIMENSION_OR_NULL:
			return Int32GetDatum(*FieldPointer(const int32, header, field));
		case FIELD_BIGINT:
		case FIELD_TIME_OR_NULL:	/* timestamptz is one, too */
			return Int64GetDatum(*FieldPointer(const int64, header, field));
		case FIELD_NUMBER:
		case FIELD_NUMBER_OR_NULL:
			return Float8GetDatum(*FieldPointer(const float8, header, field));
		case FIELD_SECONDS_OR_NULL:
			return IntervalFromSeconds(*FieldPointer(const float8, header, field));
	}
	pg_unreachable();
}

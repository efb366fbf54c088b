/*
 * fields.c
 *		A table that describes the fields in the header of a model.
 *
 * To add a field, add it to the struct DlintsHeader and to this table, and, if users can set it,
 * to dlints_new and the install script.
 */
#include "postgres.h"

#include <math.h>

#include "common/shortest_dec.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "model/fields.h"

/*
 * Offset of a member of the header.  Compilation fails if the offset has changed, because the
 * stored format depends on it.
 */
#define AT(member, position) \
	(offsetof(DlintsHeader, member) + \
	 0 * sizeof(struct { int moved : offsetof(DlintsHeader, member) == (position) ? 1 : -1; }))

static const int64 zero = 0;
static const int64 unknown = TIME_UNKNOWN;

static const char *const policy_names[POLICY_COUNT] = {"thompson", "ucb", "greedy"};

const FieldNames PolicyNames = {POLICY_COUNT, policy_names};
const FieldNames InteractionsNames = {INTERACTIONS_COUNT, interactions_names};

/* Return the value of an enum label, or -1 if the label is unknown. */
int
FindName(const FieldNames *names, const char *name)
{
	for (int i = 0; i < names->count; i++)
		if (names->names[i] && strcmp(name, names->names[i]) == 0)
			return i;
	return -1;
}

/* Struct members: name, type, meaning, names, null, offset, defines_evidence, is_shown */
const Field fields[] = {
	{"format", FIELD_UINT16, FIELD_NUMBER, NULL, NULL, AT(version, 4), false, false},
	{"policy", FIELD_UINT8, FIELD_NAME, &PolicyNames, NULL, AT(policy, 6), false, true},
	{"intercept", FIELD_UINT8, FIELD_BOOLEAN, NULL, NULL, AT(intercept, 7), true, true},
	{"memories", FIELD_UINT8, FIELD_NUMBER, NULL, NULL, AT(memories, 8), true, true},
	{"memory", FIELD_UINT8, FIELD_NUMBER, NULL, NULL, AT(memory, 9), false, true},
	{"interactions", FIELD_UINT8, FIELD_NAME, &InteractionsNames, &zero, AT(interactions, 10), true, true},
	{"dim", FIELD_INT32, FIELD_NUMBER, NULL, NULL, AT(feature_dim, 12), true, true},
	{"reduced_dim", FIELD_INT32, FIELD_NUMBER, NULL, &zero, AT(reduced_dim, 16), true, true},
	{"profile_dim", FIELD_INT32, FIELD_NUMBER, NULL, NULL, AT(profile_dim, 20), true, true},
	{"discount", FIELD_FLOAT8, FIELD_NUMBER, NULL, &zero, AT(discount, 24), true, true},
	{"half_life", FIELD_FLOAT8, FIELD_SECONDS, NULL, &zero, AT(half_life, 32), true, true},
	{"ridge", FIELD_FLOAT8, FIELD_NUMBER, NULL, &zero, AT(ridge, 40), false, true},
	{"lambda", FIELD_FLOAT8, FIELD_NUMBER, NULL, NULL, AT(lambda, 48), false, true},
	{"exploration", FIELD_FLOAT8, FIELD_NUMBER, NULL, NULL, AT(exploration, 56), false, true},
	{"noise", FIELD_FLOAT8, FIELD_NUMBER, NULL, &zero, AT(noise, 64), false, true},
	{"prior_weight", FIELD_FLOAT8, FIELD_NUMBER, NULL, &zero, AT(prior_weight, 72), false, true},
	{"projection_scale", FIELD_FLOAT8, FIELD_NUMBER, NULL, &zero, AT(projection_scale, 80), true, true},
	{"seed", FIELD_INT64, FIELD_NUMBER, NULL, NULL, AT(seed, 88), true, true},
	{"updates", FIELD_INT64, FIELD_NUMBER, NULL, NULL, AT(updates, 96), false, true},
	{"newest", FIELD_INT64, FIELD_TIME, NULL, &unknown, AT(newest, 104), false, true},
	{"reference_reward", FIELD_FLOAT8, FIELD_NUMBER, NULL, NULL, AT(reference, 112), false, false},
	{"sigma", FIELD_FLOAT8, FIELD_NUMBER, NULL, NULL, AT(sigma, 120), false, true},
	{"chosen", FIELD_INT64, FIELD_NUMBER, NULL, NULL, AT(chosen, 128), false, false},
	{"weight_total", FIELD_FLOAT8, FIELD_NUMBER, NULL, NULL, AT(totals.N, 136), false, false},
	{"reward_total", FIELD_FLOAT8, FIELD_NUMBER, NULL, NULL, AT(totals.R, 144), false, false},
	{"reward_square_total", FIELD_FLOAT8, FIELD_NUMBER, NULL, NULL, AT(totals.S, 152), false, false},
	{"reward_square_peak", FIELD_FLOAT8, FIELD_NUMBER, NULL, NULL, AT(totals.peak, 160), false, false},
};

const int	field_count = lengthof(fields);

StaticAssertDecl(offsetof(DlintsHeader, unused1) == 11 &&
				 offsetof(DlintsHeader, unused2) == 168, "unused fields moved");

FieldValue
FieldGet(const DlintsHeader *header, const Field *field)
{
	const char *at = (const char *) header + field->offset;
	FieldValue	value = {0, 0.0};

	switch (field->type)
	{
		case FIELD_UINT8:
			value.integer = *(const uint8 *) at;
			break;
		case FIELD_UINT16:
			value.integer = *(const uint16 *) at;
			break;
		case FIELD_INT32:
			value.integer = *(const int32 *) at;
			break;
		case FIELD_INT64:
			value.integer = *(const int64 *) at;
			break;
		case FIELD_FLOAT8:
			value.number = *(const float8 *) at;
			break;
	}
	return value;
}

/* Set a field of the header.  Callers check the range of the value first. */
void
FieldSet(DlintsHeader *header, const Field *field, FieldValue value)
{
	char	   *at = (char *) header + field->offset;

	switch (field->type)
	{
		case FIELD_UINT8:
			*(uint8 *) at = (uint8) value.integer;
			break;
		case FIELD_UINT16:
			*(uint16 *) at = (uint16) value.integer;
			break;
		case FIELD_INT32:
			*(int32 *) at = (int32) value.integer;
			break;
		case FIELD_INT64:
			*(int64 *) at = value.integer;
			break;
		case FIELD_FLOAT8:
			*(float8 *) at = value.number;
			break;
	}
}

/* Return the range of integers that a field of the header can store. */
void
FieldRange(const Field *field, int64 *min, int64 *max)
{
	*min = field->type == FIELD_INT32 ? PG_INT32_MIN :
		field->type == FIELD_INT64 ? PG_INT64_MIN : 0;
	*max = field->type == FIELD_UINT8 ? PG_UINT8_MAX :
		field->type == FIELD_UINT16 ? PG_UINT16_MAX :
		field->type == FIELD_INT32 ? PG_INT32_MAX : PG_INT64_MAX;
}

bool
FieldIsNull(const DlintsHeader *header, const Field *field)
{
	FieldValue	value = FieldGet(header, field);

	if (field->null == NULL)
		return false;
	return field->type == FIELD_FLOAT8 ? value.number == (double) *field->null :
		value.integer == *field->null;
}

bool
FieldIsSame(const DlintsHeader *left, const DlintsHeader *right, const Field *field)
{
	FieldValue	ours = FieldGet(left, field);
	FieldValue	theirs = FieldGet(right, field);

	return ours.integer == theirs.integer && ours.number == theirs.number;
}

/* Replace negative zeros by zero, because jsonb does not store the sign of zero. */
void
FieldsNormalize(DlintsHeader *header)
{
	for (int i = 0; i < field_count; i++)
	{
		FieldValue	value = FieldGet(header, &fields[i]);

		value.number += 0.0;
		FieldSet(header, &fields[i], value);
	}
}

/* Append the value of a header field in JSON syntax. */
void
FieldWrite(StringInfo buf, const DlintsHeader *header, const Field *field)
{
	FieldValue	value = FieldGet(header, field);

	if (FieldIsNull(header, field))
		appendStringInfoString(buf, "null");
	else if (field->meaning == FIELD_NAME)
		appendStringInfo(buf, "\"%s\"", field->names->names[value.integer]);
	else if (field->meaning == FIELD_BOOLEAN)
		appendStringInfoString(buf, value.integer ? "true" : "false");
	else if (field->type == FIELD_FLOAT8)
		appendStringInfoString(buf, double_to_shortest_decimal(value.number));
	else
		appendStringInfo(buf, INT64_FORMAT, value.integer);
}

static Datum
IntervalFromSeconds(double seconds)
{
	Interval   *interval = palloc0(sizeof(Interval));

	interval->time = (TimeOffset) rint(seconds * USECS_PER_SEC);
	return DirectFunctionCall1(interval_justify_hours, IntervalPGetDatum(interval));
}

/* Return the value of a header field, which must not be null, as an SQL value. */
Datum
FieldDatum(const DlintsHeader *header, const Field *field)
{
	FieldValue	value = FieldGet(header, field);

	switch (field->meaning)
	{
		case FIELD_BOOLEAN:
			return BoolGetDatum(value.integer != 0);
		case FIELD_NAME:
			return CStringGetTextDatum(field->names->names[value.integer]);
		case FIELD_SECONDS:
			return IntervalFromSeconds(value.number);
		case FIELD_TIME:
			return TimestampTzGetDatum(value.integer);
		case FIELD_NUMBER:
			break;
	}
	if (field->type == FIELD_FLOAT8)
		return Float8GetDatum(value.number);
	return field->type == FIELD_INT64 ? Int64GetDatum(value.integer) :
		Int32GetDatum((int32) value.integer);
}

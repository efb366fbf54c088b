/*
 * binary.c
 *		The external binary form: the header's fields in order, then the
 *		numbers of the memories and of the prior, all in network order.
 */
#include "postgres.h"

#include "libpq/pqformat.h"

#include "model/fields.h"
#include "model/model.h"

static void
SendField(StringInfo buf, const DlintsHeader *header, const Field *field)
{
	FieldValue	value = FieldGet(header, field);

	switch (field->type)
	{
		case FIELD_UINT8:
			pq_sendint8(buf, (uint8) value.integer);
			break;
		case FIELD_UINT16:
			pq_sendint16(buf, (uint16) value.integer);
			break;
		case FIELD_INT32:
			pq_sendint32(buf, (uint32) value.integer);
			break;
		case FIELD_INT64:
			pq_sendint64(buf, (uint64) value.integer);
			break;
		case FIELD_FLOAT8:
			pq_sendfloat8(buf, value.number);
			break;
	}
}

static void
ModelSend(StringInfo buf, Dlints *model)
{
	Size		count = ModelStoredCount(&model->header);
	const double *numbers = ModelStoredNumbers(model);
	Size		i;

	for (i = 0; i < field_count; i++)
		SendField(buf, &model->header, &fields[i]);
	for (i = 0; i < count; i++)
		pq_sendfloat8(buf, numbers[i]);
}

static void
ReceiveField(StringInfo buf, DlintsHeader *header, const Field *field)
{
	FieldValue	value = {0, 0.0};

	switch (field->type)
	{
		case FIELD_UINT8:
			value.integer = pq_getmsgint(buf, 1);
			break;
		case FIELD_UINT16:
			value.integer = pq_getmsgint(buf, 2);
			break;
		case FIELD_INT32:
			value.integer = (int32) pq_getmsgint(buf, 4);
			break;
		case FIELD_INT64:
			value.integer = pq_getmsgint64(buf);
			break;
		case FIELD_FLOAT8:
			value.number = pq_getmsgfloat8(buf);
			break;
	}
	FieldSet(header, field, value);
}

/*
 * What is wrong with the bytes.  A version that is not known here is named as
 * such: the value may be a good one.
 */
static void
Reject(const Problem *problem)
{
	if (problem->sqlerrcode == ERRCODE_FEATURE_NOT_SUPPORTED)
		ProblemRaise(problem);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid dlints in external value"),
			 errdetail("%s.%s%s", problem->message,
					   problem->detail ? " " : "",
					   problem->detail ? problem->detail : "")));
}

static void
CheckLength(bool good)
{
	Problem		problem = {
		.message = "The value does not have the length that its header implies"
	};

	if (!good)
		Reject(&problem);
}

/* bytes of the header's fields: all of it but the varlena word and what is unused */
#define EXTERNAL_HEADER_SIZE \
	((int) (offsetof(DlintsHeader, unused2) - sizeof(int32) - sizeof(uint8)))

/*
 * Nothing of this can be trusted: sizes are checked before memory is taken
 * for them, and numbers before the value is used.
 */
static Dlints *
ModelReceive(StringInfo buf)
{
	DlintsHeader header;
	Problem		problem;
	Dlints	   *model;
	double	   *numbers;
	Size		count;
	Size		i;

	CheckLength(buf->len - buf->cursor >= EXTERNAL_HEADER_SIZE);
	memset(&header, 0, sizeof(header));
	for (i = 0; i < field_count; i++)
		ReceiveField(buf, &header, &fields[i]);
	if (!ModelCheckParameters(&header, &problem))
		Reject(&problem);

	count = ModelStoredCount(&header);
	CheckLength(buf->len - buf->cursor == count * sizeof(float8));
	model = ModelAllocate(&header);
	numbers = ModelStoredNumbers(model);
	for (i = 0; i < count; i++)
		numbers[i] = pq_getmsgfloat8(buf);
	if (!ModelExternalIsValid(model, &problem))
		Reject(&problem);
	return model;
}

PG_FUNCTION_INFO_V1(dlints_recv);

Datum
dlints_recv(PG_FUNCTION_ARGS)
{
	Dlints	   *model = ModelReceive((StringInfo) PG_GETARG_POINTER(0));

	ModelCheckTypmod(&model->header, PG_GETARG_INT32(2), NULL);
	PG_RETURN_DLINTS_P(model);
}

PG_FUNCTION_INFO_V1(dlints_send);

Datum
dlints_send(PG_FUNCTION_ARGS)
{
	StringInfoData buf;

	pq_begintypsend(&buf);
	ModelSend(&buf, PG_GETARG_DLINTS_P(0));
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

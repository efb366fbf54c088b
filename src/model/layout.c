/*
 * layout.c
 *		What a model's header says: the kind of its contexts, how its memories
 *		forget, and where their numbers are.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "model/model.h"

/* How this model makes z of contexts. */
Kind
ModelKind(const DlintsHeader *header)
{
	Kind		kind;

	kind.interactions = header->interactions;
	kind.context_dim = header->context_dim;
	kind.reduced_dim = header->reduced_dim;
	kind.shared_dim = header->shared_dim;
	kind.intercept = header->intercept != 0;
	return kind;
}

/* The matrix of a model that has one.  Matched models reduce x to P x / 2. */
Projection
ModelProjection(const DlintsHeader *header)
{
	bool		matched = header->interactions == INTERACTIONS_MATCHED;
	Projection	projection;

	Assert(ModelHasProjection(header));
	projection.seed = (uint64) header->seed;
	projection.scale = header->projection_scale / (matched ? 2.0 : 1.0);
	projection.context_dim = header->context_dim;
	projection.reduced_dim = header->reduced_dim;
	return projection;
}

/* coordinates of z, and with it the order of the evidence */
int
ModelCoordinates(const DlintsHeader *header)
{
	Kind		kind = ModelKind(header);

	return kind_reduced_len(&kind);
}

/* weights over a context that a parameter lifts to, the intercept's last */
int
ModelLiftedLen(const DlintsHeader *header)
{
	Kind		kind = ModelKind(header);

	return kind_lifted_len(&kind);
}

/* Does memory j, counted from 0, forget? */
bool
ModelMemoryFades(const DlintsHeader *header, int j)
{
	return memory_fades(j, header->memories,
						ModelIsByTime(header) ? 0.0 : header->discount);
}

/*
 * What remains of a weight in memory j after so many more observations or so
 * much more time, in microseconds, whichever it is that ages the model.
 */
double
ModelMemoryDecay(const DlintsHeader *header, int j, int64 updates, int64 time)
{
	if (!ModelMemoryFades(header, j))
		return 1.0;
	if (ModelIsByTime(header))
		return exp2(-((double) time / USECS_PER_SEC) /
					memory_half_life(j, header->half_life));
	return pow(memory_discount(j, header->memories, header->discount),
			   (double) updates);
}

/* numbers of the first so many memories */
Size
ModelValueCount(const DlintsHeader *header, int memories)
{
	int			dim = ModelCoordinates(header);
	Size		count = 0;
	int			j;

	for (j = 0; j < memories; j++)
		count = add_size(count,
						 evidence_value_count(dim, ModelMemoryFades(header, j)));
	return count;
}

/* numbers of all as stored: a model that has seen nothing has none */
Size
ModelStoredCount(const DlintsHeader *header)
{
	return header->updates > 0 ? ModelValueCount(header, header->memories) : 0;
}

/* bytes of a model with so many numbers */
Size
ModelSizeWith(Size count)
{
	return add_size(sizeof(DlintsHeader), mul_size(count, sizeof(float8)));
}

/* bytes of a stored model with these parameters and counts */
Size
ModelStoredSize(const DlintsHeader *header)
{
	return ModelSizeWith(ModelStoredCount(header));
}

/*
 * The kind of a model as a column's type names it: "(n)", "(n,d)", "(n,d,m)" or
 * "(n,0,m)" with crossed, "(n,matched)" or "(n,d,matched)" with matched
 * interactions, each perhaps with ",intercept".
 */
char *
ModelShape(const DlintsHeader *header)
{
	bool		crossed = header->interactions == INTERACTIONS_CROSSED;
	StringInfoData buf;

	initStringInfo(&buf);
	appendStringInfo(&buf, "(%d", header->context_dim);
	if (header->reduced_dim > 0 || crossed)
		appendStringInfo(&buf, ",%d", header->reduced_dim);
	if (crossed)
		appendStringInfo(&buf, ",%d", header->shared_dim);
	if (header->interactions == INTERACTIONS_MATCHED)
		appendStringInfoString(&buf, ",matched");
	if (header->intercept)
		appendStringInfoString(&buf, ",intercept");
	appendStringInfoChar(&buf, ')');
	return buf.data;
}

/* All memories of a model; their numbers are the model's own. */
Memories
ModelMemories(Dlints *model)
{
	int			dim = ModelCoordinates(&model->header);
	double	   *values = model->values;
	Memories	memories;
	int			j;

	memories.count = model->header.memories;
	for (j = 0; j < memories.count; j++)
	{
		bool		fades = ModelMemoryFades(&model->header, j);

		evidence_bind(&memories.memory[j], dim, fades, values);
		values += evidence_value_count(dim, fades);
	}
	return memories;
}

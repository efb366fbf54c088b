/*
 * inplace.c
 *		Variables of PL/pgSQL that learn where they stand, since PostgreSQL 18:
 *		state := dlints_update(state, ...).
 */
#include "postgres.h"

#if PG_VERSION_NUM >= 180000
#include "nodes/primnodes.h"
#include "nodes/supportnodes.h"
#endif

#include "inplace.h"

/*
 * What a call site (a function in an expression) has seen, pointed to by its
 * fn_extra.  PL/pgSQL's expressions live as long as the transaction; those of
 * statements and of functions in SQL begin with each execution.
 */
static const char again = 0;	/* it is called more than once, or in place */
static const char tried = 0;	/* and its working model has not come back yet */

/*
 * Should a flat model become a working one?  That pays if the next call brings
 * it back, which only PL/pgSQL does.  So the first call finds that there are
 * more, the second tries, and where that was in vain it is not tried again.  A
 * value of a table is flat in any case: so will be what is stored.
 */
static bool
WorkingPays(FmgrInfo *flinfo, Datum datum)
{
	if (PG_VERSION_NUM < 180000 || flinfo == NULL ||
		VARATT_IS_EXTERNAL(DatumGetPointer(datum)))
		return false;
	if (flinfo->fn_extra == &again)
	{
		flinfo->fn_extra = unconstify(char *, &tried);
		return true;
	}
	if (flinfo->fn_extra == NULL)
		flinfo->fn_extra = unconstify(char *, &again);
	return false;
}

/*
 * The working model in the first argument, for so many observations to be
 * added to; NULL if the call has to change a copy instead.  That is also so
 * where learning may end in an error, since the variable keeps its value then,
 * and of an aggregate's state, which is nobody else's to change.
 */
WorkingModel *
WorkingVariable(FunctionCallInfo fcinfo, int more)
{
	Datum		datum = PG_GETARG_DATUM(0);
	WorkingModel *working = WorkingInPlace(datum);

	if (working && working->is_state)
		return NULL;
	if (working && fcinfo->flinfo)
		fcinfo->flinfo->fn_extra = unconstify(char *, &again);
	else if (WorkingPays(fcinfo->flinfo, datum))
		working = WorkingFromFlat(datum);
	if (working && !ModelCanLearn(working->model, working->pending + more))
		return NULL;
	return working;
}

PG_FUNCTION_INFO_V1(dlints_update_support);

/*
 * dlints_update_support(internal) -> internal, planner support function
 *
 * PL/pgSQL may hand its variable's working model to dlints_update and the like
 * to be changed: they do it last, when nothing can fail, and do not care what
 * the other arguments were made of.
 */
Datum
dlints_update_support(PG_FUNCTION_ARGS)
{
#if PG_VERSION_NUM >= 180000
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestModifyInPlace))
	{
		SupportRequestModifyInPlace *modify = (SupportRequestModifyInPlace *) request;
		Param	   *model = linitial(modify->args);

		if (IsA(model, Param) && model->paramkind == PARAM_EXTERN &&
			model->paramid == modify->paramid)
			PG_RETURN_POINTER(model);
	}
#endif
	PG_RETURN_POINTER(NULL);
}

/*
 * readable_rows.c
 *		Rows of a relation whose expressions may fail for some rows.
 *
 * After an error, a query cannot continue with the next row.  We therefore take the
 * output expressions and conditions out of the plan, let it return the columns that they
 * refer to, and evaluate them here, each row in a subtransaction.  This works for scans,
 * joins and unions of these.  Where a plan computes further, as below DISTINCT or LIMIT,
 * an error ends the query.
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "tcop/pquery.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/portal.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "page/page.h"
#include "sql/args.h"

/* Expressions that were taken out of a plan, over the columns that it now returns */
typedef struct TakenExpressions
{
	List	   *columns;		/* Vars of the plan */
	bool		is_complete;	/* false: an expression needs the plan's state */
} TakenExpressions;

/* Rows of a plan, and where their results go */
typedef struct RowEvaluator
{
	DestReceiver pub;
	ReturnSetInfo *result;
	EState	   *executor;
	List	   *outputs;		/* ExprStates */
	ExprState  *condition;
	Datum	   *values;
	bool	   *nulls;
	int64		readable;		/* rows that pass the condition */
	int64		failing;
	ErrorData  *error;			/* first error */
} RowEvaluator;

/* ---------- taking expressions out of a plan ---------- */

/* Replace each Var by a reference to the plan's output. */
static Node *
take_columns(Node *node, void *arg) /* NOLINT(misc-no-recursion) */
{
	TakenExpressions *taken = arg;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
	{
		Var		   *var = (Var *) node;
		int			n = 1;
		ListCell   *cell;

		foreach(cell, taken->columns)
		{
			Var		   *other = lfirst(cell);

			if (other->varno == var->varno && other->varattno == var->varattno)
				break;
			n++;
		}
		if (n > list_length(taken->columns))
			taken->columns = lappend(taken->columns, copyObject(var));
		return (Node *) makeVar(1, n, var->vartype, var->vartypmod, var->varcollid, 0);
	}
	if (IsA(node, Param) || IsA(node, SubPlan) || IsA(node, AlternativeSubPlan) ||
		IsA(node, Aggref) || IsA(node, WindowFunc) || IsA(node, GroupingFunc))
		taken->is_complete = false;
	return expression_tree_mutator(node, take_columns, arg);
}

/* Can a plan return other expressions of its Vars?  A foreign scan that is a pushed-down join cannot. */
static bool
has_plain_vars(const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_ForeignScan:
			return ((const ForeignScan *) plan)->scan.scanrelid > 0;
		case T_SeqScan:
		case T_SampleScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_TidScan:
		case T_SubqueryScan:
		case T_FunctionScan:
		case T_TableFuncScan:
		case T_ValuesScan:
		case T_CteScan:
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
			return true;
		default:
			return false;
	}
}

/*
 * Take the output expressions and conditions out of a plan.  If the plan needs them, the
 * expressions are those of its output columns.
 */
static void
take_expressions(Plan *plan, List **outputs, List **condition)
{
	TakenExpressions taken = {NIL, has_plain_vars(plan)};
	List	   *targets = NIL;
	ListCell   *cell;

	*outputs = (List *) take_columns((Node *) plan->targetlist, &taken);
	*condition = (List *) take_columns((Node *) plan->qual, &taken);
	if (!taken.is_complete)
	{
		*outputs = *condition = NIL;
		foreach(cell, plan->targetlist)
		{
			TargetEntry *target = lfirst(cell);

			*outputs = lappend(*outputs, makeTargetEntry((Expr *) makeVarFromTargetEntry(1, target),
														 target->resno, NULL, target->resjunk));
		}
		return;
	}
	foreach(cell, taken.columns)
		targets = lappend(targets, makeTargetEntry(lfirst(cell), list_length(targets) + 1, NULL, false));
	plan->targetlist = targets;
	plan->qual = NIL;
}

/* ---------- evaluating rows ---------- */

/* Evaluate the expressions of one row.  Returns false if the condition is not true. */
static bool
evaluate_row(RowEvaluator *evaluator, ExprContext *context)
{
	int			i = 0;
	ListCell   *cell;

	if (!ExecQual(evaluator->condition, context))
		return false;
	foreach(cell, evaluator->outputs)
	{
		evaluator->values[i] = ExecEvalExprSwitchContext(lfirst(cell), context, &evaluator->nulls[i]);
		i++;
	}
	return true;
}

/* Record the error of a row, whose columns become NULL. */
static void
count_failing(RowEvaluator *evaluator, ErrorData *error)
{
	if (!IsRowError(error->sqlerrcode))
		ReThrowError(error);
	if (evaluator->failing++ == 0)
		evaluator->error = error;
	else
		FreeErrorData(error);
	memset(evaluator->nulls, true, sizeof(bool) * evaluator->result->setDesc->natts);
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowEvaluator *evaluator = (RowEvaluator *) self;
	ExprContext *context = GetPerTupleExprContext(evaluator->executor);
	MemoryContext caller = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile bool passes = true;

	ResetExprContext(context);
	slot_getallattrs(slot);
	context->ecxt_scantuple = slot;
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(caller);
	PG_TRY();
	{
		passes = evaluate_row(evaluator, context);
		ReleaseCurrentSubTransaction();
		evaluator->readable += passes;
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(evaluator->executor->es_query_cxt);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		CurrentResourceOwner = owner;
		count_failing(evaluator, error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(caller);
	CurrentResourceOwner = owner;
	if (passes)
		tuplestore_putvalues(evaluator->result->setResult, evaluator->result->setDesc, evaluator->values,
							 evaluator->nulls);
	return true;
}

static void
start_rows(DestReceiver *self, int operation, TupleDesc columns)
{
}

static void
end_rows(DestReceiver *self)
{
}

/* The plan below one that only computes expressions; NULL for other plans */
static Plan **
computed_plan(Plan *plan)
{
	if (IsA(plan, SubqueryScan))
		return &((SubqueryScan *) plan)->subplan;
	if (IsA(plan, Result) && ((Result *) plan)->resconstantqual == NULL && plan->lefttree != NULL)
		return &plan->lefttree;
	return NULL;
}

/* Let a plan return its rows when it is run.  A foreign scan in a union returns them on notification of the union. */
static void
clear_async(Plan *plan)
{
	for (Plan **below = &plan; below != NULL; below = computed_plan(*below))
		(*below)->async_capable = false;
}

/* Run a plan that is a part of a statement, or the whole. */
static void
run_plan(const PlannedStmt *statement, const Plan *plan, RowEvaluator *evaluator)
{
	PlannedStmt *part = copyObject((PlannedStmt *) statement);
	Portal		portal = CreateNewPortal();
	List	   *outputs;
	List	   *condition;
	ListCell   *cell;

	part->planTree = copyObject((Plan *) plan);
	clear_async(part->planTree);
#if PG_VERSION_NUM >= 180000
	/* a part reads its partition even if the union would prune it */
	part->unprunableRelids = bms_add_range(NULL, 1, list_length(part->rtable));
#endif
	take_expressions(part->planTree, &outputs, &condition);
	evaluator->outputs = NIL;
	foreach(cell, outputs)
		evaluator->outputs = lappend(evaluator->outputs,
									 ExecPrepareExpr(((TargetEntry *) lfirst(cell))->expr, evaluator->executor));
	evaluator->condition = ExecPrepareQual(condition, evaluator->executor);
	portal->visible = false;
	PortalDefineQuery(portal, NULL, "", CMDTAG_SELECT, list_make1(part), NULL);
	PortalStart(portal, NULL, 0, GetActiveSnapshot());
	PortalRunFetch(portal, FETCH_FORWARD, FETCH_ALL, &evaluator->pub);
	PortalDrop(portal, false);
}

/* Replace references to the columns of a subquery by its output expressions. */
static Node *
insert_outputs(Node *node, void *outputs) /* NOLINT(misc-no-recursion) */
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varattno > 0)
		return copyObject((Node *) list_nth_node(TargetEntry, outputs, ((Var *) node)->varattno - 1)->expr);
	return expression_tree_mutator(node, insert_outputs, outputs);
}

static bool
has_whole_row(Node *node, void *arg) /* NOLINT(misc-no-recursion) */
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varattno == 0;
	return expression_tree_walker(node, has_whole_row, arg);
}

/* Add the initialization of a plan's parameters to a part of the plan. */
static void
add_parameters(Plan *part, const Plan *plan)
{
	part->initPlan = list_concat(copyObject(plan->initPlan), part->initPlan);
}

/* A plan over a part of a union.  It becomes the part itself, with other expressions, if that is a scan or join. */
static Plan *
plan_over_part(Plan *plan, const Plan *part)
{
	Plan	   *result;

	if (has_plain_vars(part) && !has_whole_row((Node *) plan->targetlist, NULL) &&
		!has_whole_row((Node *) plan->qual, NULL))
	{
		result = copyObject((Plan *) part);
		result->targetlist = (List *) insert_outputs((Node *) plan->targetlist, part->targetlist);
		result->qual = list_concat(result->qual, (List *) insert_outputs((Node *) plan->qual, part->targetlist));
		add_parameters(result, plan);
		return result;
	}
	result = copyObject(plan);
	*computed_plan(result) = copyObject((Plan *) part);
	return result;
}

/* Run a plan; for a union, its parts. */
static void
run_parts(const PlannedStmt *statement, Plan *plan, RowEvaluator *evaluator) /* NOLINT(misc-no-recursion) */
{
	Plan	  **below = computed_plan(plan);
	const Plan *parts = below == NULL ? plan : *below;
	ListCell   *cell;

	if (!IsA(parts, Append))
	{
		run_plan(statement, plan, evaluator);
		return;
	}
	foreach(cell, ((const Append *) parts)->appendplans)
	{
		Plan	   *part = below == NULL ? copyObject((Plan *) lfirst(cell)) : plan_over_part(plan, lfirst(cell));

		add_parameters(part, parts);
		run_parts(statement, part, evaluator);
	}
}

/* Plan a query of all rows. */
static PlannedStmt *
plan_rows(Oid relation)
{
	char	   *text = psprintf("SELECT * FROM %s",
								quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)),
														   get_rel_name(relation)));
	SPIPlanPtr	plan = SPI_prepare_cursor(text, 0, NULL, 0);
	CachedPlan *cached;
	PlannedStmt *statement;

	if (plan == NULL)
		elog(ERROR, "could not prepare a statement: %s", SPI_result_code_string(SPI_result));
	cached = SPI_plan_get_cached_plan(plan);
	statement = copyObject(linitial_node(PlannedStmt, cached->stmt_list));
	ReleaseCachedPlan(cached, NULL);	/* has no owner unless SPI keeps the plan */
	return statement;
}

static void
check_columns(const PlannedStmt *statement, TupleDesc expected)
{
	List	   *targets = statement->planTree->targetlist;
	bool		is_same = list_length(targets) == expected->natts;

	for (int i = 0; is_same && i < expected->natts; i++)
		is_same = exprType((Node *) list_nth_node(TargetEntry, targets, i)->expr) ==
			TupleDescAttr(expected, i)->atttypid;
	if (!is_same)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column definition list does not match the columns of the relation")));
}

PG_FUNCTION_INFO_V1(dlints_readable_rows);

/*
 * _dlints_readable_rows(relation regclass) -> setof record
 *		The rows of a view.  A row for which an expression fails is a row of NULLs.
 *		Raises the error if an expression fails for all rows.
 */
Datum
dlints_readable_rows(PG_FUNCTION_ARGS)
{
	RowEvaluator evaluator = {.pub = {receive_row, start_rows, end_rows, end_rows, DestNone}};
	Oid			relation = PG_GETARG_OID(0);
	PlannedStmt *statement;

	if (get_rel_name(relation) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	evaluator.result = ResultRows(fcinfo);
	evaluator.values = palloc0(sizeof(Datum) * evaluator.result->setDesc->natts);
	evaluator.nulls = palloc0(sizeof(bool) * evaluator.result->setDesc->natts);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	statement = plan_rows(relation);
	check_columns(statement, evaluator.result->setDesc);
	evaluator.executor = CreateExecutorState();
	run_parts(statement, statement->planTree, &evaluator);
	if (evaluator.failing > 0 && evaluator.readable == 0)
		ReThrowError(evaluator.error);
	FreeExecutorState(evaluator.executor);
	SPI_finish();
	return (Datum) 0;
}

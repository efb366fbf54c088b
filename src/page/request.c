/*
 * request.c
 *		Arguments of a request for a list, and the choice of its policy.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "page/action_names.h"
#include "page/lists.h"

/* Maximum length of a list.  It is limited, because training assumes that users see all items. */
#define MAX_K			1000

void
ReadK(PageRequest *page, NullableDatum k)
{
	if (k.isnull || DatumGetInt32(k.value) < 1 || DatumGetInt32(k.value) > MAX_K)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 k.isnull ? errmsg("k must be between 1 and %d, not NULL", MAX_K) :
				 errmsg("k must be between 1 and %d, not %d", MAX_K, DatumGetInt32(k.value))));
	page->k = DatumGetInt32(k.value);
}

/* Read the argument "context".  Removes keys that only the extension may set. */
void
ReadContext(PageRequest *page, NullableDatum context)
{
	static const char *const reserved[] = {"more_like", "trending", "after", "left_out"};
	Datum		keys[lengthof(reserved)];
	Jsonb	   *object = ReadContextArgument(context);

	page->context = JsonbPGetDatum(object);
	if (JB_ROOT_COUNT(object) > 0)
	{
		for (int i = 0; i < lengthof(reserved); i++)
			keys[i] = CStringGetTextDatum(reserved[i]);
		page->context =
			DirectFunctionCall2(jsonb_delete_array, page->context,
								PointerGetDatum(construct_array(keys, lengthof(reserved), TEXTOID,
																-1, false, TYPALIGN_INT)));
	}
}

Datum
AddToContext(Datum context, const char *key, const char *json)
{
	StringInfoData addition;

	initStringInfo(&addition);
	appendStringInfo(&addition, "{\"%s\": %s}", key, json);
	return DirectFunctionCall2(jsonb_concat, context,
							   DirectFunctionCall1(jsonb_in, CStringGetDatum(addition.data)));
}

/* Hash the user or session to a number in [0, 1).  Low numbers are the control group. */
static double
treatment_number(const PageRequest *page)
{
	TypeCacheEntry *type;
	uint64		hash;

	if (page->user.isnull && page->session.isnull)
		return page->settings.treatment_draw;
	type = lookup_type_cache(page->user_type, TYPECACHE_HASH_EXTENDED_PROC_FINFO);
	if (!page->user.isnull && OidIsValid(type->hash_extended_proc_finfo.fn_oid))
		hash = DatumGetUInt64(FunctionCall2Coll(&type->hash_extended_proc_finfo,
												page->user_collation, page->user.value,
												Int64GetDatum(page->settings.seed)));
	else
	{
		char	   *name;

		if (page->user.isnull)
			name = TextDatumGetCString(page->session.value);
		else
		{
			Oid			output;
			bool		is_varlena;

			getTypeOutputInfo(page->user_type, &output, &is_varlena);
			name = OidOutputFunctionCall(output, page->user.value);
		}
		hash = hash_bytes_extended((unsigned char *) name, strlen(name),
								   (uint64) page->settings.seed);
	}
	return (double) (hash >> 11) / (UINT64CONST(1) << 53);
}

/* Choose the policy of a list: that of the control group, random, or personal. */
ListPolicy
AssignTreatment(const PageRequest *page)
{
	if (treatment_number(page) < page->settings.control)
		return POLICY_CONTROL;
	return page->settings.random_draw < page->settings.epsilon ? POLICY_RANDOM : POLICY_PERSONAL;
}

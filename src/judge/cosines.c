/*
 * cosines.c
 *		The function _dlints_similar_items, which finds items that the same users clicked.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "core/neighbours.h"
#include "sql/args.h"
#include "sql/arrays.h"

/* Maximum item number; arrays that are indexed by item number then take 512 MB */
#define MAX_ITEM			(1 << 24)

/* Minimum score of a similar item; smaller scores are rounding errors */
#define MIN_SCORE			1e-9

typedef struct Items
{
	const int32 *numbers;
	int			count;
} Items;

/* Read an array of item numbers.  Raises an error for numbers below "least". */
static Items
ReadItems(FunctionCallInfo fcinfo, int argno, const char *name, int32 least)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(argno);
	Items		items;

	items.numbers = (int32 *) ARR_DATA_PTR(array);
	items.count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (ARR_HASNULL(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not contain nulls", name)));
	for (int i = 0; i < items.count; i++)
		if (items.numbers[i] < least || items.numbers[i] > MAX_ITEM)
			ArgRaiseOutOfRange(name, psprintf("between %d and %d", least, MAX_ITEM),
							   items.numbers[i]);
	return items;
}

/* Add the total weight of each user's items to the score of each of these items. */
static void
AddBaskets(Items baskets, const double *weights, double *scores)
{
	int			end;

	for (int start = 0; start < baskets.count; start = end + 1)
	{
		double		sum = 0.0;

		CHECK_FOR_INTERRUPTS();
		for (end = start; end < baskets.count && baskets.numbers[end] > 0; end++)
			sum += weights[baskets.numbers[end]];
		if (sum > 0.0)
			for (int i = start; i < end; i++)
				scores[baskets.numbers[i]] += sum;
	}
}

PG_FUNCTION_INFO_V1(dlints_similar_items);

/*
 * _dlints_similar_items(): return the candidates with the largest sums of cosines to the clicked
 * items.  The cosine of two items is the number of users who clicked both, divided by the
 * geometric mean of their numbers of users.
 *
 * "baskets" has the distinct items of each user, followed by a 0.
 */
Datum
dlints_similar_items(PG_FUNCTION_ARGS)
{
	Items		baskets = ReadItems(fcinfo, 0, "baskets", 0);
	Items		clicked = ReadItems(fcinfo, 1, "clicked", 1);
	int			largest = 0;
	int			count = 0;
	double	   *users;
	double	   *weights;
	double	   *scores;
	Neighbour  *list;
	Datum	   *numbers;

	for (int i = 0; i < baskets.count; i++)
		largest = Max(largest, baskets.numbers[i]);
	users = AllocateZeros(sizeof(double), largest + 1);
	weights = AllocateZeros(sizeof(double), largest + 1);
	scores = AllocateZeros(sizeof(double), largest + 1);
	list = AllocateMany(sizeof(Neighbour), largest);
	for (int i = 0; i < baskets.count; i++)
		users[baskets.numbers[i]]++;
	for (int i = 0; i < clicked.count; i++)
		if (clicked.numbers[i] <= largest && users[clicked.numbers[i]] > 0.0)
			weights[clicked.numbers[i]] += 1.0 / sqrt(users[clicked.numbers[i]]);
	AddBaskets(baskets, weights, scores);
	for (int item = 1; item <= Min(PG_GETARG_INT32(2), largest); item++)
	{
		/* subtract the item's similarity to itself */
		double		score = (scores[item] - weights[item] * users[item]) / sqrt(users[item]);

		if (score > MIN_SCORE)
			list[count++] = (Neighbour) {item, (float) score};
	}
	count = neighbours_truncate(count, ArgCount(fcinfo, 3), list);
	numbers = palloc(sizeof(Datum) * Max(count, 1));
	for (int i = 0; i < count; i++)
		numbers[i] = Int32GetDatum((int32) list[i].item);
	PG_RETURN_ARRAYTYPE_P(construct_array(numbers, count, INT4OID, sizeof(int32), true,
										  TYPALIGN_INT));
}

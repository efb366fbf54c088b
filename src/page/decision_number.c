/*
 * decision_number.c
 *		Decision numbers of recommenders and rankers.
 *
 * A decision number consists of these bits, from the highest to the lowest:
 *
 *		31 bits: seconds since 2020
 *		7 bits: 128ths of a second, or bits of a counter
 *		1 bit: 1 if the 7 bits before are bits of a counter
 *		14 bits: bits of a counter, permuted by a secret key, so that users cannot guess numbers
 *
 * Numbers grow with time, and are below 2^53, because JSON readers round larger numbers.
 */
#include "postgres.h"

#include "access/xact.h"
#include "commands/sequence.h"
#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "page/page.h"

/* first and last second of decision numbers, as Unix times */
#define FIRST_SECOND	INT64CONST(1577836800)
#define LAST_SECOND		INT64CONST(3725320447)

/* number of bits after the seconds in a decision number */
#define SECOND_BITS		22
/* half the number of bits that permute() permutes */
#define HALF_BITS		7
#define HALF_MASK		((1 << HALF_BITS) - 1)
/* bit of a decision number: 1 if bits of a counter replace the fraction of a second */
#define COUNTER_FLAG	(1 << (2 * HALF_BITS))
#define FRACTION_SHIFT	(2 * HALF_BITS + 1)
#define FRACTIONS		128
#define FEISTEL_ROUNDS	4

/*
 * Age of a transaction, in microseconds, from which bits of a counter replace the fraction of a
 * second.  With the constant now() of the transaction, numbers would repeat after 16,384 lists.
 */
#define LONG_TRANSACTION	(50 * INT64CONST(1000))

/* Return the lowest possible number of a decision at the time "at". */
static int64
first_decision(TimestampTz at)
{
	int64		second;

	if (TIMESTAMP_IS_NOBEGIN(at))
		second = FIRST_SECOND;
	else if (TIMESTAMP_IS_NOEND(at))
		second = LAST_SECOND;
	else
	{
		int64		offset = (int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY;

		second = at / USECS_PER_SEC + offset - (at % USECS_PER_SEC < 0 ? 1 : 0);
		second = Min(Max(second, FIRST_SECOND), LAST_SECOND);
	}
	return (second - FIRST_SECOND) << SECOND_BITS;
}

/* Permute the lowest 14 bits of a counter with a Feistel network, so that they look random. */
static int64
permute(int64 base, int64 counter, int64 secret)
{
	int64		high = (counter >> HALF_BITS) & HALF_MASK;
	int64		low = counter & HALF_MASK;

	for (int64 round = 1; round <= FEISTEL_ROUNDS; round++)
	{
		int64		previous = low;
		Datum		hash = DirectFunctionCall2(hashint8extended, Int64GetDatum(base + low),
											   Int64GetDatum(secret ^ round));

		low = high ^ (int64) (DatumGetUInt64(hash) & HALF_MASK);
		high = previous;
	}
	return (high << HALF_BITS) + low;
}

/* Return a new decision number for the time "now". */
int64
NewDecisionNumber(Oid schema, int64 secret, TimestampTz now)
{
	int64		base;
	int64		counter;

	if (XactReadOnly)
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("cannot log a decision in a read-only transaction"),
				 errhint("Every list is logged when it is returned. Call the primary server, in a read-write transaction.")));
	base = first_decision(now);
	counter = DatumGetInt64(DirectFunctionCall1(nextval_oid,
												ObjectIdGetDatum(get_relname_relid("decision_number", schema))));
	if (GetCurrentTimestamp() < GetCurrentTransactionStartTimestamp() + LONG_TRANSACTION)
		base += ((now % USECS_PER_SEC + USECS_PER_SEC) % USECS_PER_SEC * FRACTIONS /
				 USECS_PER_SEC) << FRACTION_SHIFT;
	else
		base += (((counter >> (2 * HALF_BITS)) & (FRACTIONS - 1)) << FRACTION_SHIFT) | COUNTER_FLAG;
	return base + permute(base, counter, secret);
}

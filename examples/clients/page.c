/*
 * Show a page to a member of the shop and report a click, with libpq.
 *
 *     cc page.c -o page -I"$(pg_config --includedir)" -L"$(pg_config --libdir)" -lpq
 *     psql -f schema.sql && ./page 42
 */
#include <stdio.h>
#include <stdlib.h>

#include <libpq-fe.h>

/* Profile: the last 50 products that the member clicked */
static const char *profile_statement =
"SELECT dlints_profile(p.features) "
"FROM  (SELECT r.product_id FROM decision d JOIN reward r ON r.decision_id = d.id "
"       WHERE  d.member_id = $1 AND r.reward > 0 "
"       ORDER  BY d.made_at DESC LIMIT $2) c "
"JOIN   product p ON p.id = c.product_id";

/* Choose products, log them and return them */
static const char *show_statement =
"WITH made AS ( "
"    INSERT INTO decision (model, member_id, profile) VALUES ($1, $2, $3) "
"    RETURNING id, model, profile), "
"candidate AS ( "
"    SELECT array_agg(id) AS ids, array_agg(features) AS features "
"    FROM   product WHERE in_stock) "
"INSERT INTO impression (decision_id, product_id, rank, probability) "
"SELECT d.id, s.item, s.rank, s.probability "
"FROM   made d JOIN model m ON m.name = d.model, candidate c, "
"       LATERAL dlints_decide(m.state, c.ids, c.features, $4, d.profile, epsilon => $5) s "
"ORDER  BY s.rank "
"RETURNING decision_id, product_id";

/* Report the outcome */
static const char *reward_statement =
"INSERT INTO reward (decision_id, product_id, reward) VALUES ($1, $2, $3) "
"ON CONFLICT (decision_id, product_id) DO UPDATE SET reward = excluded.reward";

static PGresult *
query(PGconn *db, const char *statement, int count, const char *const *values)
{
	PGresult   *result = PQexecParams(db, statement, count, NULL, values, NULL, NULL, 0);

	if (PQresultStatus(result) != PGRES_TUPLES_OK && PQresultStatus(result) != PGRES_COMMAND_OK)
	{
		fprintf(stderr, "%s", PQerrorMessage(db));
		exit(1);
	}
	return result;
}

static PGresult *
show(PGconn *db, const char *member)
{
	PGresult   *row = query(db, profile_statement, 2, (const char *[]) {member, "50"});
	PGresult   *items = query(db, show_statement, 5,
							  (const char *[]) {"shop", member, PQgetvalue(row, 0, 0), "5", "0.05"});

	PQclear(row);
	return items;
}

static void
clicked(PGconn *db, const char *decision, const char *product)
{
	PQclear(query(db, reward_statement, 3, (const char *[]) {decision, product, "1"}));
}

int
main(int count, char **arguments)
{
	PGconn	   *db = PQconnectdb("");
	PGresult   *items;

	if (count != 2 || PQstatus(db) != CONNECTION_OK)
	{
		fprintf(stderr, "%s", count != 2 ? "page MEMBER\n" : PQerrorMessage(db));
		return 1;
	}
	items = show(db, arguments[1]);
	printf("%s", PQgetvalue(items, 0, 0));
	for (int i = 0; i < PQntuples(items); i++)
		printf(" %s", PQgetvalue(items, i, 1));
	printf("\n");
	clicked(db, PQgetvalue(items, 0, 0), PQgetvalue(items, 0, 1));	/* say */
	PQclear(items);
	PQfinish(db);
	return 0;
}

/* Execute calls with libpq; see calls.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libpq-fe.h>

int
main(int count, char **arguments)
{
	PGconn	   *db = PQconnectdb("");
	FILE	   *calls = count == 2 ? fopen(arguments[1], "r") : NULL;
	char		line[1000];

	while (calls && fgets(line, sizeof(line), calls))
	{
		const char *values[9];
		char	   *statement = strtok(line, "\t\n");
		char	   *text;
		int			n = 0;
		PGresult   *result;

		while ((text = strtok(NULL, "\t\n")) != NULL)
			values[n++] = strcmp(text, "null") == 0 ? NULL : text;
		result = PQexecParams(db, statement, n, NULL, values, NULL, NULL, 0);
		if (PQresultStatus(result) == PGRES_TUPLES_OK)
			printf("%s\n", PQgetvalue(result, 0, 0));
		else if (PQresultStatus(result) != PGRES_COMMAND_OK)
		{
			printf("%s", PQerrorMessage(db));
			return 1;
		}
		PQclear(result);
	}
	PQfinish(db);
	return calls == NULL;
}

-- Features of all items for a user, with neighbour scores by their definition: the sum of weights in the rows of the
-- items that the user clicked, in the log and on lists: all, or some lists.
CREATE OR REPLACE FUNCTION features_for(name text, of_user bigint, lists bigint[] DEFAULT NULL)
RETURNS TABLE (item integer, features real[]) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE replace($query$
	WITH clicked AS (
		SELECT c.item, c.at, c.weight
		FROM  (SELECT c.* FROM {s}.click c, {s}.setting s
		       WHERE  s.clicks IS NOT NULL AND c.user_id = $1 AND isfinite(c.at)
		       ORDER  BY c.at DESC LIMIT 500) c
		UNION ALL
		SELECT r.item, d.at, 1 FROM {s}.decision d JOIN {s}.reward r ON r.decision = d.id
		WHERE  d.user_id = $1 AND r.value > 0 AND r.item = ANY (d.items) AND ($2 IS NULL OR d.id = ANY ($2))),
	once AS (
		SELECT c.item, max(c.weight * coalesce(0.5 ^ ((l.latest - least(extract(epoch
			FROM c.at), l.latest)) / 86400 / m.half_life), 1))
		           AS weight
		FROM   clicked c, {s}.similarity m,
		       (SELECT max(extract(epoch FROM least(c.at, now())))::float8 AS latest FROM clicked c) l GROUP BY c.item),
	score AS (
		SELECT u.item, least(greatest(sum(o.weight * u.weight), 0), 4)::real AS score
		FROM   once o JOIN {s}.neighbour n ON n.item = o.item, unnest(n.neighbours, n.weights) u (item, weight)
			GROUP BY u.item)
	SELECT f.item, f.features[:cardinality(f.features) - 1] || coalesce(s.score, 0)::real
	FROM   {s}.item_features f LEFT JOIN score s ON s.item = f.item$query$, '{s}', quote_ident(name))
		USING of_user, lists;
END $$;

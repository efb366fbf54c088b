-- Weight of the neighbour score --------------------------------------------------------------
--
-- The weight is fitted to examples whose negative items were clicked at about the same time.  Neighbours of old clicks
-- may no longer be of interest.  To find out, we hold out the latest clicks, and rank them among random items.  If no
-- click is later than others, we hold out part 0 of the log.

-- Write the table held_out_item: factors and neighbours of items, fitted without an eighth of the click log and
-- without the clicks after a time.  _dlints_fit_prior() drops the table.
CREATE FUNCTION _dlints_hold_out(part integer, until timestamptz) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	IF to_regclass(format('%I.held_out_item', own)) IS NOT NULL THEN
		EXECUTE format('DROP TABLE %I.held_out_item', own);
	END IF;
	EXECUTE format('CREATE UNLOGGED TABLE %I.held_out_item AS SELECT f.* FROM %s f', own,
	               @extschema@._dlints_fit_call((SELECT s.factors FROM setting s), part, until));
	ANALYZE held_out_item (item);
END
$$;

-- Lower the weight of the neighbour score to 0.3 of it, or to its minimum, if the ranks of held-out clicks then
-- improve by more than two standard errors.  For up to 500 users, a random click after "until" is ranked among 200
-- random items that the user had not clicked, by the score of recommend().  Clicks are weighted by the inverse of
-- their item's assumed impressions (setting.exposure).
CREATE FUNCTION _dlints_limit_neighbour_weight(until timestamptz) RETURNS void
	LANGUAGE plpgsql VOLATILE SET enable_nestloop = off AS      -- the planner cannot estimate rows of the parts
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	PERFORM @extschema@._dlints_notice_step('comparing weights of the neighbour score'::text);
	EXECUTE '
	WITH clicked AS MATERIALIZED (
		SELECT c.user_id, c.item, max(c.at) AS at, c.is_held_out
		FROM  (SELECT k.user_id, k.item, u.at, u.at > $1 OR k.part = 0 AND max(k.at) OVER () <= $1 AS is_held_out
		       FROM   recent_click k, unnest(ARRAY[k.first_at, k.at]) u (at)) c
		GROUP  BY c.user_id, c.item, c.is_held_out, CASE WHEN c.user_id IS NULL THEN c.at END),
	test AS MATERIALIZED (
		SELECT row_number() OVER () AS id, f.*
		FROM  (SELECT DISTINCT ON (c.user_id) c.user_id, c.item, c.at FROM clicked c
		       WHERE  c.is_held_out AND c.user_id IS NOT NULL ORDER BY c.user_id, random()) f
		ORDER  BY random() LIMIT 500),
	history AS MATERIALIZED (
		SELECT t.id, c.item, @extschema@._dlints_decay(
		           date_part(''epoch'', max(c.at) OVER (PARTITION BY t.id) - c.at) / 86400, s.half_life) AS weight
		FROM   similarity s CROSS JOIN test t JOIN clicked c ON same_user(c.user_id, t.user_id)
		WHERE  NOT c.is_held_out OR c.at <= t.at AND NOT same_item(c.item, t.item)),
	popularity AS MATERIALIZED (
		SELECT c.item, count(*) AS clicks, sum(@extschema@._dlints_decay(
		           date_part(''epoch'', $1 - c.at) / 86400, s.popularity_half_life)) AS score
		FROM   similarity s, clicked c
		WHERE  NOT c.is_held_out GROUP BY c.item),
	named AS MATERIALIZED (
		SELECT i.item, bool_or(i.is_drawn) AS is_drawn
		FROM  (SELECT d.item, true AS is_drawn
		       FROM  (SELECT v.item FROM item_vector v ORDER BY v.is_deleted, random() LIMIT 200) d
		       UNION ALL SELECT t.item, false FROM test t
		       UNION ALL SELECT h.item, false FROM history h) i
		GROUP  BY i.item),
	vector AS MATERIALIZED (
		SELECT v.item, n.is_drawn,
		       coalesce(h.factors, array_fill(0::real, ARRAY[s.factors])) || v.features[s.factors + 1:] AS features,
		       (ln(1 + coalesce(p.score, 0)) / ln(1 + t.score))::real AS popularity,
		       greatest(coalesce(p.clicks, 1), 1) ^ -s.exposure AS weight
		FROM   setting s CROSS JOIN (SELECT greatest(max(p.score), 1) AS score FROM popularity p) t
		       CROSS JOIN named n JOIN item_vector v ON same_item(v.item, n.item)
		       LEFT JOIN held_out_item h ON same_item(h.item, v.item) AND h.factors IS NOT NULL
		       LEFT JOIN popularity p ON same_item(p.item, v.item)),
	profile AS MATERIALIZED (
		SELECT h.id, @extschema@._dlints_profile_of(@extschema@._dlints_mean_profile(
		           @extschema@.dlints_profile((v.features || 1::real)::@extschema@.dlints_vector, h.weight),
		           sum(h.weight), s.liked), l.scale, l.weights, s.liked, 0)::float8[] AS profile
		FROM   setting s CROSS JOIN similarity l CROSS JOIN history h JOIN vector v ON same_item(v.item, h.item)
		GROUP  BY h.id, s.liked, l.scale, l.weights),
	wanted AS MATERIALIZED (
		SELECT v.item, v.is_drawn, v.weight, (v.features || v.popularity || 0::real)::@extschema@.dlints_vector AS features
		FROM   vector v
		WHERE  v.is_drawn OR EXISTS (SELECT FROM test t WHERE same_item(t.item, v.item))),
	related AS MATERIALIZED (
		SELECT h.item AS clicked, w.item, u.weight
		FROM   held_out_item h CROSS JOIN unnest(h.neighbours, h.weights) u (item, weight)
		       JOIN wanted w ON same_item(w.item, u.item)
		WHERE  EXISTS (SELECT FROM history b WHERE same_item(b.item, h.item))),
	together AS MATERIALIZED (
		SELECT h.id, r.item, @extschema@._dlints_neighbour_score(sum(h.weight * r.weight)) AS score
		FROM   history h JOIN related r ON same_item(r.clicked, h.item) GROUP BY h.id, r.item),
	candidate AS (
		SELECT t.id, w.item, w.weight, true AS is_click, w.features
		FROM   test t JOIN wanted w ON same_item(w.item, t.item)
		UNION ALL
		SELECT t.id, w.item, w.weight, false, w.features
		FROM   test t JOIN wanted w ON w.is_drawn AND NOT same_item(w.item, t.item)),
	scored AS MATERIALIZED (
		SELECT c.id, c.is_click, c.weight, @extschema@.dlints_dot(p.profile, c.features) AS score,
		       l.weights[cardinality(l.weights) - 1] * coalesce(n.score, 0) AS together
		FROM   similarity l CROSS JOIN candidate c JOIN profile p ON p.id = c.id
		       LEFT JOIN together n ON n.id = c.id AND same_item(n.item, c.item)
		WHERE  NOT EXISTS (SELECT FROM history h WHERE h.id = c.id AND same_item(h.item, c.item))),
	ranked AS (
		SELECT o.id, o.weight, sum(1 + sign(c.score - o.score)) / 2 AS without,
		       sum(1 + sign(c.score - o.score + 0.3 * (c.together - o.together))) / 2 AS reduced,
		       sum(1 + sign(c.score - o.score + c.together - o.together)) / 2 AS "full"
		FROM   scored o JOIN scored c ON c.id = o.id AND NOT c.is_click
		WHERE  o.is_click
		GROUP  BY o.id, o.weight),
	compared AS (
		SELECT m.multiplier, avg(g.gain) AS gain, stddev_samp(g.gain) / sqrt(count(*)) AS stderr
		FROM   ranked r CROSS JOIN LATERAL (VALUES (0, r.without), (0.3, r.reduced)) m (multiplier, rank)
		       CROSS JOIN LATERAL (
		           SELECT r.weight * (1 / ln(2 + m.rank) - 1 / ln(2 + r."full")) AS gain) g
		GROUP  BY m.multiplier HAVING count(*) >= 30)
	UPDATE similarity l
	SET    weights[cardinality(l.weights) - 1] =
	           @extschema@._dlints_limit_weight(b.multiplier * l.weights[cardinality(l.weights) - 1])
	FROM  (SELECT c.multiplier FROM compared c WHERE c.gain > 2 * c.stderr ORDER BY c.gain DESC LIMIT 1) b' USING until;
END
$$;

\ir neighbours.sql

-- Lists are compared with the best of all items, some of which a search of similar items may miss.
CREATE OR REPLACE FUNCTION public._dlints_min_grouped_items() RETURNS bigint LANGUAGE sql IMMUTABLE RETURN 30000;

-- A list of a recommender, compared with all candidates: "gap" is how much more the best candidates score than the
-- items of the list, under the draw that chose it.  Ties make the items themselves no test.
CREATE FUNCTION listed(name text, user_id bigint, context jsonb DEFAULT '{}', k integer DEFAULT 10,
	OUT decision bigint, OUT items integer[], OUT n_scored integer, OUT treatment text, OUT gap float8)
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT min(r.decision) FROM %I.recommend($1, $2, context => $3) r', name)
	INTO decision USING user_id, k, context;
	EXECUTE format('SELECT d.items, d.n_scored, d.treatment FROM %I.decision d WHERE d.id = $1', name)
	INTO items, n_scored, treatment USING decision;
	gap := gap_of(name, decision, '{}');
END $$;

-- The same for an existing list, which must not contain some items
CREATE FUNCTION gap_of(name text, decision bigint, excluded integer[], policy text DEFAULT NULL) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
	rules jsonb;
	gap float8;
BEGIN
	EXECUTE format('SELECT to_jsonb(s) FROM %I.setting s', name) INTO rules;
	EXECUTE replace(replace(replace($query$
	WITH page AS (
		SELECT d.id, d.user_id, d.context, d.items, d.n_scored, d.seed, d.prices, u.profile, s.cap, s.empty_model,
		       CASE WHEN $3 IS NOT NULL THEN $3 WHEN d.treatment <> 'personal' THEN d.treatment
		            WHEN EXISTS (SELECT FROM unnest(u.profile[1:s.liked]) f WHERE f <> 0)
		                 OR NOT EXISTS (SELECT FROM {s}.warm_start_example) THEN 'personal' ELSE 'unknown' END AS policy
		FROM   {s}.decision d, {s}.setting s, {s}.profile(d.user_id) u (profile) WHERE d.id = $1),
	weight AS (
		SELECT w.w, CASE WHEN l.state <> p.empty_model THEN dlints_weights(l.state, p.profile) END AS later
		FROM   page p, {s}.model m, {s}.model l, LATERAL (
		           SELECT CASE p.policy WHEN 'personal' THEN ARRAY(SELECT unnest((dlints_draw_weights(
		                      m.state, p.profile, p.seed, CASE WHEN p.n_scored IS NULL THEN 50 ELSE 15 END))[1:1]))
		                  WHEN 'unknown' THEN dlints_weights(m.state, p.profile) END AS w) w
		WHERE  m.name = 'personal' AND l.name = 'later'),
	known AS MATERIALIZED (
		SELECT f.* FROM page p, features_for('{s}', p.user_id) f),
	scored AS (
		SELECT a.item, CASE WHEN p.policy = 'control' THEN v.popularity ELSE dlints_dot(w.w, v.features) + v.effect
		           + coalesce(dlints_dot(w.later, v.features), 0) + {bonus}
		           - coalesce((SELECT sum(c.sign * (p.prices ->> c.name)::float8 * v.costs[c.n])
		              FROM  (SELECT c.*, row_number() OVER (ORDER BY c.name COLLATE "C") AS n
		              	FROM {s}.constraint_price c) c), 0)
		       END AS score, {group} AS cap_group
		FROM   page p, weight w, {s}.allowed(p.user_id, p.context) a JOIN {s}.item_vector y USING (item)
		       JOIN known k USING (item), LATERAL (SELECT y.popularity, y.effect, y.costs, k.features) v
		WHERE  a.item <> ALL ($2)),
	best AS (
		SELECT s.score FROM (SELECT s.*, row_number() OVER (PARTITION BY s.cap_group ORDER BY s.score DESC) AS n
			FROM scored s) s, page p
		WHERE  s.cap_group IS NULL OR s.n <= p.cap
		ORDER BY s.score DESC LIMIT (SELECT cardinality(p.items) FROM page p))
	SELECT (SELECT sum(b.score) FROM best b) - sum(s.score) FROM scored s, page p WHERE s.item = ANY (p.items)$query$,
		'{s}', quote_ident(name)),
		'{bonus}', CASE WHEN rules ->> 'bonus' IS NULL THEN '0'
		           ELSE format('coalesce((SELECT b.bonus FROM %I.bonus(a.item, p.user_id, p.context) b), 0)',
		                       name) END),
		'{group}', CASE WHEN rules ->> 'cap_group' IS NULL THEN 'NULL::text'
		           ELSE format('(SELECT g.cap_group FROM %I.cap_group(a.item, p.user_id, p.context) g)', name) END)
	INTO gap USING decision, excluded, policy;
	RETURN gap;
END $$;

-- Are logged probabilities the shares of the draws under which an item is among the best of all candidates?
CREATE FUNCTION has_right_probabilities(name text, of_decision bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	result boolean;
BEGIN
	EXECUTE replace($query$
	WITH score AS (
		SELECT n, v.item, dlints_dot(w.w, v.features) + coalesce(dlints_dot(l.later, v.features), 0) + v.effect AS score
		FROM   {s}.decision d, {s}.setting s, {s}.model m, {s}.model o, {s}.profile(d.user_id) u (profile),
		       dlints_draw_weights(m.state, u.profile, d.seed, 15) ws, generate_subscripts(ws, 1) n,
		       LATERAL (SELECT ARRAY(SELECT unnest(ws[n:n])) AS w) w,
		       LATERAL (SELECT CASE WHEN o.state <> s.empty_model
		                            THEN dlints_weights(o.state, u.profile) END AS later) l,
		       LATERAL (SELECT f.item, f.features, y.effect FROM features_for('{s}', d.user_id) f
		       	JOIN {s}.item_vector y USING (item)) v
		WHERE  d.id = $1 AND m.name = 'personal' AND o.name = 'later'),
	ranked AS (
		SELECT s.*, rank() OVER (PARTITION BY s.n ORDER BY s.score DESC) AS rank,
		       nth_value(s.score, 10) OVER (PARTITION BY s.n ORDER BY s.score DESC ROWS BETWEEN UNBOUNDED PRECEDING
		                                    AND UNBOUNDED FOLLOWING) AS tenth FROM score s),
	share AS (
		SELECT r.item, count(*) FILTER (WHERE r.score > r.tenth + 1e-9) AS low,
			count(*) FILTER (WHERE r.score > r.tenth - 1e-9) AS high
		FROM   ranked r GROUP BY r.item)
	SELECT bool_and(15 * p.probability BETWEEN s.low - 1e-6 AND s.high + 1e-6)
	FROM   {s}.impression p JOIN share s USING (item) WHERE p.decision = $1$query$, '{s}', quote_ident(name))
	INTO result USING of_decision;
	RETURN result;
END $$;

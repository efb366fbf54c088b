-- Backtest: lists of a recommender that is created without the end of the click log -----------
--
-- The last fifth of each user's clicks is hidden.  A trial recommender, in a separate schema, is created from the
-- other clicks, and its lists of ten items are compared with those of simple policies.  A subtransaction is rolled
-- back in the end, so that nothing remains of the trial.

-- Write the newest million clicks to a table, and mark the last fifth of each user's clicks as hidden.  A hash of user
-- and item orders clicks with equal times.
CREATE FUNCTION _dlints_split_clicks(a jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	log_schema text := quote_ident((a ->> 'name') || '_log');
	log text := log_schema || '.log';
	n_hidden bigint;
	n_visible bigint;
BEGIN
	RAISE NOTICE 'reading the click log';
	EXECUTE format('CREATE SCHEMA %s', log_schema);
	PERFORM @extschema@._dlints_bind_clicks(a || jsonb_build_object('name', (a ->> 'name') || '_log'));
	BEGIN
		EXECUTE format($statement$
			CREATE UNLOGGED TABLE %1$s.log AS
			SELECT c.user_id, c.item, c.at, c.weight,
			       c.weight > 0 AND c.user_id IS NOT NULL AND c.n_clicks > 1 AND 5 * c.n < c.n_clicks + 5 AS is_hidden
			FROM  (SELECT c.*, count(*) OVER (PARTITION BY c.user_id, c.weight > 0) AS n_clicks,
			              row_number() OVER (PARTITION BY c.user_id, c.weight > 0
			                                 ORDER BY c.at DESC, md5(concat(c.user_id, ' ', c.item)) COLLATE "C") AS n
			       FROM  (SELECT k.user_id, k.item, k.at, k.weight FROM %1$s.click k
			              WHERE  k.at <= now() AND isfinite(k.at)
			              AND    @extschema@._dlints_fits_index(k.user_id) IS NOT FALSE
			              ORDER  BY k.at DESC LIMIT 1000000) c) c$statement$, log_schema);
	EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
		PERFORM @extschema@._dlints_raise_in('in the argument "clicks"'::text, SQLSTATE, SQLERRM, NULL::text, NULL::text);
	END;
	EXECUTE format('CREATE INDEX ON %s (user_id, at) WHERE NOT is_hidden', log);
	EXECUTE format('CREATE INDEX ON %s (at) WHERE NOT is_hidden', log);
	EXECUTE format('ANALYZE %s', log);
	EXECUTE format('SELECT count(*) FILTER (WHERE is_hidden), count(*) FILTER (WHERE NOT is_hidden) FROM %s', log)
	INTO n_hidden, n_visible;
	PERFORM @extschema@._dlints_check_hidden(n_hidden);
	RAISE NOTICE '% clicks are hidden, and a recommender is trained on the other %', n_hidden, n_visible;
END
$$;

-- Raise an error if no clicks are hidden.
CREATE FUNCTION _dlints_check_hidden(n_hidden bigint) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
BEGIN
	IF n_hidden = 0 THEN
		RAISE 'the click log has no clicks to test a recommender with' USING ERRCODE = 'no_data_found',
			DETAIL = 'The last fifth of each user''s clicks is hidden;'
				' none is on an item that a list for the user can contain.',
			HINT = 'A backtest needs users with at least two clicks on different items, at times in the past.';
	END IF;
END
$$;

-- Create the views and functions of a trial, which call those of the tested recommender, "a ->> 'borrowed'".  Creating
-- them from the user's expressions could fail, because columns may have been renamed.
CREATE FUNCTION _dlints_borrow_bindings(a jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	trial text := a ->> 'name';
	lender text := a ->> 'borrowed';
	item_type text := @extschema@._dlints_type_name((a ->> 'item_type')::oid);
	user_type text := @extschema@._dlints_type_name((a ->> 'user_type')::oid);
	rule text;
	result text;
BEGIN
	EXECUTE format('CREATE VIEW %I.item AS SELECT i.item FROM %I.item i', trial, lender);
	EXECUTE format('CREATE VIEW %I.encoded_item AS SELECT i.item, i.encoded, i.dates, i.digest FROM %I.encoded_item i',
	               trial, lender);
	EXECUTE format('INSERT INTO %1$I.item_vector (item, features, dates, is_deleted)'
	               ' SELECT v.item, array_fill(0::real, ARRAY[%3$s]) || v.features[%3$s + 1:], v.dates, true'
	               ' FROM %2$I.item_vector v WHERE v.is_deleted', trial, lender, a ->> 'factors');
	EXECUTE format('CREATE FUNCTION %I.encode_document(document jsonb) RETURNS real[] LANGUAGE sql STABLE'
	               ' RETURN %I.encode_document(document)', trial, lender);
	EXECUTE format('CREATE FUNCTION %I.allowed(user_id %s, context jsonb) RETURNS TABLE (item %s) LANGUAGE sql STABLE'
	               ' BEGIN ATOMIC SELECT a.item FROM %I.allowed($1, $2) a; END', trial, user_type, item_type, lender);
	FOR rule, result IN VALUES ('bonus', 'float8'), ('cap_group', 'text') LOOP
		CONTINUE WHEN a ->> rule IS NULL;
		EXECUTE format('CREATE FUNCTION %1$I.%2$I(of_item %3$s, user_id %4$s, context jsonb) RETURNS TABLE (%2$I %5$s)'
		               ' LANGUAGE sql STABLE BEGIN ATOMIC SELECT r.%2$I FROM %6$I.%2$I($1, $2, $3) r; END',
		               trial, rule, item_type, user_type, result, lender);
	END LOOP;
	IF a -> 'constraints' <> '{}' THEN
		EXECUTE format('CREATE VIEW %I.cost_text AS SELECT c.item, c.part, c.costs FROM %I.cost_text c', trial, lender);
	END IF;
END
$$;

-- Draw the users of a backtest, with the items of their hidden clicks (targets).  If recommend() excludes items that
-- the user has clicked, these are not targets.  The sample depends only on the log.
CREATE FUNCTION _dlints_draw_test_users(max_users integer) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	EXECUTE format($statement$
		CREATE UNLOGGED TABLE %I.hidden AS
		SELECT row_number() OVER () AS n, u.user_id, u.items
		FROM  (SELECT l.user_id, array_agg(DISTINCT l.item) AS items
		       FROM   setting s, %I.log l
		       WHERE  l.is_hidden AND EXISTS (SELECT FROM item i WHERE same_item(i.item, l.item))
		       AND    NOT EXISTS (SELECT FROM click c
		                          WHERE  same_user(c.user_id, l.user_id) AND same_item(c.item, l.item)
		                          AND    c.at > now() - s.repeat_after)
		       GROUP  BY l.user_id ORDER BY md5(min(l.user_id::text)) LIMIT $1) u$statement$, own, own || '_log')
	USING max_users;
	PERFORM @extschema@._dlints_check_hidden((SELECT count(*) FROM hidden));
END
$$;

-- Do the candidates of a recommender depend on the user?  We look for the user in the condition of the bound function,
-- whose FROM clause has the parameter in any case.
CREATE FUNCTION _dlints_candidates_differ(schema text) RETURNS boolean
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS
$$
SELECT coalesce(bool_or(p.prosqlbody IS NULL OR pg_get_function_sqlbody(p.oid)
                        ~ 'request[.](user_id|[*])|allowed[.]user_id.*allowed[.]user_id'), true)
FROM   pg_proc p WHERE p.pronamespace = to_regnamespace(quote_ident(schema)) AND p.proname = 'allowed'
$$;

CREATE FUNCTION _dlints_similar_items(baskets integer[], clicked integer[], candidates integer, size bigint)
	RETURNS integer[]
	AS 'MODULE_PATHNAME', 'dlints_similar_items' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;

-- Compute the statistics of simple policies: clicks of each item, clicks of the last two weeks, and items that each
-- user has clicked.  Items that no list can contain have no rank, and the largest numbers.  Other numbers are random,
-- because they order items with equal cosines.  If the candidates depend on the user, they are checked later for each
-- user.
CREATE FUNCTION _dlints_count_clicks(differs_by_user boolean) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	EXECUTE format($statement$
		CREATE UNLOGGED TABLE %I.known AS
		WITH allowed_item AS MATERIALIZED (
			SELECT a.item FROM @extschema@._dlints_allowed_items(
			           (SELECT d.user_id FROM decision d WHERE false), '{}'::jsonb,
			           (SELECT w.item FROM item_vector w WHERE false)) a (item) WHERE NOT $1)
		SELECT row_number() OVER (ORDER BY k.is_candidate DESC, md5(k.item::text)) AS n, k.item, k.encoded, k.factors,
		       k.clicks, k.recent,
		       CASE WHEN k.is_candidate THEN row_number() OVER (
		           PARTITION BY k.is_candidate ORDER BY k.clicks DESC) END AS by_clicks,
		       CASE WHEN k.is_candidate THEN row_number() OVER (
		           PARTITION BY k.is_candidate ORDER BY k.recent DESC, k.clicks DESC) END AS by_recent
		FROM  (SELECT v.item, v.features[s.factors + 1:] AS encoded,
		              nullif(v.features[1:s.factors], array_fill(0::real, ARRAY[s.factors])) AS factors,
		              k.clicks, k.recent,
		              $1 OR EXISTS (SELECT FROM allowed_item a WHERE same_item(a.item, k.item)) AS is_candidate
		       FROM  (SELECT c.item, count(*) AS clicks, count(*) FILTER (
		                         WHERE c.at > (SELECT max(x.at) FROM click x) - interval '14 days') AS recent
		              FROM   click c GROUP BY c.item ORDER BY count(*) DESC LIMIT 20000) k
		              JOIN item_vector v ON same_item(v.item, k.item) CROSS JOIN setting s) k$statement$, own)
	USING differs_by_user;
	EXECUTE format('CREATE INDEX ON %I.known (by_clicks)', own);
	EXECUTE format('CREATE INDEX ON %I.known (by_recent)', own);
	EXECUTE format($statement$
		CREATE UNLOGGED TABLE %I.clicked AS
		SELECT DISTINCT c.user_id, c.item
		FROM  (SELECT x.user_id, x.item, row_number() OVER (PARTITION BY x.user_id ORDER BY x.at DESC) AS n
		       FROM  (SELECT k.user_id, k.item, k.at FROM click k WHERE k.user_id IS NOT NULL AND k.item IS NOT NULL
		              ORDER BY k.at DESC LIMIT 200000) x) c
		WHERE  c.n <= 100$statement$, own);
	ANALYZE known;
	ANALYZE clicked;
	EXECUTE format($statement$
		CREATE UNLOGGED TABLE %I.clicked_item AS
		SELECT c.item, coalesce(k.n, (SELECT count(*) FROM known) + row_number() OVER (PARTITION BY k.n IS NULL)) AS n
		FROM  (SELECT DISTINCT u.item FROM clicked u) c LEFT JOIN known k ON same_item(k.item, c.item)$statement$, own);
	ANALYZE clicked_item;
	EXECUTE format('CREATE UNLOGGED TABLE %I.basket (items integer[])', own);
	EXECUTE format('ALTER TABLE %I.basket ALTER items SET STORAGE EXTERNAL', own);
	INSERT INTO basket (items)
	SELECT array_agg(u.n)
	FROM  (SELECT array_agg(i.n) || 0::bigint AS items
	       FROM   clicked c JOIN clicked_item i ON same_item(i.item, c.item) GROUP BY c.user_id) b, unnest(b.items) u (n);
END
$$;

-- Write the item vectors of the simple policies, which rank items by dot products with profiles.  A vector has the
-- factors of an item, or the features of one column times the clicks on the item.  "part_block" has the same vectors
-- in blocks, for computing the scores of many users together.
CREATE FUNCTION _dlints_write_part_vectors() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	EXECUTE format($statement$
		CREATE UNLOGGED TABLE %I.part AS
		SELECT 'popular in your ' || p.name AS policy, min(p.n)::integer - s.factors AS first,
		       max(p.n)::integer - s.factors AS last
		FROM   setting s, unnest(s.parts) WITH ORDINALITY p (name, n)
		WHERE  p.n > s.factors AND p.n <= s.liked GROUP BY p.name, s.factors HAVING count(*) > 1$statement$, own);
	EXECUTE format($statement$
		CREATE UNLOGGED TABLE %I.part_vector AS
		SELECT 'factors'::text AS policy, k.n, k.factors AS features
		FROM   known k WHERE k.by_clicks IS NOT NULL AND k.factors IS NOT NULL
		UNION ALL
		SELECT p.policy, k.n,
		       ARRAY(SELECT (u.x * k.clicks)::real FROM unnest(k.encoded[p.first:p.last]) WITH ORDINALITY u (x, n)
		             ORDER BY u.n) || k.clicks::real
		FROM   known k, part p WHERE k.by_clicks IS NOT NULL$statement$, own);
	EXECUTE format('CREATE UNIQUE INDEX ON %I.part_vector (policy, n)', own);
	EXECUTE format('CREATE UNLOGGED TABLE %I.part_block (policy text, items bigint[], features real[])', own);
	EXECUTE format('ALTER TABLE %I.part_block ALTER features SET STORAGE EXTERNAL', own);
	INSERT INTO part_block (policy, items, features)
	SELECT v.policy, array_agg(v.n), array_agg(v.features) FROM part_vector v GROUP BY v.policy, v.n / 256;
	ANALYZE part_vector;
	ANALYZE part_block;
END
$$;

-- Compare lists of ten items for some test users: the list of recommend(), and the lists of simple policies.  All
-- policies have the same candidates.
CREATE FUNCTION _dlints_compare_lists(first_user bigint, last_user bigint, differs_by_user boolean) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	INSERT INTO compared (n, policy, ndcg, is_hit)
	WITH tested AS MATERIALIZED (
		SELECT h.n, h.user_id, h.items FROM hidden h WHERE h.n BETWEEN first_user AND last_user),
	history AS MATERIALIZED (
		SELECT c.n, c.at, c.place, k.n AS known, i.n AS clicked, k.factors, k.encoded
		FROM  (SELECT t.n, c.item, c.at, row_number() OVER (PARTITION BY t.n ORDER BY c.at DESC) AS place
		       FROM   tested t JOIN click c ON same_user(c.user_id, t.user_id)) c
		       LEFT JOIN known k ON same_item(k.item, c.item) LEFT JOIN clicked_item i ON same_item(i.item, c.item)),
	excluded AS MATERIALIZED (
		SELECT h.n, h.known FROM setting s, history h WHERE h.known IS NOT NULL AND h.at > now() - s.repeat_after
		UNION
		(SELECT t.n, k.n FROM tested t, known k WHERE differs_by_user
		 EXCEPT
		 SELECT a.n, k.n
		 FROM  (SELECT t.n, i.item
		        FROM   tested t, LATERAL @extschema@._dlints_allowed_items(
		                   t.user_id, '{}'::jsonb, (SELECT w.item FROM item_vector w WHERE false)) i (item)
		        WHERE  differs_by_user OFFSET 0) a, known k
		 WHERE  same_item(k.item, a.item))),
	size AS MATERIALIZED (              -- number of best items to compute, so that at least ten are not excluded
		SELECT t.n, 10 + count(x.n) AS size FROM tested t LEFT JOIN excluded x ON x.n = t.n GROUP BY t.n),
	profile AS MATERIALIZED (
		SELECT h.n,
		       CASE WHEN count(h.factors) > 0
		            THEN @extschema@.dlints_profile(h.factors::@extschema@.dlints_vector, 1::float8) END AS factors,
		       CASE WHEN count(h.known) > 0
		            THEN @extschema@.dlints_profile(h.encoded::@extschema@.dlints_vector, 1::float8) END AS encoded
		FROM   history h WHERE h.known IS NOT NULL AND h.place <= 500 GROUP BY h.n),
	weight AS MATERIALIZED (
		SELECT p.n, 'factors'::text AS policy, p.factors::float8[] AS weights
		FROM   profile p WHERE p.factors IS NOT NULL
		UNION ALL
		SELECT p.n, b.policy, p.encoded[b.first:b.last]::float8[] || 1e-6::float8
		FROM   profile p, part b WHERE p.encoded IS NOT NULL),
	shortlist AS MATERIALIZED (
		SELECT b.policy, @extschema@.dlints_shortlist(b.items, b.features::@extschema@.dlints_vector, w.weights,
		                                              (SELECT max(s.size) FROM size s)) AS items
		FROM  (SELECT w.policy, array_agg(w.weights) AS weights FROM weight w GROUP BY w.policy) w
		       JOIN part_block b ON b.policy = w.policy
		GROUP  BY b.policy),
	scored AS (        -- the planner applies the conditions on the largest size before the join
		SELECT s.n, 'the most popular' AS policy, k.n AS known, k.clicks::float8 AS score
		FROM   size s JOIN known k ON k.by_clicks <= s.size AND k.by_clicks <= (SELECT max(x.size) FROM size x)
		UNION ALL
		SELECT s.n, 'popular in two weeks', k.n, k.recent + 1e-6 * k.clicks
		FROM   size s JOIN known k ON k.by_recent <= s.size AND k.by_recent <= (SELECT max(x.size) FROM size x)
		UNION ALL
		SELECT w.n, w.policy, v.n, @extschema@.dlints_dot(w.weights, v.features::@extschema@.dlints_vector)
		FROM   weight w JOIN shortlist s ON s.policy = w.policy, unnest(s.items) u (known),
		       part_vector v WHERE v.policy = w.policy AND v.n = u.known
		UNION ALL
		SELECT s.n, 'clicked by the same users', u.known, -u.place::float8
		FROM   size s CROSS JOIN basket b CROSS JOIN unnest(@extschema@._dlints_similar_items(
		           b.items, ARRAY(SELECT h.clicked::integer FROM history h WHERE h.n = s.n AND h.place <= 500
		                          AND h.clicked IS NOT NULL),
		           (SELECT count(k.by_clicks)::integer FROM known k), s.size)) WITH ORDINALITY u (known, place)),
	ranked AS (
		SELECT s.n, s.policy, s.known, row_number() OVER (PARTITION BY s.n, s.policy ORDER BY s.score DESC) AS place
		FROM   scored s LEFT JOIN excluded x ON x.n = s.n AND x.known = s.known WHERE x.n IS NULL),
	list AS (
		SELECT r.n, r.policy, k.item, r.place FROM ranked r JOIN known k ON k.n = r.known WHERE r.place <= 10
		UNION ALL
		SELECT t.n, 'recommender', r.item, r."position" FROM tested t, LATERAL recommend(t.user_id, 10) r),
	hit AS (
		SELECT t.n, t.items, l.policy, l.place,
		       EXISTS (SELECT FROM unnest(t.items) u (item) WHERE same_item(u.item, l.item)) AS is_hit
		FROM   list l JOIN tested t ON t.n = l.n)
	SELECT h.n, h.policy,
	       coalesce(sum(1 / ln(h.place + 1)) FILTER (WHERE h.is_hit), 0) / (
	           SELECT sum(1 / ln(g + 1)) FROM generate_series(1, least(min(cardinality(h.items)), 10)) g),
	       bool_or(h.is_hit)
	FROM   hit h GROUP BY h.n, h.policy;
END
$$;

-- Summarize the comparison, with the best policy first.  The best policy is compared with the next one, and the others
-- with the best one, paired by user.  Confidence intervals have a Bonferroni correction for the number of comparisons.
CREATE FUNCTION _dlints_comparison()
	RETURNS TABLE (policy text, hit_rate float8, hit_rate_stderr float8, ndcg float8, ndcg_stderr float8, verdict text)
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY
	WITH every_policy AS (
		SELECT unnest('{recommender,the most popular,popular in two weeks,clicked by the same users}'::text[]) AS policy
		UNION
		SELECT 'factors' FROM setting s WHERE s.factors > 0
		UNION
		SELECT x.policy FROM compared x),
	complete AS MATERIALIZED (          -- a policy without a list for a user counts as no hit
		SELECT h.n, p.policy, coalesce(c.ndcg, 0) AS ndcg, coalesce(c.is_hit, false)::integer AS hit
		FROM   hidden h CROSS JOIN every_policy p
		       LEFT JOIN compared c ON c.n = h.n AND c.policy = p.policy),
	mean AS (
		SELECT c.policy, avg(c.hit) AS hit_rate, stddev(c.hit)::float8 / sqrt(count(*)) AS hit_rate_stderr,
		       avg(c.ndcg) AS ndcg, stddev(c.ndcg) / sqrt(count(*)) AS ndcg_stderr,
		       @extschema@._dlints_t_quantile(count(*)::float8)
		       * sqrt(1 + 0.52 * ln(greatest(count(*) OVER () - 1, 1))) AS quantile,
		       row_number() OVER (ORDER BY avg(c.ndcg) DESC, c.policy = 'recommender' DESC) AS place
		FROM   complete c GROUP BY c.policy),
	difference AS (
		SELECT m.policy, avg(c.ndcg - b.ndcg) AS d, stddev(c.ndcg - b.ndcg) / sqrt(count(*)) AS stderr
		FROM   mean m JOIN mean o ON o.place = CASE m.place WHEN 1 THEN 2 ELSE 1 END
		       JOIN complete c ON c.policy = m.policy
		       JOIN complete b ON b.policy = o.policy AND b.n = c.n
		GROUP  BY m.policy)
	SELECT m.policy, round(m.hit_rate, 4)::float8, round(m.hit_rate_stderr::numeric, 4)::float8,
	       round(m.ndcg::numeric, 4)::float8, round(m.ndcg_stderr::numeric, 4)::float8,
	       CASE WHEN (SELECT max(x.ndcg) FROM mean x) = 0 THEN 'finds nothing'
	            ELSE CASE m.place WHEN 1 THEN 'the best, by ' ELSE '' END
	                 || coalesce(round(abs(d.d)::numeric, 3)::text, '0')
	                 || coalesce(' ± ' || round(d.stderr::numeric, 3)::text, '')
	                 || CASE WHEN m.place > 1 THEN ' less' ELSE '' END
	                 || CASE WHEN abs(d.d) > m.quantile * d.stderr THEN '' ELSE ', not significant' END END
	FROM   mean m LEFT JOIN difference d ON d.policy = m.policy ORDER BY m.place;
END
$$;

-- Create a trial recommender from arguments, compare its lists, and remove the trial.  The argument "clicks" is the
-- query of the complete click log.
CREATE FUNCTION _dlints_try_recommender(a jsonb)
	RETURNS TABLE (policy text, hit_rate float8, hit_rate_stderr float8, ndcg float8, ndcg_stderr float8, verdict text)
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS
$$
DECLARE
	name CONSTANT text := 'dlints_backtest_' || left(md5(gen_random_uuid()::text), 16);
	differs_by_user boolean;
	n_users bigint;
	noticed_at timestamptz;
	result jsonb;
BEGIN
	BEGIN
		a := a || jsonb_build_object('name', name);
		PERFORM @extschema@._dlints_split_clicks(a);
		PERFORM @extschema@._dlints_make_recommender(a || jsonb_build_object(
			'path', 'pg_catalog, pg_temp', 'clicks', format(
				'SELECT l.user_id, l.item, l.at, l.weight FROM %I.log l WHERE NOT l.is_hidden', name || '_log')));
		PERFORM @extschema@._dlints_enter(format('%I.setting', name)::regclass);
		IF a ? 'borrowed' THEN
			EXECUTE format('UPDATE setting s SET repeat_after = l.repeat_after FROM %I.setting l', a ->> 'borrowed');
			EXECUTE format('UPDATE constraint_price p SET price = l.price, rate = l.rate'
			               ' FROM %I.constraint_price l WHERE l.name = p.name', a ->> 'borrowed');
		END IF;
		differs_by_user := @extschema@._dlints_candidates_differ(coalesce(a ->> 'borrowed', name));
		PERFORM @extschema@._dlints_draw_test_users((a ->> 'users')::integer);
		PERFORM @extschema@._dlints_count_clicks(differs_by_user);
		PERFORM @extschema@._dlints_write_part_vectors();
		EXECUTE format('CREATE UNLOGGED TABLE %I.compared (n bigint, policy text, ndcg float8, is_hit boolean,'
		               ' PRIMARY KEY (n, policy))', name);
		n_users := (SELECT count(*) FROM hidden);
		RAISE NOTICE 'comparing lists of ten for % users; lists % items that their user has clicked', n_users,
			(SELECT CASE WHEN s.repeat_after IS NULL THEN 'may contain' ELSE 'leave out' END FROM setting s);
		noticed_at := clock_timestamp();
		FOR n IN 1 .. n_users BY 64 LOOP
			PERFORM @extschema@._dlints_compare_lists(n, n + 63, differs_by_user);
			IF clock_timestamp() > noticed_at + interval '3 seconds' THEN
				noticed_at := clock_timestamp();
				RAISE NOTICE 'compared lists for % of % users', least(n + 63, n_users), n_users;
			END IF;
		END LOOP;
		result := (SELECT jsonb_agg(to_jsonb(c)) FROM @extschema@._dlints_comparison() c);
		RAISE EXCEPTION USING ERRCODE = 'DL001';	-- rolls back the trial recommender
	EXCEPTION WHEN SQLSTATE 'DL001' THEN
		IF result IS NULL THEN
			RAISE;
		END IF;
	END;
	RETURN QUERY SELECT r.* FROM jsonb_to_recordset(result) r (
		policy text, hit_rate float8, hit_rate_stderr float8, ndcg float8, ndcg_stderr float8, verdict text);
END
$$;

CREATE FUNCTION _dlints_backtest(a jsonb, path name[])
	RETURNS TABLE (policy text, hit_rate float8, hit_rate_stderr float8, ndcg float8, ndcg_stderr float8, verdict text)
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET jit = off SET extra_float_digits = 1 AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_namesakes();
	a := a || jsonb_build_object('name', 'trial', 'candidates', 'true', 'outcomes', '{"click": 1}'::jsonb,
		'half_life', '7 days', 'attribution_window', '30 minutes', 'control', 0, 'epsilon', 0, 'retention', '1 year',
		'value_limit', 1000, 'exposure', 0.6, 'diversity', 0, 'constraints', '{}'::jsonb);
	a := @extschema@._dlints_check_arguments('recommender'::text, jsonb_strip_nulls(a - 'users'::text)
	                                         || jsonb_build_object('users', a -> 'users'));
	a := @extschema@._dlints_resolve(a, '{clicks}'::text[], path);
	a := @extschema@._dlints_derive(@extschema@._dlints_measure_columns(a));
	RETURN QUERY SELECT * FROM @extschema@._dlints_try_recommender(a);
END
$$;

CREATE FUNCTION dlints_backtest(items regclass, columns text[], clicks text, item_key name DEFAULT NULL,
	user_type regtype DEFAULT NULL, factors integer DEFAULT 64, users integer DEFAULT 300)
	RETURNS TABLE (policy text, hit_rate float8, hit_rate_stderr float8, ndcg float8, ndcg_stderr float8, verdict text)
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT b.policy, b.hit_rate, b.hit_rate_stderr, b.ndcg, b.ndcg_stderr, b.verdict
	FROM   _dlints_backtest(pg_catalog.jsonb_build_object(
		'items', items::pg_catalog.oid, 'columns', columns, 'clicks', clicks, 'item_key', item_key,
		'user_type', user_type::pg_catalog.oid, 'factors', coalesce(factors, 64), 'users', users),
		pg_catalog.current_schemas(false)) b;
END;
COMMENT ON FUNCTION dlints_backtest(regclass, text[], text, name, regtype, integer, integer)
	IS 'hide the last fifth of each user''s clicks, and compare a recommender trained on the rest with simple policies';

-- Test a recommender on its click log or, without one, on the clicks on its own lists.  The trial has the same
-- settings, but no control group and no random lists.
CREATE FUNCTION _dlints_backtest(setting regclass, users integer)
	RETURNS TABLE (policy text, hit_rate float8, hit_rate_stderr float8, ndcg float8, ndcg_stderr float8, verdict text)
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off
	SET extra_float_digits = 1 AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_enter(setting);
	a jsonb;
BEGIN
	PERFORM @extschema@._dlints_check_objects();
	a := @extschema@._dlints_add_bindings(own::text, (SELECT to_jsonb(s.*) FROM setting s)) || jsonb_build_object(
		'clicks', format('SELECT c.user_id, c.item, c.at, c.weight FROM %I.click c', own),
		'path', 'pg_catalog, pg_temp', 'users', users, 'control', 0, 'epsilon', 0, 'borrowed', own);
	PERFORM @extschema@._dlints_check_arguments('recommender'::text, a);
	RETURN QUERY
	SELECT t.policy, t.hit_rate, t.hit_rate_stderr, t.ndcg, t.ndcg_stderr, t.verdict
	FROM   pg_attribute i, pg_attribute u, LATERAL @extschema@._dlints_try_recommender(
	           a || jsonb_build_object('item_collation', i.attcollation, 'user_collation', u.attcollation)) t
	WHERE  i.attrelid = 'item_vector'::regclass AND i.attname = 'item'
	AND    u.attrelid = 'decision'::regclass AND u.attname = 'user_id';
END
$$;

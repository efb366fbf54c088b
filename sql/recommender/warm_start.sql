-- Warm start: the prior of the models from the click log ------------------------------------

-- Choose the half-life of popularity under which the first nine tenths of the last 100,000 clicks predict the last
-- tenth best.  Shorter half-lives need more evidence.  A user's clicks on an item count once per half-life.  Clicks on
-- our own lists are omitted, because they depend on the current popularity.
CREATE FUNCTION _dlints_fit_popularity_half_life() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	days CONSTANT float8[] := '{0.125,0.25,1,7,14,30,90,1e12}';     -- the last half-life means no decay
	clicks CONSTANT text := '
		SELECT c.user_id, c.item, c.at, 1 AS weight, ntile(10) OVER (ORDER BY c.at) AS tenth
		FROM  (SELECT k.* FROM newest_click k ORDER BY k.at DESC LIMIT 100000) c WHERE NOT c.is_ours';
BEGIN
	PERFORM @extschema@._dlints_notice_step('choosing the half-life of popularity'::text);
	EXECUTE format('
	WITH score AS MATERIALIZED (
		SELECT d.item, d.sums FROM %s d),
	half_life AS MATERIALIZED (
		SELECT h.n, h.days, (SELECT sum(s.sums[h.n]) FROM score s) AS total FROM unnest($1) WITH ORDINALITY h (days, n)),
	target AS MATERIALIZED (
		SELECT s.sums
		FROM  (SELECT c.item FROM (%s) c WHERE c.tenth = 10
		       GROUP  BY c.item, c.user_id, CASE WHEN c.user_id IS NULL THEN c.at END OFFSET 0) c
		       LEFT JOIN score s ON same_item(s.item, c.item)),
	likelihood AS (
		SELECT h.n, h.days, avg(ln(0.9 * coalesce(t.sums[h.n], 0) / h.total + 0.1 / e.items))
		                    - 3.0 * (cardinality($1) - h.n) / count(*) AS likelihood
		FROM   half_life h CROSS JOIN (SELECT count(*) AS items FROM score s) e CROSS JOIN target t
		GROUP  BY h.n, h.days)
	UPDATE similarity SET popularity_half_life = nullif(b.days, 1e12)
	FROM  (SELECT l.days FROM likelihood l ORDER BY l.likelihood DESC LIMIT 1) b',
	@extschema@._dlints_decayed_call(format('SELECT c.* FROM (%s) c WHERE c.tenth < 10', clicks), days, days), clicks)
		USING days;
END
$$;

-- Decide by setting.repeat_lift whether a user's own clicks on an item get a weight.  In simulations where users
-- repeat clicks only by taste, repeat_lift is at most 3.7.
CREATE FUNCTION _dlints_weighs_own_clicks(repeat_lift float8) RETURNS boolean
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN repeat_lift >= 4::float8;

-- Choose the half-life of a user's clicks under which the shares of items predict best which item the user clicks
-- again.  Up to 500 of the latest clicks, ten of a user at most, are predicted from the 500 clicks before the visit.
-- Shorter half-lives need more evidence.
CREATE FUNCTION _dlints_fit_own_half_life() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	WITH clicked AS MATERIALIZED (
		SELECT c.*
		FROM  (SELECT k.user_id, k.item, k.at, row_number() OVER (PARTITION BY k.user_id ORDER BY k.at DESC) AS n
		       FROM newest_click k WHERE k.user_id IS NOT NULL) c
		WHERE  c.n <= 500 AND (SELECT @extschema@._dlints_weighs_own_clicks(s.repeat_lift) FROM setting s)),
	predicted AS MATERIALIZED (
		SELECT c.*, row_number() OVER () AS id
		FROM  (SELECT c.* FROM clicked c WHERE c.n <= 10 ORDER BY c.at DESC LIMIT 500) c),
	chance AS (
		SELECT h.n, h.days, sum(w.weight) FILTER (WHERE same_item(c.item, p.item)) / sum(w.weight) AS chance
		FROM   predicted p JOIN clicked c ON same_user(c.user_id, p.user_id) AND c.at < p.at - interval '1 hour',
		       unnest('{1,7,30,90,1e12}'::float8[]) WITH ORDINALITY h (days, n),
		       LATERAL @extschema@._dlints_decay(date_part('epoch', p.at - c.at) / 86400, h.days) w (weight)
		GROUP  BY p.id, h.n, h.days)
	UPDATE similarity SET own_half_life = nullif(b.days, 1e12)
	FROM  (SELECT c.days FROM chance c WHERE c.chance > 0 GROUP BY c.n, c.days
	       ORDER  BY sum(ln(c.chance)) + 3.0 * c.n DESC LIMIT 1) b;
END
$$;

-- Return the weight of a negative example.  Items are drawn in proportion to their clicks, but impressions are assumed
-- to be proportional to clicks ^ exposure.
CREATE FUNCTION _dlints_exposure_weight(clicks bigint, exposure float8) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN clicks::float8 ^ (exposure - 1);

-- Create the table recent_click: the last 100,000 clicks, from which training examples are drawn.  A user's clicks on
-- an item count once per half-life of popularity; "at" is the last of them, and "first_at" the first.  "part" is one of
-- eight parts, "place" orders the clicks of a part by time, "n" numbers a user's clicks from the latest one, "days" is
-- the age in days, and "is_ours" says that the click was on one of our lists.  "previous" is the time of the user's
-- previous click if own clicks on an item get a weight, and otherwise NULL.  _dlints_fit_prior() drops the table.
CREATE FUNCTION _dlints_write_recent_clicks() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	EXECUTE format($statement$
	CREATE UNLOGGED TABLE %I.recent_click AS
	SELECT l.*, row_number() OVER (PARTITION BY l.part ORDER BY l.at) AS place
	FROM  (SELECT c.user_id, c.item, c.at, c.first_at,
	              hashtextextended(coalesce(c.user_id::text, c.at::text),
	                               hashtextextended(c.item::text, 0)) & 7 AS part,
	              row_number() OVER (PARTITION BY c.user_id ORDER BY c.at DESC) AS n,
	              count(*) OVER (PARTITION BY c.user_id) AS clicks,
	              @extschema@._dlints_exposure_weight(count(*) OVER (PARTITION BY c.item), s.exposure) AS exposure_weight,
	              (date_part('epoch', max(c.at) OVER ()) - date_part('epoch', c.at)) / 86400 AS days, c.is_ours,
	              c.times, c.previous, 1.0::float8 / count(*) OVER (PARTITION BY c.item) AS rarity
	       FROM   setting s CROSS JOIN (
	                  SELECT k.user_id, k.item, max(k.at) AS at, min(k.at) AS first_at,
	                         max(k.previous) AS previous, k.is_ours, least(count(*), 50) AS times
	                  FROM  (SELECT k.*, %s AS previous
	                         FROM   newest_click k JOIN item_vector v ON same_item(v.item, k.item)
	                         ORDER  BY k.at DESC LIMIT 100000) k, similarity s
	                  GROUP  BY k.item, k.user_id, k.is_ours, CASE WHEN k.user_id IS NULL THEN k.at END,
	                            floor((date_part('epoch', now()) - date_part('epoch', k.at)) / 86400
	                                  / s.popularity_half_life)) c) l$statement$, own,
		CASE WHEN (SELECT @extschema@._dlints_weighs_own_clicks(s.repeat_lift) FROM setting s)
		     THEN 'lag(k.at) OVER (PARTITION BY k.user_id ORDER BY k.at)' ELSE 'NULL::timestamptz' END);
	ANALYZE recent_click;
END
$$;

-- Return the part of the features that items share, for example a tag of all items or the common direction of
-- embeddings: the mean over 200 clicks.  It is 0 in columns where the squares of means are less than 0.3 of the mean
-- squares, and complete from 0.4 on.  Numbers, flags and categories have one value per item, and no common part.
CREATE FUNCTION _dlints_common_features() RETURNS real[]
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN (
		SELECT array_agg((f.mean * CASE WHEN f.kind IN ('words', 'document', 'tags', 'vector')
		                                THEN least(greatest(10 * f.share - 3, 0), 1) ELSE 0 END)::real ORDER BY f.n)
		FROM  (SELECT m.n, m.mean, c.kind, sum(m.mean ^ 2) OVER part / nullif(sum(m.square) OVER part, 0) AS share
		       FROM  (SELECT u.n, avg(u.feature::float8) AS mean, avg(u.feature::float8 ^ 2) AS square
		              FROM  (SELECT c.item FROM recent_click c ORDER BY c.place % 97, c.place LIMIT 200) c
		                    JOIN item_vector v ON same_item(v.item, c.item),
		                    unnest(v.features) WITH ORDINALITY u (feature, n)
		              GROUP  BY u.n) m CROSS JOIN setting s
		              LEFT JOIN jsonb_to_recordset(s.vectors -> 'columns') c ("column" text, kind text)
		                  ON c."column" = s.parts[m.n]
		       WINDOW part AS (PARTITION BY s.parts[m.n])) f);
END
$$;

-- Add training examples from one of eight parts of the last 100,000 clicks: at most "max_examples" to the candidates
-- of half-lives, and "kept" of them to warm_start_example.
--
-- A clicked item is a positive example.  It has four negative examples, drawn from clicks of the same part at about
-- the same time.  Each counts five times on average, because about one impression in twenty is clicked.  Popularity,
-- factors and neighbours come from the other parts, because a fit must not predict its own data.  Items that the user
-- clicked in another part are no negative examples, for the same reason.  Clicks on our own lists are examples only if
-- there are too few others, because users click together what lists show together.
--
-- The profile consists of other clicks of the user, in half of the examples only a few, so that short histories are
-- represented.  Every example enters once more without a profile, which measures the value of popularity.
-- Similarities are computed for half-lives of 14, 30 and 90 days, and without decay.  "common" is subtracted from the
-- features of items, because it changes similarities of a user to all items alike, more the longer the user's history.
--
-- The value of a user's own clicks on an item is estimated by a separate regression, from examples with the complete
-- profile, from all clicks ("times"), and as if all items were shown equally often ("rarity").  Items that the user
-- clicked before have neither similarities nor a neighbour score there, and take no part in the other regressions.
-- Four of them are negative examples ("known"), with the weight that all have among 20 impressions of random items.
-- Own clicks decay until the user's previous click, as on pages.
CREATE FUNCTION _dlints_add_examples(part integer, max_examples bigint, kept bigint, common real[]) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	EXECUTE $statement$
	WITH log AS MATERIALIZED (
		SELECT s.popularity_half_life AS half_life, least(max(c.days), 250 * s.popularity_half_life) AS longest,
		       count(*) FILTER (WHERE c.part = $1) AS clicks,
		       avg(c.exposure_weight) FILTER (WHERE c.part = $1) AS exposure_weight,
		       avg(c.rarity) FILTER (WHERE c.part = $1) AS rarity, sum(c.rarity) AS items,
		       greatest(count(*) FILTER (WHERE c.part = $1 AND c.days <= coalesce(s.popularity_half_life, 'infinity')),
		                least(count(*) FILTER (WHERE c.part = $1), 60)) AS nearby
		FROM   recent_click c, similarity s GROUP BY s.popularity_half_life),
	top AS MATERIALIZED (
		SELECT greatest(max(i.score), 1) AS score
		FROM  (SELECT sum(@extschema@._dlints_decay(c.days, l.half_life)) AS score
		       FROM   recent_click c, log l WHERE c.part <> $1 GROUP BY c.item) i),
	vector AS MATERIALIZED (
		SELECT v.item,
		       coalesce(f.factors, array_fill(0::real, ARRAY[s.factors])) || v.features[s.factors + 1:] AS features
		FROM   setting s CROSS JOIN item_vector v
		       LEFT JOIN held_out_item f ON same_item(f.item, v.item) AND f.factors IS NOT NULL
		WHERE  EXISTS (SELECT FROM recent_click c WHERE same_item(c.item, v.item))),
	example AS MATERIALIZED (
		SELECT c.*, row_number() OVER () AS id,
		       CASE WHEN random() < 0.5 THEN 2 ^ floor(7 * random()) ELSE 100 END AS max_history
		FROM  (SELECT c.* FROM recent_click c, log l     -- ORDER BY needs a separate random()
		       WHERE  c.part = $1 AND c.days <= l.longest
		       ORDER  BY c.is_ours, random() LIMIT $2) c),
	clicked_before AS MATERIALIZED (
		SELECT e.id, e.max_history >= least(100, e.clicks - 1) AS is_complete, o.item, x.w90, x.w30, x.w14
		FROM  (SELECT x.*, (x.n + s - 1) % x.clicks + 1 AS before
		       FROM   example x CROSS JOIN generate_series(1, least(x.max_history, x.clicks - 1)::bigint) s OFFSET 0) e
		       JOIN recent_click o ON same_user(o.user_id, e.user_id) AND o.n = e.before AND NOT same_item(o.item, e.item),
		       LATERAL (SELECT abs(e.days - o.days) AS days) d,
		       LATERAL (SELECT @extschema@._dlints_decay(d.days, 90::float8) AS w90,
		                       @extschema@._dlints_decay(d.days, 30::float8) AS w30,
		                       @extschema@._dlints_decay(d.days, 14::float8) AS w14) x),
	history AS MATERIALIZED (
		SELECT b.id, b.is_complete,
		       @extschema@.dlints_profile(b.counted, 1::float8) AS sum, count(*)::float8 AS clicks,
		       @extschema@.dlints_profile(b.counted, b.w90) AS sum90, sum(b.w90) AS clicks90,
		       @extschema@.dlints_profile(b.counted, b.w30) AS sum30, sum(b.w30) AS clicks30,
		       @extschema@.dlints_profile(b.counted, b.w14) AS sum14, sum(b.w14) AS clicks14
		FROM  (SELECT c.*, (i.features || ARRAY[1::real])::@extschema@.dlints_vector AS counted
		       FROM clicked_before c JOIN vector i ON same_item(i.item, c.item) OFFSET 0) b
		GROUP  BY b.id, b.is_complete),
	drawn AS MATERIALIZED (      -- a nested loop would call random() again
		SELECT e.*, e.place + floor((2 * random() - 1) * l.nearby)::bigint AS negative
		FROM   example e, log l, generate_series(1, 4)),
	known AS (         -- items that the users of $3 examples clicked before the visit
		SELECT e.id, k.item, count(*) OVER (PARTITION BY e.id) AS items,
		       row_number() OVER (PARTITION BY e.id ORDER BY random()) AS n
		FROM   setting s CROSS JOIN example e JOIN newest_click k ON same_user(k.user_id, e.user_id)
		WHERE  @extschema@._dlints_weighs_own_clicks(s.repeat_lift) AND e.id <= $3 AND NOT same_item(k.item, e.item)
		AND    k.at < e.at - greatest(interval '1 hour', s.repeat_after)
		GROUP  BY e.id, k.item),
	candidate AS MATERIALIZED (
		SELECT e.id, e.item, e.days, 1 AS reward, 1::float8 AS weight, e.times::float8 AS own_weight
		FROM   example e
		UNION ALL
		SELECT e.id, k.item, e.days, 0, 0, 20 * e.times / l.items * k.items / least(k.items, 4)
		FROM   log l CROSS JOIN known k JOIN example e ON e.id = k.id WHERE k.n <= 4
		UNION ALL
		SELECT e.id, c.item, e.days, 0, 5 * c.exposure_weight / l.exposure_weight, 5 * e.times * c.rarity / l.rarity
		FROM   drawn e CROSS JOIN log l
		       JOIN recent_click c ON c.part = $1
		           AND c.place = CASE WHEN e.negative < 1 THEN 1 - e.negative
		                              WHEN e.negative > l.clicks THEN 2 * l.clicks + 1 - e.negative
		                              ELSE e.negative END
		WHERE  NOT EXISTS (SELECT FROM recent_click o
		                   WHERE same_user(o.user_id, e.user_id) AND same_item(o.item, c.item) AND o.part <> $1)),
	scored AS (      -- clicks in other parts before and after the time, decayed
		SELECT t.id, t.item, t.reward, t.weight, t.own_weight,
		       CASE WHEN l.half_life IS NULL THEN sum(t.before) OVER (PARTITION BY t.item)
		            ELSE (sum(t.before) OVER (PARTITION BY t.item ORDER BY t.days DESC, t.id NULLS FIRST)
		                  / @extschema@._dlints_decay(t.days, l.half_life)
		                  + sum(t.after) OVER (PARTITION BY t.item ORDER BY t.days, t.id NULLS LAST)
		                  / @extschema@._dlints_decay(l.longest - t.days, l.half_life))
		                 * greatest(1 - @extschema@._dlints_decay(l.longest, l.half_life), 1e-9)
		                 / greatest(2 - @extschema@._dlints_decay(l.longest - t.days, l.half_life)
		                              - @extschema@._dlints_decay(t.days, l.half_life), 1e-9)
		            END AS score
		FROM  (SELECT c.id, c.item, c.days, c.reward, c.weight, c.own_weight, 0::float8 AS before, 0::float8 AS after
		       FROM   candidate c
		       UNION ALL
		       SELECT NULL, c.item, c.days, NULL, NULL, NULL,
		              v.is_other * @extschema@._dlints_decay(c.days, l.half_life),
		              v.is_other * @extschema@._dlints_decay(l.longest - c.days, l.half_life)
		       FROM   recent_click c, log l, LATERAL (SELECT (c.part <> $1)::integer AS is_other) v) t, log l),
	related AS MATERIALIZED (
		SELECT r.*
		FROM  (SELECT n.item, u.neighbour, u.weight
		       FROM   held_out_item n, unnest(n.neighbours, n.weights) u (neighbour, weight)
		       WHERE  n.weights IS NOT NULL AND EXISTS (SELECT FROM clicked_before b WHERE same_item(b.item, n.item))
		       OFFSET 0) r     -- unnest the neighbours only once
		WHERE  EXISTS (SELECT FROM candidate c WHERE same_item(c.item, r.neighbour))),
	pair AS (          -- candidate items, and the clicks that predict them
		SELECT c.id, c.item, b.item AS clicked, b.w90, b.w30, b.w14
		FROM  (SELECT DISTINCT k.id, k.item FROM candidate k) c JOIN clicked_before b ON b.id = c.id OFFSET 0),
	together AS MATERIALIZED (      -- neighbour scores, by half-life of clicks
		SELECT p.id, p.item, ARRAY[
		           @extschema@._dlints_neighbour_score(sum(r.weight * p.w14)),
		           @extschema@._dlints_neighbour_score(sum(r.weight * p.w30)),
		           @extschema@._dlints_neighbour_score(sum(r.weight * p.w90)),
		           @extschema@._dlints_neighbour_score(sum(r.weight))] AS scores
		FROM   pair p JOIN related r ON same_item(r.item, p.clicked) AND same_item(r.neighbour, p.item)
		GROUP  BY p.id, p.item),
	own AS MATERIALIZED (      -- scores of candidate items that the user clicked before the visit
		SELECT c.id, c.item, log(1 + sum(@extschema@._dlints_decay(
		           date_part('epoch', e.previous - k.at) / 86400, l.own_half_life))) AS score
		FROM  (SELECT DISTINCT k.id, k.item FROM candidate k) c JOIN example e ON e.id = c.id
		       JOIN newest_click k ON same_user(k.user_id, e.user_id) AND same_item(k.item, c.item)
		       CROSS JOIN setting s CROSS JOIN similarity l
		WHERE  @extschema@._dlints_weighs_own_clicks(s.repeat_lift)
		AND    k.at < e.at - greatest(interval '1 hour', s.repeat_after)
		GROUP  BY c.id, c.item),
	shown AS MATERIALIZED (
		SELECT k.id, e.user_id, k.reward, k.weight, k.own_weight, i.features,
		       least(ln(1 + k.score) / ln(1 + t.score), 1) AS popularity,
		       n.scores, coalesce(o.score, 0) AS own
		FROM   scored k JOIN example e ON e.id = k.id JOIN vector i ON same_item(i.item, k.item) CROSS JOIN top t
		       LEFT JOIN together n ON n.id = k.id AND same_item(n.item, k.item)
		       LEFT JOIN own o ON o.id = k.id AND same_item(o.item, k.item)),
	kept AS (
		INSERT INTO warm_start_example (user_id, features, neighbour_score, own_score, profile)
		SELECT c.user_id, c.features || c.popularity::real, coalesce(c.scores[4], 0), c.own, p.profile
		FROM   shown c JOIN (
		           SELECT h.id, @extschema@._dlints_mean_profile(h.sum, h.clicks, s.liked) AS profile
		           FROM   setting s CROSS JOIN history h WHERE h.id <= $3 OFFSET 0) p ON p.id = c.id
		WHERE  c.weight > 0
		UNION ALL
		SELECT NULL, c.features || c.popularity::real, 0, 0, NULL
		FROM   shown c WHERE c.id <= $3 AND c.weight > 0),
	empty AS MATERIALIZED (
		SELECT @extschema@.dlints_new(cardinality(s.feature_blocks) + 3, discount => 1::float8, ridge => 1::float8)
		           AS model,
		       array_fill(0::float8, ARRAY[cardinality(s.feature_blocks)]) AS zeros
		FROM   setting s),
	shared AS (        -- evidence that all half-lives share: examples without a profile
		SELECT @extschema@.dlints_evidence(
		           e.model, (e.zeros || c.popularity || '{0,0}'::float8[])::@extschema@.dlints_vector, c.reward::float8,
		           '{}'::@extschema@.dlints_vector, NULL::timestamptz, 0.35 * c.weight) AS state
		FROM   empty e CROSS JOIN shown c WHERE c.weight > 0),
	compared AS (
		SELECT t.half_life, @extschema@.dlints_evidence(
		           e.model, (CASE WHEN c.own > 0 THEN e.zeros
		                          ELSE @extschema@._dlints_block_similarity(
		                                   c.features, t.sum, t.clicks, s.feature_blocks, $4) END
		                     || c.popularity || CASE WHEN c.own > 0 THEN 0 ELSE coalesce(c.scores[t.n], 0) END
		                     || c.own)::@extschema@.dlints_vector,
		           c.reward::float8, '{}'::@extschema@.dlints_vector, NULL::timestamptz, t.weight) AS state
		FROM   empty e CROSS JOIN setting s CROSS JOIN shown c JOIN history h ON h.id = c.id,
		       LATERAL (VALUES (1, 14::float8, h.sum14, h.clicks14, c.weight), (2, 30, h.sum30, h.clicks30, c.weight),
		                       (3, 90, h.sum90, h.clicks90, c.weight), (4, 'infinity', h.sum, h.clicks, c.weight),
		                       (4, 0, h.sum, h.clicks, c.own_weight)) t (n, half_life, sum, clicks, weight)
		WHERE  t.weight > 0
		AND    CASE t.half_life WHEN 0 THEN h.is_complete AND @extschema@._dlints_weighs_own_clicks(s.repeat_lift)
		                             AND c.id <= $3 AND (c.own = 0 OR c.reward = 1 OR c.weight = 0)
		            ELSE c.own = 0 END
		GROUP  BY t.half_life)
	INSERT INTO half_life_candidate AS t (half_life, state)
	SELECT h.half_life, coalesce(CASE h.half_life WHEN 0 THEN c.state
	                                              ELSE @extschema@.dlints_concat(a.state, c.state) END, a.state)
	FROM   shared a CROSS JOIN unnest('{0,14,30,90,infinity}'::float8[]) h (half_life)
	       LEFT JOIN compared c ON c.half_life = h.half_life
	WHERE  a.state IS NOT NULL
	ON CONFLICT (half_life) DO UPDATE SET state = @extschema@.dlints_concat(t.state, excluded.state)
	$statement$ USING part, max_examples, kept, common;
END
$$;

-- Limit the weight of a block, of popularity or of the neighbour score.  Models cannot learn about features of weight
-- 0.
CREATE FUNCTION _dlints_limit_weight(weight float8) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN least(greatest(weight, 0.02), 1000);

-- Fit the weights of blocks, popularity and neighbour score by a linear regression of clicks.  We use the longest
-- half-life of a user's clicks whose log-likelihood is at most 2 below the best one, because it uses more clicks.
-- Weights are coefficients divided by the largest one (click_value).
--
-- The first items of a list are often those whose scores have the largest errors.  We therefore subtract two standard
-- errors from each coefficient, and multiply that of the factors by 0.4.  Popularity and own clicks are exceptions,
-- because all items with equal scores share the error.  The weight of own clicks has a separate regression, and may
-- be 0.
CREATE FUNCTION _dlints_fit_similarity() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	PERFORM @extschema@._dlints_notice_step('fitting the similarity to clicks'::text);
	WITH best AS (
		SELECT t.half_life, t.state
		FROM  (SELECT t.half_life, t.state, i.updates, i.sigma ^ 2 AS residual,
		              min(i.sigma ^ 2) OVER () AS min_residual
		       FROM   half_life_candidate t, @extschema@.dlints_info(t.state) i WHERE t.half_life > 0) t
		WHERE  t.residual <= t.min_residual * (1 + 4.0 / t.updates) ORDER BY t.half_life DESC LIMIT 1),
	coefficient AS (
		SELECT c.*, greatest(max(c.value) FILTER (WHERE c.k <= c.n AND NOT c.is_own) OVER (), 0.001) AS click_value
		FROM  (SELECT b.is_own, l.n, u.k,
		              CASE WHEN b.is_own OR u.k = l.n THEN u.mean ELSE u.mean - 2 * sqrt(c.covariance[u.k][u.k]) END
		              * CASE WHEN u.k = 1 AND l.has_factors THEN 0.4 ELSE 1 END AS value
		       FROM  (SELECT b.state, false AS is_own FROM best b
		              UNION ALL
		              SELECT t.state, true FROM half_life_candidate t WHERE t.half_life = 0) b
		              CROSS JOIN (
		                  SELECT cardinality(s.feature_blocks) + 1 AS n, s.factors > 0 AS has_factors FROM setting s) l,
		              LATERAL (SELECT @extschema@.dlints_covariance(b.state) AS covariance) c,
		              unnest(@extschema@.dlints_mean(b.state)) WITH ORDINALITY u (mean, k)) c),
	fitted AS (
		SELECT min(c.click_value) AS click_value,
		       array_agg(CASE WHEN c.is_own AND c.value <= 0 THEN 0
		                      ELSE @extschema@._dlints_limit_weight(c.value / c.click_value) END
		                 ORDER BY c.k)
		           FILTER (WHERE c.k <= c.n + 1 AND NOT c.is_own OR c.k = c.n + 2 AND c.is_own) AS weights
		FROM   coefficient c)
	UPDATE similarity l
	SET    weights = f.weights, click_value = f.click_value,
	       scale = @extschema@._dlints_expand_block_weights(f.weights, s.feature_blocks),
	       half_life = nullif(b.half_life, 'infinity'), found_at = now()
	FROM   setting s, best b, fitted f;
END
$$;

-- Return the click rate of an example, predicted from similarity and popularity.  The rate is linear in the features,
-- as models are, and therefore not limited to the range from 0 to 1.
CREATE FUNCTION _dlints_click_rate(click_value float8, profile real[], features real[]) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 0.05 + click_value * @extschema@.dlints_dot(profile::float8[], features::@extschema@.dlints_vector);

-- Return a query of the evidence of training examples.  "examples" is a relation with the columns of
-- warm_start_example.  Each example enters twice, with the predicted click rate plus and minus the standard deviation
-- of a click, so that the prior has the scale and the noise of rewards.  The model "later" gets rewards of 0, because
-- the click log does not contain other outcomes.
CREATE FUNCTION _dlints_prior_query(examples text, model text) RETURNS text
	LANGUAGE sql IMMUTABLE
RETURN pg_catalog.replace(pg_catalog.replace($query$
	SELECT coalesce(@extschema@.dlints_evidence(
	           s.empty_model, e.features::@extschema@.dlints_vector, r.reward, e.profile::@extschema@.dlints_vector,
	           e.found_at, 0.5), s.empty_model)
	FROM   setting s LEFT JOIN (
	           SELECT w.features || array_fill(0::real, ARRAY[s.aged])
	                  || @extschema@._dlints_click_score(
	                         l.weights, w.neighbour_score, w.own_score,
	                         @extschema@.dlints_dot(p.profile[:s.liked]::float8[],
	                                                w.features[:s.liked]::@extschema@.dlints_vector))::real AS features,
	                  p.profile, l.found_at, l.click_value, {scale} AS reward_scale
	           FROM   setting s CROSS JOIN similarity l CROSS JOIN {examples} w JOIN (
	                      SELECT d.mean, @extschema@._dlints_profile_of(d.mean, l.scale, l.weights, s.liked, s.aged)
	                                     AS profile
	                      FROM   setting s, similarity l,
	                             (SELECT DISTINCT coalesce(x.profile, '{}') AS mean FROM {examples} x) d
	                      OFFSET 0) p ON p.mean = coalesce(w.profile, '{}')) e ON true
	       LEFT JOIN LATERAL (
	           SELECT @extschema@._dlints_click_rate(e.click_value, e.profile, e.features) AS rate) a ON true
	       LEFT JOIN LATERAL (SELECT least(greatest(a.rate, 0.01), 0.95) AS p) c ON true
	       LEFT JOIN LATERAL (VALUES
	           (e.reward_scale * (a.rate + sqrt(c.p * (1 - c.p)))),
	           (e.reward_scale * (a.rate - sqrt(c.p * (1 - c.p))))) r (reward) ON true
	GROUP  BY s.single$query$, '{examples}', examples),
	'{scale}', CASE model WHEN 'personal' THEN 'l.reward_scale' ELSE '0' END);

-- Make evidence the prior of a model.  A click log has a weight of 30, but 1 for the model "later", whose own rewards
-- must soon count more.  Our own lists have 0.3, because a few hundred lists of similar items carry less information.
CREATE FUNCTION _dlints_write_prior(model text, evidence @extschema@.dlints) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	UPDATE model m
	SET    prior = evidence,
	       state = @extschema@.dlints_with_prior(
	                   m.state, evidence, CASE WHEN s.clicks IS NULL THEN 0.3::float8
	                                           WHEN m.name = 'personal' THEN 30::float8 ELSE 1::float8 END)
	FROM   setting s
	WHERE  m.name = model;
END
$$;

-- Before the first personal list, set the scale of the prior: at most 1, and so low that the mean predicted click rate
-- of items that the user clicked before is at most 0.2.  Such an item is often clicked among random items, but a list
-- has many of them.
CREATE FUNCTION _dlints_limit_reward_scale() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	UPDATE similarity l
	SET    reward_scale = least(1, 0.2 / (0.05 + l.click_value * l.weights[cardinality(l.weights)] * coalesce(
	           (SELECT avg(w.own_score) FROM warm_start_example w WHERE w.own_score > 0), 0)))
	WHERE  NOT EXISTS (SELECT FROM decision d WHERE d.treatment = 'personal');
END
$$;

-- Set the priors of the models from all examples.  The evidence is computed first, so that training waits only for the
-- final UPDATE.
CREATE FUNCTION _dlints_set_prior() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	names CONSTANT text[] := ARRAY(SELECT m.name FROM model m WHERE m.learns ORDER BY m.name);
	priors @extschema@.dlints[];
	evidence @extschema@.dlints;
BEGIN
	PERFORM @extschema@._dlints_notice_step('computing the prior of the models'::text);
	FOR i IN 1..cardinality(names) LOOP
		EXECUTE @extschema@._dlints_prior_query('warm_start_example'::text, names[i]) INTO evidence;
		priors := array_append(priors, evidence);
	END LOOP;
	PERFORM @extschema@._dlints_write_prior(u.name, u.prior) FROM unnest(names, priors) u (name, prior);
END
$$;

-- Draw examples from the click log, fit the similarity, and set popularity and the prior.  Returns the number of
-- clicks used.  Logs with fewer than 80,000 clicks are used in up to eight parts, for 10,000 examples.  Without a
-- click log, at least 300 clicks on our own lists are required.  Only one session at a time fits the prior, and
-- erase() waits for it.  For a new recommender, factors and neighbours are fitted, too.
CREATE FUNCTION _dlints_fit_prior(is_new boolean DEFAULT false) RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	n_clicks bigint;
	n_parts integer;
	noticed_at timestamptz := clock_timestamp();
	until timestamptz;
	common real[];
BEGIN
	LOCK TABLE warm_start_example IN SHARE ROW EXCLUSIVE MODE;
	PERFORM @extschema@._dlints_write_latest_clicks();
	EXECUTE format('SELECT count(*) FROM (SELECT FROM (%s) c JOIN item_vector v ON same_item(v.item, c.item)'
	               ' LIMIT 100000) c', @extschema@._dlints_latest_clicks()) INTO n_clicks;
	n_parts := CASE WHEN n_clicks < 300 AND (SELECT s.clicks IS NULL FROM setting s) THEN 0
	                ELSE least(8, ceil(80000.0 / greatest(n_clicks, 1))) END;
	-- hold out the latest 2,000 clicks (a twentieth of a short log), or those of 100 users (at most an eighth)
	EXECUTE format('
		WITH newest AS MATERIALIZED (%s)
		SELECT greatest((SELECT k.at FROM newest k ORDER BY k.at DESC LIMIT 1 OFFSET $1 / 8), least(
		           (SELECT k.at FROM newest k ORDER BY k.at DESC LIMIT 1 OFFSET least(2000, $1 / 20)),
		           (SELECT max(k.at) FROM newest k GROUP BY k.user_id ORDER BY 1 DESC LIMIT 1 OFFSET 100)))',
		@extschema@._dlints_newest_clicks()) INTO until USING n_clicks;
	PERFORM @extschema@._dlints_adopt_click_log();
	ANALYZE setting, similarity;     -- without statistics, the planner expects hundreds of rows instead of one
	PERFORM @extschema@._dlints_fit_popularity_half_life();
	PERFORM @extschema@._dlints_fit_own_half_life();
	IF is_new THEN
		UPDATE setting s SET made_at = '-infinity' WHERE n_clicks = 0 OR s.clicks IS NULL;
		PERFORM @extschema@._dlints_notice_step('fitting the latent factors of items'::text);
		PERFORM @extschema@._dlints_write_fit((SELECT s.factors FROM setting s), true);
	END IF;
	DELETE FROM warm_start_example;
	DELETE FROM half_life_candidate;
	PERFORM @extschema@._dlints_notice_step('drawing training examples from the click log'::text);
	PERFORM @extschema@._dlints_write_recent_clicks();
	common := @extschema@._dlints_common_features();
	FOR part IN REVERSE n_parts - 1 .. 0 LOOP       -- the fit without part 0 limits the weight of the neighbour score
		PERFORM @extschema@._dlints_hold_out(part, CASE part WHEN 0 THEN until END);
		PERFORM @extschema@._dlints_add_examples(part, (10000 / n_parts + 1)::bigint, (1000 / n_parts)::bigint,
		                                          common);
		IF clock_timestamp() > noticed_at + interval '3 seconds' THEN
			noticed_at := clock_timestamp();
			RAISE NOTICE 'warm start: part % of % of the click log', n_parts - part, n_parts;
		END IF;
	END LOOP;
	IF n_parts > 0 THEN
		PERFORM @extschema@._dlints_fit_similarity();
		PERFORM @extschema@._dlints_limit_neighbour_weight(until);
	END IF;
	IF NOT is_new THEN
		PERFORM @extschema@._dlints_refresh_popularity();
	END IF;
	PERFORM @extschema@._dlints_refresh_trend();
	EXECUTE (SELECT string_agg(format('DROP TABLE %I.%I', own, t.name), '; ')
	         FROM   unnest('{held_out_item,recent_click,newest_click,latest_click}'::text[]) t (name)
	         WHERE  to_regclass(format('%I.%I', own, t.name)) IS NOT NULL);
	PERFORM @extschema@._dlints_set_blocks();
	PERFORM @extschema@._dlints_limit_reward_scale();
	PERFORM @extschema@._dlints_set_prior();
	INSERT INTO job AS j (name, done_at) VALUES ('warm_start', now())
	ON CONFLICT (name) DO UPDATE SET done_at = excluded.done_at, problem = NULL;
	RETURN CASE WHEN n_parts > 0 THEN least(n_clicks, 10000) ELSE 0 END;
END
$$;

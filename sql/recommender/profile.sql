-- Profiles of users, and similarities of items to them -----------------------------
--
-- These functions read no table.  "blocks" has the ranges of features that describe taste (setting.feature_blocks),
-- "liked" and "aged" are the numbers of features of taste and of dates.

-- Return the weight of a click after a given number of days; 1 if the half-life is NULL.
CREATE FUNCTION _dlints_decay(days float8, half_life float8) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN half_life IS NULL THEN 1 ELSE 0.5::float8 ^ least(greatest(days, 0) / half_life, 300) END;

-- Return the mean of the taste features of clicked items, shrunken to 0 as in src/page/similarity.c.  "sum" has the
-- sums of these features, and then the sum of weights.  NULL without clicks.
CREATE FUNCTION _dlints_mean_profile(sum real[], clicks float8, liked integer) RETURNS real[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS
$$
SELECT ARRAY(SELECT CASE WHEN abs(sum[n] * f.factor) > 1e-20 THEN sum[n] * f.factor ELSE 0 END
             FROM generate_series(1, liked) n ORDER BY n)::real[]
FROM  (SELECT clicks / (clicks + 5) / nullif(sum[liked + 1], 0) AS factor) f WHERE f.factor > 0
$$;

-- Return the profile that models are trained on: "mean" times "scale", then the weights of popularity, of dates (0)
-- and of the last feature.  A NULL mean stands for zeros.
CREATE FUNCTION _dlints_profile_of(mean real[], scale real[], weights float8[], liked integer, aged integer)
	RETURNS real[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS
$$
SELECT ARRAY(SELECT CASE WHEN abs(mean[n]) > 1e-20 THEN mean[n] * scale[n] ELSE 0 END
             FROM generate_series(1, liked) n ORDER BY n)::real[]
       || weights[cardinality(weights) - 2]::real || array_fill(0::real, ARRAY[aged])
       || greatest(weights[cardinality(weights) - 1], weights[cardinality(weights)])::real
$$;

CREATE FUNCTION _dlints_block_similarity(features real[], sum real[], clicks float8, blocks int4range[],
                                         common real[]) RETURNS float8[]
	AS 'MODULE_PATHNAME', 'dlints_block_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

-- Limit the sum of an item's neighbour weights to the range of neighbour scores, as in src/page/neighbours.c.
CREATE FUNCTION _dlints_neighbour_score(sum float8) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN least(greatest(sum, 0), 4);

-- Return the last feature of an item, as in src/page/neighbours.c: the score of the user's own clicks on the item, less
-- its similarity to the profile, or, without own clicks, the neighbour score.  The last two of "weights" belong to the
-- two scores, and the larger one to the feature.
CREATE FUNCTION _dlints_click_score(weights float8[], neighbour_score float8, own_score float8, similarity float8)
	RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN weights[cardinality(weights)] > 0::float8
            THEN @extschema@._dlints_neighbour_score(
                     CASE WHEN own_score > 0::float8 THEN weights[cardinality(weights)] * own_score - similarity
                          ELSE weights[cardinality(weights) - 1] * neighbour_score END
                     / greatest(weights[cardinality(weights) - 1], weights[cardinality(weights)]))
            ELSE neighbour_score END;

-- Expand the weights of blocks to one weight per feature.
CREATE FUNCTION _dlints_expand_block_weights(weights float8[], blocks int4range[]) RETURNS real[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(SELECT weights[b.n]
             FROM   unnest(blocks) WITH ORDINALITY b (block, n), generate_series(lower(b.block), upper(b.block) - 1)
             ORDER BY b.n)::real[];

CREATE FUNCTION _dlints_ages(dates real[], at timestamptz) RETURNS real[]
	AS 'MODULE_PATHNAME', 'dlints_ages' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

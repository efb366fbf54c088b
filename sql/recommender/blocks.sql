-- Blocks of vectors ---------------------------------------------------------------------

CREATE FUNCTION _dlints_block_codes(features real[], factors integer) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dlints_block_codes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION _dlints_block_numbers(popularity real, effect real, costs real[], n_costs integer, dates real[])
	RETURNS real[]
	AS 'MODULE_PATHNAME', 'dlints_block_numbers' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _dlints_block_numbers_differ(old real[], new real[]) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dlints_block_numbers_differ' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION _dlints_block_centroid(codes bytea, numbers real[], factors integer, columns integer,
	OUT codes bytea, OUT means real[], OUT spreads real[])
	AS 'MODULE_PATHNAME', 'dlints_block_centroid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE AGGREGATE _dlints_join_arrays(real[]) (SFUNC = pg_catalog.array_cat, STYPE = real[]);

CREATE FUNCTION _dlints_halving_tree(sample real[], scale real[], depth integer) RETURNS real[]
	AS 'MODULE_PATHNAME', 'dlints_halving_tree' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION _dlints_halving_part(tree real[], features real[], bits bigint) RETURNS integer
	AS 'MODULE_PATHNAME', 'dlints_halving_part' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION _dlints_halving_order(tree real[], features real[], size integer) RETURNS integer[]
	AS 'MODULE_PATHNAME', 'dlints_halving_order' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- Record whether the planner can look up an item by its key in an index.
CREATE FUNCTION _dlints_note_item_index() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	one_row json;
	all_rows json;
	has_index boolean;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT FROM (SELECT v.item FROM item_vector v LIMIT 1) v'
		' JOIN item i ON same_item(i.item, v.item)' INTO one_row;
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT FROM item' INTO all_rows;
	has_index := (one_row -> 0 -> 'Plan' ->> 'Total Cost')::float8
	             < 0.3 * (all_rows -> 0 -> 'Plan' ->> 'Total Cost')::float8;
	UPDATE setting s SET has_item_index = has_index WHERE s.has_item_index <> has_index;
END
$$;

-- Write new blocks of similar items, with empty columns "codes" and "numbers".  A tree, built from a sample, divides
-- the items into groups of about 8,000 items, which fit into memory.  Groups are then halved until they fit into a
-- block.
CREATE FUNCTION _dlints_group_items() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	depth integer := (SELECT least(16, greatest(0, ceil(log(2, count(*) / 8000.0))))
	                  FROM item_vector v WHERE NOT v.is_deleted);
BEGIN
	PERFORM @extschema@._dlints_notice_step('grouping similar items'::text);
	WITH scaled AS MATERIALIZED (
		SELECT s.block_slots AS slots, l.scale || l.weights[cardinality(l.weights) - 2]::real AS scale
		FROM   setting s, similarity l),
	tree AS MATERIALIZED (
		SELECT @extschema@._dlints_halving_tree(
		           (SELECT array_agg(v.features || ARRAY[v.popularity] ORDER BY v.item)
		            FROM  (SELECT w.item FROM item_vector w WHERE NOT w.is_deleted
		                   ORDER BY hashtextextended(w.item::text, 49) LIMIT 20000) d
		                  JOIN item_vector v ON same_item(v.item, d.item)), s.scale, depth) AS tree
		FROM   scaled s),
	divided AS (
		SELECT v.item, v.ctid AS tid,
		       @extschema@._dlints_halving_part(t.tree, v.features || ARRAY[v.popularity],
		                                        hashtextextended(v.item::text, 50)) AS part
		FROM   tree t, item_vector v WHERE NOT v.is_deleted),
	listed AS (
		SELECT d.part, array_agg(d.item ORDER BY d.item) AS items, array_agg(d.tid ORDER BY d.item) AS tids
		FROM   divided d GROUP BY d.part),
	ordered AS (
		SELECT l.part, o.items, o.places
		FROM   listed l, scaled s, tree t, LATERAL (
		           SELECT array_agg(u.item) AS items,
		                  @extschema@._dlints_halving_order(t.tree, array_agg(v.features), s.slots) AS places
		           FROM   unnest(l.items, l.tids) u (item, tid),
		                  LATERAL (SELECT w.features || ARRAY[w.popularity] AS features
		                           FROM item_vector w WHERE w.ctid = u.tid OFFSET 0) v) o)
	INSERT INTO block (n, items, codes, numbers)
	SELECT p.n, array_agg(p.item), '', '{}'
	FROM  (SELECT u.item, (row_number() OVER (ORDER BY o.part, u.place) - 1) / s.slots AS n
	       FROM   scaled s, ordered o, unnest(o.items, o.places) u (item, place)) p
	GROUP  BY p.n;
END
$$;

-- Write the centroids of blocks of similar items, if they have changed.
CREATE FUNCTION _dlints_set_centroids() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	-- number of blocks per centroid, so that reading centroids takes about as long as reading blocks
	size integer := (SELECT greatest(1, floor(cbrt((max(b.n) + 1) / 100.0))) FROM block b);
	-- number of centroids per row, from the bytes per item and per centroid; a centroid has three vectors, and a row
	-- has at most 256 (MAX_ITEMS in src/page/blocks.h)
	slots integer := (SELECT greatest(1, least(85, s.block_slots * (s.liked + 38 + 4 * n.numbers)
	                                               / (3 * s.liked + 74 + 8 * n.numbers)))
	                  FROM   setting s, LATERAL (SELECT s.aged / 3 + count(*) AS numbers FROM constraint_price) n);
BEGIN
	DELETE FROM centroid c WHERE NOT EXISTS (SELECT FROM block b WHERE b.n / size / slots = c.n);
	INSERT INTO centroid AS c (n, blocks, codes, numbers, spreads)
	SELECT g.n / slots, array_agg(ARRAY[g.first, g.last] ORDER BY g.n),
	       string_agg(m.codes, '' ORDER BY g.n), array_agg(m.means ORDER BY g.n), array_agg(m.spreads ORDER BY g.n)
	FROM   setting s, (
	           SELECT b.n / size AS n, min(b.n) AS first, max(b.n) AS last, string_agg(b.codes, '' ORDER BY b.n) AS codes,
	                  @extschema@._dlints_join_arrays(b.numbers ORDER BY b.n) AS numbers FROM block b GROUP BY 1) g,
	       LATERAL @extschema@._dlints_block_centroid(g.codes, g.numbers, s.factors, s.liked - s.factors) m
	GROUP  BY g.n / slots
	ON CONFLICT (n) DO UPDATE
	SET    blocks = excluded.blocks, codes = excluded.codes, numbers = excluded.numbers, spreads = excluded.spreads
	WHERE  c IS DISTINCT FROM excluded;
END
$$;

-- Minimum number of items for blocks of similar items; in smaller catalogues, requests read all blocks
CREATE FUNCTION _dlints_min_grouped_items() RETURNS bigint
	LANGUAGE sql IMMUTABLE
RETURN 3000;

-- Write the item vectors to the table "block", in rows of about a disk page.  A block contains items of similar
-- popularity or, from 3,000 items on, similar items.  Unchanged rows are not written.  All blocks are generated again
-- if many are not full.
CREATE FUNCTION _dlints_set_blocks() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	n_items bigint := (SELECT count(*) FROM item_vector v WHERE NOT v.is_deleted);
	n_constraints integer := (SELECT count(*) FROM constraint_price);
	slots integer := (SELECT s.block_slots FROM setting s);
	n_factors integer := (SELECT s.factors FROM setting s);
	is_large boolean := n_items >= @extschema@._dlints_min_grouped_items();
	is_grouped boolean := EXISTS (SELECT FROM centroid);
BEGIN
	PERFORM @extschema@._dlints_notice_step('writing blocks of item vectors'::text);
	PERFORM @extschema@._dlints_lock_item_vectors();
	PERFORM @extschema@._dlints_note_item_index();
	IF (SELECT max(b.n)::bigint + 1 FROM block b) > 1.2 * n_items / slots + 8 OR is_large AND NOT is_grouped THEN
		DELETE FROM block;
	ELSIF EXISTS (SELECT FROM block)
	      AND NOT EXISTS (SELECT FROM item_vector v WHERE age(v.xmin) <= age(pg_current_xact_id()::xid)) THEN
		RETURN;         -- this transaction and its subtransactions have written no vectors
	END IF;
	PERFORM @extschema@._dlints_add_versions();
	IF is_large AND NOT EXISTS (SELECT FROM block) THEN
		PERFORM @extschema@._dlints_group_items();
		is_grouped := true;
	END IF;
	WITH known AS MATERIALIZED (
		SELECT DISTINCT ON (i.item) i.item, b.n FROM block b, unnest(b.items) i (item) ORDER BY i.item, b.n),
	place AS MATERIALIZED (
		SELECT v.item, v.ctid AS tid,
		       coalesce(k.n, l.n + (row_number() OVER (PARTITION BY k.n IS NULL ORDER BY v.popularity DESC, v.item)
		                            - 1) / slots) AS n
		FROM   item_vector v LEFT JOIN known k ON same_item(k.item, v.item),
		       (SELECT coalesce(max(k.n), -1) + 1 AS n FROM known k) l
		WHERE  NOT v.is_deleted),
	emptied AS (
		DELETE FROM block b WHERE NOT EXISTS (SELECT FROM place p WHERE p.n = b.n))
	INSERT INTO block (n, items, codes, numbers)
	SELECT p.n, p.items, p.codes, p.numbers
	FROM  (SELECT q.n, array_agg(q.item ORDER BY q.item) AS items,
	              @extschema@._dlints_block_codes(array_agg(v.features ORDER BY q.item), n_factors) AS codes,
	              array_agg(v.numbers ORDER BY q.item) AS numbers
	       FROM  (SELECT p.n, p.item, p.tid FROM place p ORDER BY p.n) q,
	              LATERAL (      -- sort only the places of item vectors, because vectors are wide
	                  SELECT w.features, @extschema@._dlints_block_numbers(
	                             w.popularity, w.effect, w.costs, n_constraints, w.dates) AS numbers
	                  FROM   item_vector w WHERE w.ctid = q.tid OFFSET 0) v
	       GROUP  BY q.n) p LEFT JOIN block b ON b.n = p.n
	WHERE  b.n IS NULL OR b.items <> p.items OR b.codes <> p.codes
	OR     @extschema@._dlints_block_numbers_differ(b.numbers, p.numbers)
	ON CONFLICT (n) DO UPDATE SET items = excluded.items, codes = excluded.codes, numbers = excluded.numbers;
	IF NOT is_large THEN
		DELETE FROM centroid;
	ELSIF is_grouped THEN
		PERFORM @extschema@._dlints_set_centroids();
	END IF;
END
$$;

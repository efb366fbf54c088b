-- Shared by the tests in this folder, each of which includes it after BEGIN.

SET LOCAL check_function_bodies = off;

-- a model of the paper's kind, with one memory and the noise known
CREATE FUNCTION one_memory(context_dim integer, reduced_dim integer DEFAULT NULL, discount float8 DEFAULT 0.99, ridge float8 DEFAULT 1, exploration float8 DEFAULT 0.1, seed bigint DEFAULT 0,
	projection_scale float8 DEFAULT NULL, policy text DEFAULT 'thompson', shared_dim integer DEFAULT 0, intercept boolean DEFAULT false, interactions text DEFAULT NULL) RETURNS dlints IMMUTABLE LANGUAGE sql AS
$$ SELECT dlints_new(context_dim, reduced_dim, discount, ridge => ridge, exploration => exploration, noise => 1, policy => policy, shared_dim => shared_dim, interactions => interactions, intercept => intercept,
                     seed => seed, projection_scale => projection_scale) $$;

-- a repeatable number in [-1, 1) for row i, column j
CREATE FUNCTION number(i bigint, j bigint) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT (hashint8extended(i, j) & 1048575) / 524288.0 - 1 $$;

CREATE FUNCTION context(i bigint, n integer) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT array_agg(number(i, j) ORDER BY j) FROM generate_series(1, n) AS j $$;

CREATE FUNCTION unit_vector(i integer, n integer) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT array_agg((i = j)::integer::float8 ORDER BY j) FROM generate_series(1, n) AS j $$;

CREATE FUNCTION dot(a float8[], b float8[]) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT sum(x * y) FROM unnest(a, b) AS u (x, y) $$;

-- largest difference relative to the largest number; arrays of any dimension
CREATE FUNCTION difference(a float8[], b float8[]) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT CASE WHEN array_dims(a) IS DISTINCT FROM array_dims(b) THEN 'infinity'
               ELSE coalesce(max(abs(x - y)) / nullif(max(greatest(abs(x), abs(y))), 0), 0) END
   FROM unnest(a, b) AS u (x, y) $$;

-- largest difference of one element relative to itself
CREATE FUNCTION element_difference(a float8[], b float8[]) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT CASE WHEN array_dims(a) IS DISTINCT FROM array_dims(b) THEN 'infinity'
               ELSE max(CASE WHEN x = y THEN 0 ELSE abs(x - y) / greatest(abs(x), abs(y)) END) END
   FROM unnest(a, b) AS u (x, y) $$;

-- a JSON array of numbers, or of rows of numbers
CREATE FUNCTION numbers(j jsonb) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT array_agg(v::float8 ORDER BY i) FROM jsonb_path_query(j, 'strict $[*]') WITH ORDINALITY AS e (v, i) $$;

CREATE FUNCTION matrix(j jsonb) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT array_agg(numbers(v) ORDER BY i) FROM jsonb_path_query(j, 'strict $[*]') WITH ORDINALITY AS e (v, i) $$;

-- the full matrix of which the rows of the lower triangle are stored, plus ridge on its diagonal
CREATE FUNCTION symmetric_matrix(j jsonb, ridge float8) RETURNS float8[] LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
	d integer := jsonb_array_length(j);
	full_matrix float8[] := array_fill(0::float8, ARRAY[d, d]);
BEGIN
	FOR i IN 1..d LOOP
		FOR k IN 1..i LOOP
			full_matrix[i][k] := (j -> (i - 1) -> (k - 1))::float8;
			full_matrix[k][i] := full_matrix[i][k];
		END LOOP;
		full_matrix[i][i] := full_matrix[i][i] + ridge;
	END LOOP;
	RETURN full_matrix;
END
$$;

-- what the memory in use holds, of a model that has learned something
CREATE FUNCTION memory_in_use(m dlints) RETURNS jsonb IMMUTABLE LANGUAGE sql AS
$$ SELECT m::jsonb -> 'evidence' -> ((dlints_info(m)).memory - 1) $$;

-- Z and Z~ of Algorithm 1
CREATE FUNCTION z_matrix(m dlints) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT symmetric_matrix(memory_in_use(m) -> 'G', (dlints_info(m)).ridge) $$;

CREATE FUNCTION z_tilde_matrix(m dlints) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT symmetric_matrix(coalesce(nullif(memory_in_use(m) -> 'H', 'null'), memory_in_use(m) -> 'G'), (dlints_info(m)).ridge) $$;

-- mean reward of the memory in use, from which a model with an intercept counts; else 0
CREATE FUNCTION level(m dlints) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT CASE WHEN intercept THEN mean_reward ELSE 0 END FROM dlints_info(m) $$;

-- b as the posterior takes it: about that level
CREATE FUNCTION centred_b(m dlints) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT array_agg(b - level(m) * (CASE WHEN level(m) = 0 THEN 0 ELSE (e -> 'G' -> -1 -> (i - 1)::integer)::float8 END) ORDER BY i)
   FROM memory_in_use(m) AS e, unnest(numbers(e -> 'b')) WITH ORDINALITY AS u (b, i) $$;

-- the posterior mean for that b: the level is the intercept's
CREATE FUNCTION mean_of(z float8[], m dlints) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT array_agg(psi + CASE WHEN i = array_length(z, 1) THEN level(m) ELSE 0 END ORDER BY i)
   FROM unnest(flat(solve(z, column_of(centred_b(m))))) WITH ORDINALITY AS u (psi, i) $$;

-- how far two memories are apart, each part relative to its largest number
CREATE FUNCTION memory_difference(x jsonb, y jsonb) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT CASE WHEN jsonb_typeof(x -> 'H') IS DISTINCT FROM jsonb_typeof(y -> 'H') THEN 'infinity'
   ELSE greatest(
     difference(numbers(x -> 'b'), numbers(y -> 'b')),
     difference(numbers(jsonb_path_query_array(x, '$.G[*][*]')), numbers(jsonb_path_query_array(y, '$.G[*][*]'))),
     difference(numbers(jsonb_path_query_array(x, '$.H[*][*] ? (@ != null)')), numbers(jsonb_path_query_array(y, '$.H[*][*] ? (@ != null)'))),
     difference(ARRAY[x -> 'weight_sum']::float8[], ARRAY[y -> 'weight_sum']::float8[])) END $$;

-- reward and squared reward sums, about zero
CREATE FUNCTION reward_sums(c float8, e jsonb) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT ARRAY[r + n * c, s + 2 * c * r + n * c * c] FROM (SELECT (e -> 'weight_sum')::float8, (e -> 'reward_sum')::float8, (e -> 'reward_square_sum')::float8) AS t (n, r, s) $$;

-- how far the evidence of two models is apart
CREATE FUNCTION evidence_difference(a dlints, b dlints) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT CASE WHEN x ->> 'updates' IS DISTINCT FROM y ->> 'updates' OR jsonb_array_length(x -> 'evidence') IS DISTINCT FROM jsonb_array_length(y -> 'evidence') THEN 'infinity'
   ELSE (SELECT max(greatest(memory_difference(p, q), difference(reward_sums((x -> 'reference_reward')::float8, p), reward_sums((y -> 'reference_reward')::float8, q))))
         FROM ROWS FROM (jsonb_array_elements(x -> 'evidence'), jsonb_array_elements(y -> 'evidence')) AS e (p, q)) END
   FROM (SELECT a::jsonb, b::jsonb) AS j (x, y) $$;

-- evidence and what is made of it
CREATE FUNCTION model_difference(a dlints, b dlints) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT greatest(evidence_difference(a, b), difference(dlints_mean(a), dlints_mean(b)),
                   difference(dlints_covariance(a), dlints_covariance(b))) $$;

CREATE FUNCTION same_bytes(a dlints, b dlints) RETURNS boolean IMMUTABLE LANGUAGE sql AS
$$ SELECT dlints_send(a) = dlints_send(b) $$;

-- Gauss-Jordan elimination with pivoting: the solution of a x = b for each column of b
CREATE FUNCTION solve(a float8[], b float8[]) RETURNS float8[] LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
	d integer := array_length(a, 1);
	w integer := array_length(b, 2);
	pivot integer;
	f float8;
	t float8;
BEGIN
	FOR c IN 1..d LOOP
		pivot := c;
		FOR r IN c + 1..d LOOP
			IF abs(a[r][c]) > abs(a[pivot][c]) THEN pivot := r; END IF;
		END LOOP;
		FOR k IN 1..d LOOP
			t := a[c][k]; a[c][k] := a[pivot][k]; a[pivot][k] := t;
		END LOOP;
		FOR k IN 1..w LOOP
			t := b[c][k]; b[c][k] := b[pivot][k]; b[pivot][k] := t;
		END LOOP;
		FOR r IN 1..d LOOP
			CONTINUE WHEN r = c;
			f := a[r][c] / a[c][c];
			FOR k IN c..d LOOP a[r][k] := a[r][k] - f * a[c][k]; END LOOP;
			FOR k IN 1..w LOOP b[r][k] := b[r][k] - f * b[c][k]; END LOOP;
		END LOOP;
	END LOOP;
	FOR r IN 1..d LOOP
		FOR k IN 1..w LOOP b[r][k] := b[r][k] / a[r][r]; END LOOP;
	END LOOP;
	RETURN b;
END
$$;

CREATE FUNCTION column_of(v float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT array_agg(ARRAY[x] ORDER BY i) FROM unnest(v) WITH ORDINALITY AS u (x, i) $$;

CREATE FUNCTION flat(m float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT array_agg(x ORDER BY i) FROM unnest(m) WITH ORDINALITY AS u (x, i) $$;

-- Z^-1 Z~ Z^-1; both matrices are symmetric, so that (Z^-1 Z~)' = Z~ Z^-1
CREATE FUNCTION transposed(m float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT array_agg(v ORDER BY k) FROM
   (SELECT k, array_agg(m[r][k] ORDER BY r) AS v
    FROM generate_subscripts(m, 1) AS r, generate_subscripts(m, 2) AS k GROUP BY k) AS c $$;

CREATE FUNCTION covariance_of(z float8[], z_tilde float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT solve(z, transposed(solve(z, z_tilde))) $$;

-- v' m v
CREATE FUNCTION quadratic(m float8[], v float8[]) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT sum(v[r] * m[r][k] * v[k])
   FROM generate_subscripts(m, 1) AS r, generate_subscripts(m, 2) AS k $$;

-- One model of each kind, as it is made.  Functions below take the shared context
-- u of a model that has none as NULL.
CREATE TEMP VIEW kind AS
SELECT format('%s, discount %s', name, discount) AS name, n, d, s, interactions, dim + intercept::integer AS dim, discount,
       one_memory(n, d, discount, 0.7, 0.3, -17, kappa, shared_dim => s, intercept => intercept, interactions => interactions) AS empty
FROM (VALUES ('plain', 7, NULL::integer, 0, NULL, 7, false, NULL::float8), ('one dimension', 1, NULL, 0, NULL, 1, false, NULL), ('projected', 20, 6, 0, NULL, 6, false, NULL),
             ('intercept', 5, NULL, 0, NULL, 5, true, NULL), ('projected, intercept', 9, 4, 0, NULL, 4, true, 0.8), ('shared', 6, 4, 3, 'crossed', 4, false, NULL),
             ('shared, intercept', 6, 4, 3, 'crossed', 4, true, 0.8), ('d above n', 3, 7, 4, 'crossed', 7, true, NULL), ('product', 3, NULL, 4, 'crossed', 15, false, NULL),
             ('product, intercept', 3, NULL, 2, 'crossed', 9, true, NULL), ('matched', 4, NULL, 4, 'matched', 9, false, NULL), ('matched, intercept', 3, NULL, 3, 'matched', 7, true, NULL),
             ('matched, projected', 6, 4, 6, 'matched', 5, false, NULL), ('matched, projected, intercept', 6, 3, 6, 'matched', 4, true, 0.8)) AS v (name, n, d, s, interactions, dim, intercept, kappa),
     (VALUES (1.0::float8), (0.9)) AS g (discount);

-- observation i, for a model with such contexts; one visitor in seven is a stranger
CREATE FUNCTION shared(i bigint, s integer) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT CASE WHEN s > 0 THEN CASE WHEN i % 7 = 0 THEN array_fill(0::float8, ARRAY[s]) ELSE context(i % 7 + 7000, s) END END $$;

CREATE FUNCTION reward(i bigint) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$ SELECT number(i, 100000) + 0.5 $$;

CREATE FUNCTION update_at(m dlints, x float8[], u float8[], r float8) RETURNS dlints LANGUAGE sql AS
$$ SELECT CASE WHEN u IS NULL THEN dlints_update(m, x, r) ELSE dlints_update(m, x, u, r) END $$;

CREATE FUNCTION batch_at(m dlints, xs float8[], us float8[], rs float8[]) RETURNS dlints LANGUAGE sql AS
$$ SELECT CASE WHEN us IS NULL THEN dlints_update_batch(m, xs, rs) ELSE dlints_update_batch(m, xs, us, rs) END $$;

CREATE FUNCTION project_at(m dlints, x float8[], u float8[]) RETURNS float8[] LANGUAGE sql AS
$$ SELECT CASE WHEN u IS NULL THEN dlints_project(m, x) ELSE dlints_project(m, x, u) END $$;

CREATE FUNCTION predict_at(m dlints, x float8[], u float8[]) RETURNS float8 LANGUAGE sql AS
$$ SELECT CASE WHEN u IS NULL THEN dlints_predict(m, x) ELSE dlints_predict(m, x, u) END $$;

CREATE FUNCTION stddev_at(m dlints, x float8[], u float8[]) RETURNS float8 LANGUAGE sql AS
$$ SELECT CASE WHEN u IS NULL THEN dlints_stddev(m, x) ELSE dlints_stddev(m, x, u) END $$;

CREATE FUNCTION weights_at(m dlints, u float8[]) RETURNS float8[] LANGUAGE sql AS
$$ SELECT CASE WHEN u IS NULL THEN dlints_weights(m) ELSE dlints_weights(m, u) END $$;

CREATE FUNCTION draw_weights_at(m dlints, u float8[], seed bigint) RETURNS float8[] LANGUAGE sql AS
$$ SELECT CASE WHEN u IS NULL THEN dlints_draw_weights(m, seed) ELSE dlints_draw_weights(m, u, seed) END $$;

-- what the observations from first to last say
CREATE FUNCTION evidence(m dlints, first integer, last integer) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	n integer := (dlints_info(m)).context_dim;
	s integer := (dlints_info(m)).shared_dim;
BEGIN
	IF s > 0 THEN
		RETURN dlints_evidence(m, context(i, n), shared(i, s), reward(i) ORDER BY i) FROM generate_series(first, last) AS i;
	END IF;
	RETURN dlints_evidence(m, context(i, n), reward(i) ORDER BY i) FROM generate_series(first, last) AS i;
END
$$;

-- other ways to learn them
CREATE FUNCTION singly(m dlints, first integer, last integer) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	f record := dlints_info(m);
BEGIN
	FOR i IN first..last LOOP
		m := update_at(m, context(i, f.context_dim), shared(i, f.shared_dim), reward(i));
	END LOOP;
	RETURN m;
END
$$;

CREATE FUNCTION reduced(m dlints, first integer, last integer) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	f record := dlints_info(m);
BEGIN
	FOR i IN first..last LOOP
		m := dlints_update_reduced(m, project_at(m, context(i, f.context_dim), shared(i, f.shared_dim)), reward(i));
	END LOOP;
	RETURN m;
END
$$;

CREATE FUNCTION batch(m dlints, first integer, last integer) RETURNS dlints LANGUAGE sql AS
$$ SELECT batch_at(m, array_agg(context(i, context_dim) ORDER BY i), array_agg(shared(i, shared_dim) ORDER BY i) FILTER (WHERE shared_dim > 0), array_agg(reward(i) ORDER BY i))
   FROM dlints_info(m), generate_series(first, last) AS i $$;

-- SQLSTATE, message and detail of a statement that fails, or what it gives; what PostgreSQL
-- adds about functions it does not find differs between versions
CREATE FUNCTION outcome(statement text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	result text;
BEGIN
	EXECUTE statement INTO result;
	RETURN 'gives ' || coalesce(result, 'NULL');
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS result = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ': ' || SQLERRM || CASE WHEN result <> '' AND SQLSTATE <> '42883' THEN ' (' || result || ')' ELSE '' END;
END
$$;

-- a value from its binary form, through binary COPY, which is the door that SQL has
CREATE FUNCTION receive(value bytea) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	file bytea := '\x5047434f50590aff0d0a0000000000000000000001'::bytea
		|| decode(lpad(to_hex(length(value)), 8, '0'), 'hex') || value || '\xffff'::bytea;
	octal text := (SELECT string_agg('\' || (byte >> 6) || ((byte >> 3) & 7) || (byte & 7), '' ORDER BY i)
	               FROM generate_series(0, length(file) - 1) AS i, get_byte(file, i) AS byte);
	m dlints;
BEGIN
	CREATE TEMP TABLE received (m dlints);
	EXECUTE format('COPY received FROM PROGRAM %L (FORMAT binary)', 'printf ''' || octal || '''');
	-- dlints_set makes a copy that outlives the table
	SELECT dlints_set(r.m) INTO m FROM received AS r;
	DROP TABLE received;
	RETURN m;
END
$$;

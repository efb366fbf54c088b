-- Packed vectors: precision, size, use as features, and errors
\ir include/helpers.sql

SELECT plan(4 + 11 + 5 + 4 + 1 + 2 + 5 + 2 + 10 + 4 + 20);

-- The packed form never changes, since logs contain it.
SELECT is(dlints_pack(v::dlints_vector), bytes, 'the bytes of ' || v) FROM (VALUES
	('{1,0,-2.5,0.25}', '\x040000 f3 0d0070 00f50068'::bytea),
	('{{1,0},{0,3}}', '\x020080 f3010070 f3020076'),
	('{0,0}', '\x020000 7200'), ('{}', '\x000000')) AS v (v, bytes);
SELECT each_holds($$
	dlints_unpack('\x040000f30d007000f50068') = '{1,0,-2.5,0.25}'
	dlints_unpack('\x020080f3010070f3020076') = '{1,0}'
	dlints_unpack('\x020080f3010070f3020076', 2) = '{0,3}'
	dlints_unpack('\x000000') = '{}'
	dlints_unpack(dlints_pack('{{1.5}}'), 1) = '{1.5}'
	dlints_vector(dlints_pack('{{1,2},{3,4}}'))::text = '{{1,2},{3,4}}'
	dlints_vector(dlints_pack('{{1,2}}'))::text = '{{1,2}}'
	dlints_vector(dlints_pack('{1,2}'))::text = '{1,2}'
	dlints_unpack(dlints_pack('{3.4028234e38,-3.4028234e38,1e-45}')) = '{3.4028235e+38,-3.4028235e+38,0}'
	dlints_unpack(dlints_pack('{1e-45}')) = '{1e-45}'
	octet_length(dlints_pack(array_fill(0, ARRAY[65536]))) = 8196
$$);

CREATE TEMP TABLE v AS
SELECT i, ARRAY(SELECT number(i, j) * 10 ^ (i % 9 - 4) * (hashint4(i + j) % 3 <> 0)::integer
                FROM generate_series(1, 20 + i) j)::real[] AS x
FROM generate_series(1, 90) i;
SELECT ok(bool_and(abs(p - u) <= abs(u) / 2048), 'dlints_unpack returns numbers to 11 bits, whatever their unit')
FROM v, unnest(x, dlints_unpack(dlints_pack(x))) n (u, p);
SELECT ok(bool_and(octet_length(dlints_pack(x)) = 4 + (cardinality(x) + 7) / 8
	+ 2 * (SELECT count(*) FROM unnest(x) u WHERE u <> 0)),
		'packed arrays take a bit for each number and two bytes for each number other than zero')
FROM v;
SELECT ok(bool_and(dlints_unpack(m, n) = dlints_unpack(dlints_pack(x[:20] || 100000::real))),
  'dlints_unpack returns a row of a matrix')
FROM (SELECT row_number() OVER (ORDER BY i) AS n, x FROM v) r,
     (SELECT dlints_pack(array_agg(x[:20] || 100000::real ORDER BY i)) AS m FROM v) p;
SELECT ok(dlints_unpack(m, 91) IS NULL AND dlints_unpack(m, 0) IS NULL AND dlints_unpack(m, -1) IS NULL
	AND dlints_unpack('\x000000', 2) IS NULL, 'others are NULL')
FROM (SELECT dlints_pack(array_agg(x[:20] ORDER BY i)) AS m FROM v) p;
SELECT ok(bool_and(dlints_unpack(p, n) = CASE n WHEN 2 THEN '{1125899906842624,0,0}' ELSE ARRAY[0.25, -n,
  0.5] END::real[]), 'a giant vector leaves the numbers of other rows as they are')
FROM  dlints_pack('{{0.25,-1,0.5},{1125899906842624,0,0},{0.25,-3,0.5},{0.25,-4,0.5}}', 16) p, generate_series(1, 4) n;

-- In 8 bits: roots in 127 steps of that of the next power of two.
SELECT is(dlints_pack('{{1,0,-2.5},{0,3,0.25}}', 8), '\x0300c0 f30540e4 f3066e20',
  'packed arrays of 8 bits have the golden bytes');
SELECT is(dlints_pack(x, 16), dlints_pack(x), '16 are usual') FROM v WHERE i = 7;
SELECT ok(bool_and(octet_length(dlints_pack(x, 8)) < 8 + (cardinality(x) + 7) / 8 + cardinality(x))
	AND max(abs(p - u) / m) < 0.0112 AND max(CASE WHEN u = 0 THEN abs(p) END) = 0,
	'8 bits a number keep about two digits')
FROM v, unnest(x, dlints_unpack(dlints_pack(x, 8))) n (u, p), LATERAL (SELECT max(abs(a)) AS m FROM unnest(x) a) a;
SELECT ok(bool_and((dlints_contrast(p, n))[2] = 0), 'the contrast of equal numbers is 0')
FROM  dlints_pack('{{1,0.3},{3,0.3},{4,0.3}}', 8) p, generate_series(1, 3) n;

-- Vectors can be read in any order, and from two values alternately.
SELECT ok(bool_and(dlints_unpack(CASE WHEN n % 3 = 0 THEN b ELSE a END, place)
                   = ARRAY[place, CASE WHEN n % 3 = 0 THEN 2 ELSE 1 END]::real[]),
                     'rows of two matrices are unpacked in any order, by turns')
FROM  (SELECT dlints_pack(array_agg(ARRAY[i, 1]::real[] ORDER BY i)) AS a,
              dlints_pack(array_agg(ARRAY[i, 2]::real[] ORDER BY i)) AS b FROM generate_series(1, 700) i) p,
       LATERAL (SELECT n, 1 + n * 37 % 700 AS place FROM generate_series(1, 1400) n) o;

-- Contrasts are differences from the mean: zeros for equal numbers.
SELECT is(array_agg(dlints_contrast(dlints_pack(v::dlints_vector), n, w::float8[]) ORDER BY n)::text, contrasts, v)
FROM  (VALUES ('{{1,2,0.1},{3,4,0.1},{5,9,0.1}}', '{1}', '{{-2,-3,0},{0,-1,0},{2,4,0}}'),
              ('{{1,2},{4,6},{6,6}}', '{2,1}', '{{-2,-2},{1,2},{3,2}}')) AS v (v, w, contrasts),
       generate_series(1, 3) n
GROUP  BY v, contrasts;
SELECT each_holds($$
	dlints_contrast(dlints_pack('{1,2}'), 1) = '{1,2}'
	dlints_contrast(dlints_pack('{{1,2}}'), 1, '{0.5}') = '{1,2}'
	dlints_contrast('\x000000', 1) = '{}'
	dlints_contrast(dlints_pack('{{1},{2}}'), 3) IS NULL
	dlints_contrast(dlints_pack('{{1},{2}}'), 0) IS NULL
$$);
SELECT ok(bool_and(dlints_contrast(CASE WHEN n % 3 = 0 THEN b ELSE a END, place,
                                   CASE WHEN n % 2 = 0 THEN '{1,2}' ELSE '{1}' END::float8[])
                   = ARRAY[2 * place - 3 - CASE WHEN n % 2 = 0 THEN 1 / 3.0 ELSE 0 END,
                           0]::real[]), 'contrasts of two matrices under two weightings are computed by turns')
FROM  (SELECT dlints_pack('{{-1,5},{1,5}}') AS a, dlints_pack('{{-1,2},{1,2}}') AS b) p,
       LATERAL (SELECT n, 1 + n * 3 / 2 % 2 AS place FROM generate_series(1, 60) n) o;

SELECT is(dlints_vector(_dlints_stack_packed(ARRAY[dlints_pack('{1,0}'), dlints_pack('{0,3}')]))::text, '{{1,0},{0,3}}',
  'packed vectors are stacked to a matrix');

-- Packed values are accepted as features and profiles.
SELECT is(dlints_predict(m, dlints_pack('{1,2}')), dlints_predict(m, '{1,2}'), 'packed features are features')
FROM dlints_update(dlints_new(2), '{1,1}', 1) m;

SELECT each_is('gives NULL', $$
	dlints_pack(NULL)
	dlints_pack(NULL, 8)
	dlints_pack('{1}', NULL)
	dlints_unpack(NULL)
	dlints_unpack('\x000000', NULL)
	dlints_contrast(NULL, 1)
	dlints_contrast('\x000000', NULL)
	dlints_contrast('\x000000', 1, NULL)
	_dlints_stack_packed('{}')
	_dlints_stack_packed(ARRAY[dlints_pack('{1}'), NULL])
$$);
SELECT is(outcome('SELECT ' || call), '22P03: these bytes are not those of packed vectors', call) FROM (VALUES
	($$dlints_unpack('')$$), ($$dlints_vector('\x0000'::bytea)$$),
	($$dlints_unpack('\x00000000')$$),		-- no numbers, and an additional byte
	($$dlints_unpack('\xffff000000')$$), ($$dlints_unpack('\x080000 0001')$$),	-- too short
	($$dlints_unpack('\x080000 000100')$$), ($$dlints_unpack('\x080040 0001')$$),
	($$dlints_unpack('\x080000 0001007c')$$), ($$dlints_unpack('\x010001 0000')$$),	-- infinity, too long
	($$dlints_vector('\x010000 0000 0000'::bytea)$$), ($$_dlints_stack_packed(ARRAY[dlints_pack('{{1}}')])$$))	-- matrices
	AS v (call);
SELECT is(regexp_replace(outcome('SELECT ' || call), ' \(\d+\)$', ''), result, call) FROM (VALUES
	($$dlints_vector('\x080080'::bytea || decode(repeat('00', 40000000), 'hex'))$$,	-- a matrix that no array can be
	 '54000: array size exceeds the maximum allowed'),
	($$_dlints_stack_packed(ARRAY[dlints_pack('{1}'), dlints_pack('{1}', 8)])$$,
	 '22023: packed vectors must have the same length and number of bits'),
	($$dlints_contrast(dlints_pack('{{1},{2}}'), 1, '{1,0}')$$, '22023: weights must be numbers greater than 0'),
	($$dlints_contrast(dlints_pack('{{1},{2}}'), 1, '{}')$$, '22023: weights must be numbers greater than 0'),
	($$dlints_contrast(dlints_pack('{{1},{2}}'), 1, '{NaN}')$$,
	 '22003: NaN not allowed in array (Element 1 of the weights.)'),
	($$dlints_contrast(dlints_pack('{{3.3895314e38},{-3.3895314e38},{-3.3895314e38}}'), 1)$$,
	 '22003: 4.51938e+38 in features is out of range for type real'),
	($$dlints_pack('{1}', 12)$$, '22023: bits must be 8 or 16, not 12'),
	($$dlints_pack('{1e39}')$$, '22003: 1e+39 in features is out of range for type real'),
	($$dlints_pack('{1,NaN}')$$, '22003: NaN not allowed in array (Element 2 of the features.)'),
	($$dlints_pack('{1,NULL}')$$, '22004: array must not contain nulls (A null was found in the features.)'),
	($$dlints_pack('{{{1}}}')$$,
	 '2202E: array must be one-dimensional (The number of dimensions of the features is 3.)'),
	($$dlints_pack(array_fill(0, ARRAY[65537]))$$,
	 '54000: a packed vector cannot have more than 65536 numbers (There are 65537.)')) AS v (call, result);
SELECT * FROM finish();
ROLLBACK;

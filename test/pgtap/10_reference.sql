-- Algorithm 1 as an independent implementation recorded it, step by step:
-- Z, Z~, b and the mean to a relative 1e-10 in every element.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
\set content `cat test/pgtap/fixtures/algorithm1.json`

CREATE TEMP TABLE checkpoint AS
SELECT i AS no, step::integer, v AS expected,
       one_memory((c ->> 'context_dim')::integer, NULL, (c ->> 'discount')::float8, (c ->> 'ridge')::float8) AS model, matrix(c -> 'contexts') AS contexts, numbers(c -> 'rewards') AS rewards
FROM jsonb_array_elements((:'content')::jsonb -> 'cases') WITH ORDINALITY AS e (c, i), jsonb_each(c -> 'after') AS a (step, v);

CREATE FUNCTION learned(m dlints, contexts float8[], rewards float8[], steps integer) RETURNS dlints LANGUAGE plpgsql AS
$$
BEGIN
	FOR i IN 1..steps LOOP
		m := dlints_update(m, flat(contexts[i:i]), rewards[i]);
	END LOOP;
	RETURN m;
END
$$;
UPDATE checkpoint SET model = learned(model, contexts, rewards, step);

SELECT plan(1 + 2 * 4);
SELECT results_eq('SELECT step, array_length(contexts, 1), array_length(contexts, 2) FROM checkpoint ORDER BY no, step',
                  'VALUES (1, 200, 5), (2, 200, 5), (10, 200, 5), (200, 200, 5), (1, 120, 8), (2, 120, 8), (10, 120, 8), (120, 120, 8)', 'the reference holds what it should');
SELECT ok(element_difference(z_matrix(model), matrix(expected -> 'Z')) <= 1e-10 AND element_difference(z_tilde_matrix(model), matrix(expected -> 'Z_tilde')) <= 1e-10
          AND element_difference(numbers(memory_in_use(model) -> 'b'), numbers(expected -> 'b')) <= 1e-10 AND element_difference(dlints_mean(model), numbers(expected -> 'mean')) <= 1e-10
          AND (dlints_info(model)).updates = step, format('case %s after %s: Z, Z~, b, mean', no, step))
FROM checkpoint ORDER BY no, step;
SELECT * FROM finish();
ROLLBACK;

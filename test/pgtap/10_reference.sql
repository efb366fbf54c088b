-- Algorithm 1 as an independent implementation recorded it, step by step:
-- Z, Z~, b and the mean to a relative 1e-10 in every element.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
\set content `cat test/pgtap/fixtures/algorithm1.json`

CREATE TEMP TABLE reference_case AS
SELECT (i)::integer AS no, dlints_new((c ->> 'context_dim')::integer, NULL, (c ->> 'discount')::float8, (c ->> 'ridge')::float8) AS empty,
       matrix(c -> 'contexts') AS contexts, numbers(c -> 'rewards') AS rewards, c -> 'after' AS after
FROM jsonb_array_elements((:'content')::jsonb -> 'cases') WITH ORDINALITY AS e (c, i);

CREATE TEMP TABLE observation AS
SELECT r.no, s.step, numbers(to_jsonb(r.contexts) -> (s.step - 1)) AS context, r.rewards[s.step] AS reward
FROM reference_case AS r, generate_series(1, cardinality(r.rewards)) AS s (step);

CREATE TEMP TABLE checkpoint AS
SELECT r.no, k::integer AS step, v AS expected
FROM reference_case AS r, jsonb_each(r.after) AS a (k, v);

-- one way of learning the first "step" observations of a case per column
CREATE FUNCTION one_by_one(which integer, steps integer) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	m dlints := (SELECT empty FROM reference_case WHERE no = which);
	o observation;
BEGIN
	FOR o IN SELECT * FROM observation WHERE no = which AND step <= steps ORDER BY step LOOP
		m := dlints_update(m, o.context, o.reward);
	END LOOP;
	RETURN m;
END
$$;

CREATE FUNCTION by_batch(which integer, steps integer) RETURNS dlints LANGUAGE sql AS
$$ SELECT dlints_update(empty, contexts[1:steps], rewards[1:steps]) FROM reference_case WHERE no = which $$;

CREATE FUNCTION by_evidence(which integer, steps integer) RETURNS dlints LANGUAGE sql AS
$$ SELECT empty || (SELECT dlints_evidence(empty, context, reward ORDER BY step)
                    FROM observation WHERE no = which AND step <= steps)
   FROM reference_case WHERE no = which $$;

CREATE FUNCTION by_histories(which integer, steps integer) RETURNS dlints LANGUAGE sql AS
$$ SELECT empty || (SELECT dlints_evidence(empty, context, reward ORDER BY step)
                    FROM observation WHERE no = which AND step <= steps / 3)
                || (SELECT dlints_evidence(empty, context, reward ORDER BY step)
                    FROM observation WHERE no = which AND step > steps / 3 AND step <= steps)
   FROM reference_case WHERE no = which $$;

CREATE TEMP TABLE learned AS
SELECT c.*, w.*
FROM checkpoint AS c,
     LATERAL (VALUES ('one by one', one_by_one(no, step)), ('batch', by_batch(no, step)),
                     ('evidence and ||', by_evidence(no, step)),
                     ('two histories and ||', by_histories(no, step))) AS w (way, model);

-- 2 cases, 4 steps, 4 ways
SELECT plan(2 + 2 * 4 * 4);

SELECT results_eq('SELECT no, cardinality(rewards), array_length(contexts, 2) FROM reference_case ORDER BY no',
                  'VALUES (1, 200, 5), (2, 120, 8)', 'the reference holds what it should');
SELECT results_eq('SELECT step FROM checkpoint ORDER BY no, step',
                  'VALUES (1), (2), (10), (200), (1), (2), (10), (120)', 'with four recorded steps in each case');

SELECT ok(element_difference(z_matrix(model), matrix(expected -> 'Z')) <= 1e-10
          AND element_difference(z_tilde_matrix(model), matrix(expected -> 'Z_tilde')) <= 1e-10
          AND element_difference(numbers(model::jsonb -> 'b'), numbers(expected -> 'b')) <= 1e-10
          AND element_difference(dlints_mean(model), numbers(expected -> 'mean')) <= 1e-10
          AND (dlints_info(model)).updates = step,
          format('case %s after %s, %s: Z, Z~, b, mean', no, step, way))
FROM learned ORDER BY no, step, way;

SELECT * FROM finish();
ROLLBACK;

-- Which language model answers a request?  The ranker learns what answers are worth, by what is
-- known of a request, and weighs that against what a model costs.

-- A good answer is worth 1.  Prices are in the same unit: if a good answer is worth 10 cents to
-- you, a model that takes 2 cents for an answer has the price 0.2.
CREATE TABLE language_model (name text PRIMARY KEY, price float8 NOT NULL, features jsonb NOT NULL);
INSERT INTO language_model VALUES
    ('small',  0.01, '{"maker": "a"}'),
    ('medium', 0.08, '{"maker": "b"}'),
    ('large',  0.30, '{"maker": "b"}');

-- Only some answers are judged, so a request counts once it is: those that nobody looks at
-- are no bad answers.
SELECT dlints_create_ranker('router', wait => '0');

CREATE FUNCTION route(request text, facts jsonb) RETURNS text LANGUAGE sql AS
$$
SELECT action
FROM   router.rank(request, facts, (SELECT jsonb_agg(jsonb_build_object('id', name, 'price', price) || features)
                                    FROM language_model), deferred => true)
WHERE  place = 1
$$;

-- The quality of the answer, 0 to 1: from a person, a test, or another model
CREATE FUNCTION judge(request text, quality float8) RETURNS void LANGUAGE sql AS
$$
SELECT router.activate(request);
SELECT router.reward(request, quality)
$$;

-- A router of requests to language models.  The ranker estimates the quality of each model's answer from the
-- facts about the request, and subtracts the model's price.

-- A good answer is worth 1, and prices have the same unit.  If a good answer is worth 10 cents to you, a model
-- that takes 2 cents for an answer has the price 0.2.
CREATE TABLE language_model (name text PRIMARY KEY, price float8 NOT NULL, features jsonb NOT NULL);
INSERT INTO language_model VALUES
    ('small',  0.01, '{"maker": "a"}'),
    ('medium', 0.08, '{"maker": "b"}'),
    ('large',  0.30, '{"maker": "b"}');

-- Only some answers are judged.  Events are deferred until then: an unjudged answer is not a bad answer.
SELECT dlints_create_ranker('router', attribution_window => '0');

CREATE FUNCTION route(request text, facts jsonb) RETURNS text LANGUAGE sql AS
$$
SELECT action
FROM   router.rank(request, facts, (SELECT jsonb_agg(jsonb_build_object('id', name, 'price', price) || features)
                                    FROM language_model), deferred => true)
WHERE  position = 1
$$;

-- Report the quality of the answer, 0 to 1, as judged by a user, a test, or another model.
CREATE FUNCTION judge(request text, quality float8) RETURNS void LANGUAGE sql AS
$$
SELECT router.activate(request);
SELECT router.reward(request, quality)
$$;

-- The report of a ranker ----------------------------------------------------

CREATE FUNCTION dlints_ranker_report(words jsonb) RETURNS SETOF text
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
BEGIN
	RETURN QUERY SELECT dlints_recommender_fill(template, words) FROM unnest(ARRAY[
$t$
-- What was chosen, and what came of it: NULL while a reward may still come.  "earned" is the
-- reward without the price.
CREATE OR REPLACE VIEW {s}.outcome AS
SELECT d.id AS decision, d.event, d.arm, d.at, d.context, c.action, c.price, c.probability,
       c.expected, cardinality(d.ranking) AS candidates, d.imitated, o.reward, o.reward - c.price AS earned
FROM   {s}.decision d
       JOIN {s}.ranked c ON c.decision = d.id AND c.place = 1
       LEFT JOIN {s}.reward r ON r.event = d.event,
       -- what is still waited for says nothing yet, or the quick rewards would say it all
       LATERAL (SELECT CASE WHEN NOT EXISTS (SELECT FROM {s}.due q WHERE q.decision = d.id)
                            THEN coalesce(r.value, {default_reward}) END::float8) o (reward)
WHERE  d.active
$t$,
$t$
-- Is it working?  An error is a standard error.
CREATE OR REPLACE FUNCTION {s}.report(since timestamptz DEFAULT now() - interval '7 days')
RETURNS TABLE (measure text, value float8, error float8, meaning text)
LANGUAGE plpgsql STABLE SET search_path = {path} SET jit = off AS $body$
#variable_conflict use_column
DECLARE
    first bigint := {s}.first_decision(since);
    share float8 := (SELECT live FROM {s}.setting);
    x     record;
    y     record;
BEGIN
    SELECT count(*) AS n, avg(earned) AS mean, stddev_samp(earned) / sqrt(count(earned)) AS stderr
    INTO   x FROM {s}.outcome WHERE arm = 'live' AND decision >= first;
    SELECT count(*) AS n, avg(earned) AS mean, stddev_samp(earned) / sqrt(count(earned)) AS stderr,
           avg(imitated::integer) AS imitated,
           sqrt(avg(imitated::integer) * (1 - avg(imitated::integer)) / count(*)) AS imitation_error
    INTO   y FROM {s}.outcome WHERE arm = 'present' AND decision >= first;
    RETURN QUERY VALUES
        ('share live', share, NULL::float8,
         'of the events are decided by the ranker from now on: go_live sets it'),
        ('events', (x.n + y.n)::float8, NULL, 'ranked and shown since ' || since::date),
        ('earned by the ranker', x.mean, x.stderr, 'reward without price, an event'),
        ('earned by the present system', y.mean, y.stderr,
         'the same, where the caller''s first action was shown'),
        ('more than the present system', x.mean - y.mean, sqrt(x.stderr ^ 2 + y.stderr ^ 2), CASE
            WHEN x.stderr IS NULL OR y.stderr IS NULL THEN 'not known: it takes events of both'
            WHEN x.mean - y.mean > 2 * sqrt(x.stderr ^ 2 + y.stderr ^ 2)
            THEN 'the ranker is better, and that is no accident'
            WHEN y.mean - x.mean > 2 * sqrt(x.stderr ^ 2 + y.stderr ^ 2)
            THEN 'the ranker is worse: does it know what the present system knows?'
            ELSE 'no difference that is more than chance: wait, or show more' END),
        ('present system imitated', y.imitated, y.imitation_error, CASE
            WHEN y.n < 100 THEN 'not known: it takes events that the present system decided'
            WHEN y.imitated < 0.6
            THEN 'the features do not say what the present system goes by, or it was not watched for long'
            ELSE 'the features say what the present system goes by: go live with a small share' END);

    -- known from events that could have been decided otherwise
    SELECT ({dlints}.dlints_policy_value(o.earned, o.probability, 1.0 / o.candidates)).* INTO x
    FROM   {s}.outcome o WHERE o.arm = 'live' AND o.earned IS NOT NULL AND o.decision >= first;
    RETURN QUERY VALUES ('earned by chance', x.snips, x.snips_stderr,
                         'an estimate of what a choice by chance would have earned');

    SELECT avg(expected - reward) AS surplus, stddev_samp(expected - reward) / sqrt(count(reward)) AS stderr,
           avg(1 - probability) AS exploration
    INTO   x FROM {s}.outcome WHERE arm = 'live' AND decision >= first;
    RETURN QUERY VALUES
        ('expected and not earned', x.surplus, x.stderr, CASE
            WHEN x.stderr IS NULL THEN 'not known yet: too few events'
            ELSE 'how much more reward is expected of a choice than comes: near 0 is good' END),
        ('exploration', x.exploration, NULL,
         'the share of events that another draw would have decided otherwise; it falls by learning');

    RETURN QUERY SELECT 'decisions to be learned', count(*)::float8, NULL::float8,
           CASE WHEN min(q.since) < now() - {wait}::interval - interval '1 hour'
                THEN 'some wait for hours: have cron call run()'
                ELSE 'beyond the wait, at this moment' END
    FROM   {s}.due q WHERE q.since < now() - {wait}::interval;
    RETURN QUERY SELECT 'rewards of unknown events', count(*)::float8, NULL::float8,
           'told for events that were never ranked, or never activated'
    FROM   {s}.reward r WHERE r.learned IS NULL AND r.at < now() - interval '1 hour'
    AND    NOT EXISTS (SELECT FROM {s}.decision d WHERE d.event = r.event AND d.active);
    RETURN QUERY SELECT 'observations in memory', i.effective_sample_size, NULL::float8,
           format('of %s; memory %s of %s is in use (1 is the shortest)', i.updates, i.memory, i.memories)
           || coalesce('. ' || i.hint, '')
    FROM   {s}.models i WHERE i.name = 'reward';
END
$body$
$t$]) template;
END
$$;
COMMENT ON FUNCTION dlints_ranker_report(jsonb) IS 'the statements that make a ranker''s report';

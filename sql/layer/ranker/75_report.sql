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
WHERE  d.active;

-- What a choice by chance would have earned, judged by the choices that were made
CREATE OR REPLACE FUNCTION {s}.by_chance(first bigint, OUT snips float8, OUT snips_stderr float8)
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT (v.estimate).snips, (v.estimate).snips_stderr
    FROM  (SELECT {dlints}.dlints_policy_value(o.earned, o.probability, 1 / o.candidates::float8) AS estimate
           FROM   {s}.outcome o
           WHERE  o.arm = 'live' AND o.earned IS NOT NULL AND o.decision >= by_chance.first) v;
END;

-- What an event of an arm earned on average, with a standard error that knows that people come again
CREATE OR REPLACE FUNCTION {s}.earned(
    arm text, first bigint, OUT events bigint, OUT mean float8, OUT stderr float8, OUT people bigint)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH person AS (
        SELECT count(*) AS events, sum(o.earned) AS earned
        FROM   {s}.outcome o
        WHERE  o.arm = earned.arm AND o.decision >= earned.first AND o.earned IS NOT NULL
        GROUP  BY coalesce(o.context ->> {person_key}, o.decision::text))
    SELECT m.n, m.mean, m.stderr, m.people
    FROM  (SELECT array_agg(p.events::float8) AS events, array_agg(p.earned::float8) AS earned FROM person p) a,
           LATERAL {s}.mean_of(a.events, a.earned) m;
END;

-- Is it working?  An error is a standard error; what is said holds in 95 of 100 cases.
CREATE OR REPLACE FUNCTION {s}.report(since timestamptz DEFAULT now() - interval '7 days')
RETURNS TABLE (measure text, value float8, error float8, meaning text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
#variable_conflict use_column
DECLARE
    first  bigint := {s}.first_decision(since);
    share  float8 := (SELECT live FROM {s}.setting);
    model  record;
    x      record;
    y      record;
    more   float8;
    stderr float8;
    within float8;
BEGIN
    SELECT * INTO model FROM {s}.models WHERE name = 'reward';
    SELECT * INTO x FROM {s}.earned('live', first);
    SELECT e.*, i.*, sqrt(i.imitated * (1 - i.imitated) / i.n) AS imitation_error
    INTO   y FROM {s}.earned('present', first) e,
          (SELECT count(*) AS n, avg(imitated::integer) AS imitated
           FROM {s}.outcome WHERE arm = 'present' AND decision >= first) i;
    more := x.mean - y.mean;
    stderr := sqrt(x.stderr ^ 2 + y.stderr ^ 2);
    within := {s}.errors_of(least(x.people, y.people)) * stderr;
    RETURN QUERY VALUES
        ('share live', share, NULL::float8,
         'of the events are decided by the ranker from now on: go_live sets it');
    RETURN QUERY SELECT 'events', count(*)::float8, NULL::float8, 'ranked and shown since ' || since::date
    FROM   {s}.outcome WHERE decision >= first;
    RETURN QUERY VALUES
        ('earned by the ranker', x.mean, x.stderr, 'reward without price, an event'),
        ('earned by the present system', y.mean, y.stderr,
         'the same, where the caller''s first action was shown'),
        ('more than the present system', more, stderr, CASE
            WHEN within IS NULL OR NOT within > 0 THEN 'not known: it takes events of both, and rewards that differ'
            WHEN least(x.people, y.people) < 30
            THEN format('not known before 30 people came to each: now between %s and %s',
                        round((more - within)::numeric, 3), round((more + within)::numeric, 3))
            WHEN more > within THEN 'the ranker is better, and that is no accident'
            WHEN more < -within THEN 'the ranker is worse: does it know what the present system knows?'
            ELSE 'no difference that is more than chance: wait, or show more' END),
        ('present system imitated', y.imitated, y.imitation_error, CASE
            WHEN y.n < 100 THEN 'not known: it takes events that the present system decided'
            WHEN y.imitated + 2 * y.imitation_error < 0.6
            THEN 'the features do not say what the present system goes by, or it was not watched for long'
            WHEN y.imitated - 2 * y.imitation_error > 0.6
            THEN 'the features say what the present system goes by: go live with a small share'
            ELSE 'not known yet whether the features say what the present system goes by: watch on' END);

    -- known from events that could have been decided otherwise
    RETURN QUERY SELECT 'earned by chance', v.snips, v.snips_stderr,
           'an estimate of what a choice by chance would have earned'
    FROM   {s}.by_chance(first) v;

    SELECT avg(expected - reward) AS surplus, stddev_samp(expected - reward) / sqrt(count(reward)) AS stderr,
           avg(1 - probability) AS exploration
    INTO   x FROM {s}.outcome WHERE arm = 'live' AND decision >= first;
    RETURN QUERY VALUES
        ('expected and not earned', x.surplus, x.stderr, CASE
            WHEN x.stderr IS NULL THEN 'not known yet: too few events'
            ELSE 'how much more reward is expected of a choice than comes: near 0 is good' END),
        ('exploration', x.exploration, NULL,
         'the share of events that another draw would have decided otherwise; it falls by learning');

    RETURN QUERY SELECT * FROM {s}.kept(first) WHERE {has_promises};
    RETURN QUERY SELECT 'decisions to be learned', count(*)::float8, NULL::float8,
           CASE WHEN min(q.since) < now() - {wait}::interval - interval '1 hour'
                THEN 'some wait for hours: have cron call run()'
                ELSE 'beyond the wait, at this moment' END
    FROM   {s}.due q WHERE q.since < now() - {wait}::interval;
    RETURN QUERY SELECT * FROM {s}.troubles();
    RETURN QUERY SELECT 'rewards of unknown events', count(*)::float8, NULL::float8,
           'told an hour ago or more, of events that were never ranked, or never activated'
    FROM   {s}.reward r WHERE r.learned IS NULL AND r.at < now() - interval '1 hour'
    AND    NOT EXISTS (SELECT FROM {s}.decision d WHERE d.event = r.event AND d.active);
    RETURN QUERY VALUES ('observations in memory', model.effective_sample_size, NULL::float8,
        format('of %s; memory %s of %s is in use (1 is the shortest)', model.updates, model.memory, model.memories)
        || coalesce('. ' || model.hint, ''));
END
$body$;

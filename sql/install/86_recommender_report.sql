-- The report of a recommender -----------------------------------------------

CREATE FUNCTION dlints_recommender_report(words jsonb) RETURNS SETOF text
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
BEGIN
	RETURN QUERY SELECT dlints_recommender_fill(template, words) FROM unnest(ARRAY[
$t$
-- What was shown, and what came of it
CREATE OR REPLACE VIEW {s}.outcome AS
{outcome}
$t$,
$t$
-- The same from a decision on: the other months are not read.
CREATE OR REPLACE FUNCTION {s}.outcomes(first bigint) RETURNS SETOF {s}.outcome
LANGUAGE sql STABLE AS $body$
{outcome}
WHERE  d.id >= first AND s.decision >= first
$body$
$t$,
$t$
-- Why these: what each part of an item adds to what is expected of it by the models of today: its
-- columns, what is clicked along with it, and how popular it is; the largest first.  What has
-- never followed a click adds nothing.
CREATE OR REPLACE FUNCTION {s}.why(decision bigint)
RETURNS TABLE (item {key_type}, place integer, part text, contribution float8, stddev float8)
LANGUAGE sql STABLE AS $body$
SELECT s.item, s.place, e.name, sum(e.contribution), sqrt(sum(e.stddev ^ 2))
FROM   {s}.decision d JOIN {s}.shown s ON s.decision = d.id,
      (SELECT state FROM {s}.model WHERE name = 'personal'
       UNION ALL
       SELECT l.state FROM {s}.model l, {dlints}.dlints_info(l.state) i
       WHERE  l.name = 'later' AND i.mean_reward <> 0) m,
       {dlints}.dlints_explain(m.state, s.features, d.profile, {parts})
           WITH ORDINALITY e (name, contribution, stddev, n)
WHERE  d.id = why.decision
GROUP  BY s.item, s.place, e.n, e.name
ORDER  BY s.place, abs(sum(e.contribution)) DESC
$body$
$t$,
$t$
-- What a list of an arm earned on average, with a standard error that knows that people come
-- again; a session without a person counts as one.
CREATE OR REPLACE FUNCTION {s}.earned(
    arm text, since timestamptz, OUT lists bigint, OUT mean float8, OUT stderr float8)
LANGUAGE sql STABLE SET search_path = {path} SET jit = off AS $body$
WITH person AS (
    SELECT count(DISTINCT o.decision) AS lists, sum(o.reward) AS reward
    FROM   {s}.outcomes({s}.first_decision(since)) o
    WHERE  o.arm = earned.arm
    GROUP  BY o.person, CASE WHEN o.person IS NULL THEN o.decision END),
total AS (
    SELECT sum(lists) AS lists, sum(reward) / sum(lists) AS mean, count(*) AS people FROM person)
SELECT coalesce(max(t.lists), 0)::bigint, max(t.mean)::float8,
       (sqrt(sum((p.reward - p.lists * t.mean) ^ 2) * max(t.people) / nullif(max(t.people) - 1, 0))
        / max(t.lists))::float8
FROM   person p, total t
$body$
$t$,
$t$
-- How likely each place is looked at, in units of the first one: what was clicked there among
-- lists by chance, where each item is as likely at each place.  A place is looked at no more than
-- those before it, which leaves less to chance: the least of all means from a place before to
-- the best place after.
CREATE OR REPLACE FUNCTION {s}.places(since timestamptz DEFAULT now() - interval '90 days')
RETURNS TABLE (place integer, shown bigint, clicked bigint, looked_at float8, stderr float8)
LANGUAGE sql STABLE SET search_path = {path} SET jit = off AS $body$
WITH seen AS (
    SELECT o.place, count(*) AS shown, count(*) FILTER (WHERE o.clicked) AS clicked
    FROM   {s}.outcomes({s}.first_decision(since)) o
    WHERE  o.arm = 'chance'
    GROUP  BY o.place),
upto AS (
    SELECT s.*, sum(shown) OVER w AS all_shown, sum(clicked) OVER w AS all_clicked
    FROM   seen s WINDOW w AS (ORDER BY place)),
best AS (
    SELECT b.place, max((b.all_clicked - a.all_clicked + a.clicked)
                        / (b.all_shown - a.all_shown + a.shown))
                    OVER (PARTITION BY a.place ORDER BY b.place DESC) AS mean
    FROM   upto a JOIN upto b ON a.place <= b.place),
fitted AS (
    SELECT place, min(mean)::float8 AS mean, nullif(max(min(mean)) OVER (), 0)::float8 AS first
    FROM   best GROUP BY place)
SELECT s.place, s.shown, s.clicked, greatest(f.mean, 0.01 * f.first) / f.first,
       CASE WHEN s.place > 1 THEN
           sqrt(f.mean * (1 - f.mean) / s.shown
                + f.mean ^ 2 * (1 - f.first) / f.first / max(s.shown) OVER ()) / f.first
       ELSE 0 * f.first END
FROM   seen s JOIN fitted f USING (place)
ORDER  BY s.place
$body$
$t$,
$t$
-- Is it working?  Errors are standard errors.
CREATE OR REPLACE FUNCTION {s}.report(since timestamptz DEFAULT now() - interval '7 days')
RETURNS TABLE (measure text, value float8, error float8, meaning text)
LANGUAGE plpgsql STABLE SET search_path = {path} SET jit = off AS $body$
#variable_conflict use_column
DECLARE
    first    bigint := {s}.first_decision(since);
    personal record := {s}.earned('personal', since);
    control  record := {s}.earned('control', since);
    chance   record := {s}.earned('chance', since);
    times    float8 := personal.mean / nullif(control.mean, 0);
    stderr   float8 := times * sqrt((personal.stderr / nullif(personal.mean, 0)) ^ 2
                                    + (control.stderr / nullif(control.mean, 0)) ^ 2);
    x        record;
BEGIN
    SELECT count(DISTINCT person) AS people, count(*) AS lists INTO x
    FROM   {s}.decision WHERE id >= first;
    RETURN QUERY VALUES
        ('people', x.people::float8, NULL::float8, 'who came since ' || since::date),
        ('decisions', x.lists, NULL, 'lists that were shown'),
        ('reward of a decision', personal.mean, personal.stderr,
         format('what a personal list earned; there were %s', personal.lists)),
        ('reward of a decision, control', control.mean, control.stderr,
         format('what a list of the most popular items earned; there were %s', control.lists)),
        ('reward of a decision, chance', chance.mean, chance.stderr,
         format('what a list by chance earned; there were %s, to judge by', chance.lists)),
        ('times the control', times, stderr, CASE
            WHEN stderr IS NULL THEN 'not known yet: both kinds of lists have to earn something'
            WHEN times - 2 * stderr > 1 THEN 'personal lists are better, and that is no accident'
            WHEN times + 2 * stderr < 1 THEN 'personal lists are worse: give it columns that matter'
            ELSE 'no difference that could not be chance: wait for more visits' END);

    SELECT nullif(regr_slope(reward, promise), 0) AS slope,
           sqrt(greatest(0, regr_syy(reward, promise)
                 - regr_sxy(reward, promise) ^ 2 / nullif(regr_sxx(reward, promise), 0))
                / nullif(greatest(count(*) - 2, 0), 0)
                / nullif(regr_sxx(reward, promise), 0)) AS stderr
    INTO   x FROM {s}.outcomes(first) o,
                  LATERAL (SELECT o.expected * {s}.looked_at(o.place) AS promise) p
    WHERE  arm = 'personal';
    RETURN QUERY VALUES ('calibration', x.slope, x.stderr, CASE
        WHEN x.stderr IS NULL OR x.stderr = 0 OR x.stderr > 0.5
        THEN 'not known yet: too little was clicked'
        WHEN x.slope + 2 * x.stderr < 0.5
        THEN 'the model promises too much, as it does in its first days; later: name fewer columns'
        ELSE 'what personal lists promise comes true: 1 is exact, a little less is usual' END);

    SELECT avg(1 - probability) FILTER (WHERE arm = 'personal') AS exploration,
           count(DISTINCT item)::float8 / nullif((SELECT count(*) FROM {s}.item_vector), 0)
           AS coverage
    INTO   x FROM {s}.outcomes(first);
    RETURN QUERY VALUES
        ('exploration', x.exploration, NULL::float8,
         'the share of places that another draw would have filled otherwise; it falls with time'),
        ('coverage', x.coverage, NULL, 'the share of all items that was shown');

    SELECT count(*) AS due, round(date_part('epoch', now() - min(d.at)) / 60) AS minutes
    INTO   x FROM {s}.due q JOIN {s}.decision d ON d.id = q.decision
    WHERE  q.decision < {s}.first_decision(now() - interval {wait});
    RETURN QUERY VALUES ('decisions to be learned', x.due::float8, NULL::float8, CASE
        WHEN x.minutes > 60 + date_part('epoch', interval {wait}) / 60
        THEN format('the oldest is of %s minutes ago: have cron call run()', x.minutes)
        ELSE 'as run() finds them' END);
    RETURN QUERY SELECT 'rewards of unknown decisions', count(*)::float8, NULL::float8,
           'told an hour ago or more: look at the application if they are many'
    FROM   {s}.reward r WHERE r.learned IS NULL AND r.at < now() - interval '1 hour'
    AND    NOT EXISTS (SELECT FROM {s}.decision d WHERE d.id = r.decision);

    RETURN QUERY SELECT 'items without a vector', count(*)::float8, NULL::float8,
           'encoded at each request: run() makes vectors within the hour'
    FROM   {items} i WHERE NOT EXISTS (SELECT FROM {s}.item_vector v WHERE v.item = i.{key});
    RETURN QUERY SELECT 'days since the vectors were fitted', date_part('epoch', age) / 86400,
           NULL::float8, CASE WHEN age > interval '8 days' THEN 'overdue: have cron call run()'
                              ELSE 'run() fits them every week' END
    FROM  (SELECT now() - done_at AS age FROM {s}.job WHERE name = 'refit') j;
    RETURN QUERY SELECT 'observations in memory', i.effective_sample_size, NULL::float8,
           concat_ws('. ', format('of %s; memory %s of %s is in use, 1 being the shortest',
                                  i.updates, i.memory, i.memories), i.hint)
    FROM   {s}.models i WHERE i.name = 'personal';
END
$body$
$t$]) template;
END
$$;
COMMENT ON FUNCTION dlints_recommender_report(jsonb)
	IS 'the statements that make a recommender''s report';

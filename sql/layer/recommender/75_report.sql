-- What was shown, and what came of it.  Rewards are looked up once for a decision, and not for each item.  A click
-- that was taken back is none.
CREATE OR REPLACE VIEW {s}.outcome AS
SELECT s.decision, s.person, s.arm, s.at, s.item, s.place, s.probability, s.expected,
       r.clicked, r.reward, s.session, s.context
FROM   {s}.listed s
       CROSS JOIN LATERAL (SELECT array_agg(r.item) AS items, array_agg(r.outcome) AS outcomes,
                                  array_agg(r.value) AS values
                           FROM   {s}.reward r WHERE r.decision = s.decision) t
       CROSS JOIN LATERAL (SELECT coalesce(bool_or(r.outcome = {first}
                                                   AND (r.value <> 0 OR CASE r.outcome {worths} END = 0)), false)
                                      AS clicked,
                                  coalesce(sum(r.value), 0) AS reward
                           FROM   unnest(t.items, t.outcomes, t.values) r (item, outcome, value)
                           WHERE  r.item {same_item} s.item) r;

-- The same from a decision on: the other months are not read.
CREATE OR REPLACE FUNCTION {s}.outcomes(first bigint) RETURNS SETOF {s}.outcome LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT o.* FROM {s}.outcome o WHERE o.decision >= outcomes.first;
END;

-- Why these: what each part of an item adds to what is expected of it by the models of today: its
-- columns, what is clicked along with it, and how popular it is; the largest first.  What has
-- never followed a click adds nothing.
CREATE OR REPLACE FUNCTION {s}.why(decision bigint)
RETURNS TABLE (item {item_type}, place integer, part text, contribution float8, stddev float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT s.item, s.place, e.name, sum(e.contribution), sqrt(sum(e.stddev ^ 2))
    FROM  (SELECT s.item, s.place, s.learned_as AS features, s.profile FROM {s}.listed s
           WHERE  s.decision = why.decision OFFSET 0) s,
          (SELECT p.state FROM {s}.model p WHERE p.name = 'personal'
           UNION ALL
           SELECT l.state FROM {s}.model l, {dlints}.dlints_info(l.state) i
           WHERE  l.name = 'later' AND i.mean_reward <> 0) m,
           {dlints}.dlints_explain(m.state, s.features::{vector}, s.profile::{vector}, {parts})
               WITH ORDINALITY e (name, contribution, stddev, n)
    GROUP  BY s.item, s.place, e.n, e.name
    ORDER  BY s.place, abs(sum(e.contribution)) DESC;
END;

REVOKE EXECUTE ON FUNCTION {s}.why FROM PUBLIC;

-- What a list of an arm earned on average, pages after it included, with a standard error that knows that
-- people, and sessions, come again
CREATE OR REPLACE FUNCTION {s}.earned(
    arm text, since timestamptz, OUT lists bigint, OUT mean float8, OUT stderr float8, OUT people bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off
BEGIN ATOMIC
    WITH person AS (
        SELECT count(DISTINCT o.decision) FILTER (WHERE NOT o.context ? 'after') AS lists, sum(o.reward) AS reward
        FROM   {s}.outcomes({s}.first_decision(since)) o
        WHERE  o.arm = earned.arm
        GROUP  BY o.person, CASE WHEN o.person IS NULL THEN coalesce(o.session, o.decision::text) END)
    SELECT m.n, m.mean, m.stderr, m.people
    FROM  (SELECT array_agg(p.lists::float8) AS lists, array_agg(p.reward::float8) AS rewards FROM person p) a,
           LATERAL {s}.mean_of(a.lists, a.rewards) m;
END;

-- How likely each place is looked at, in units of the first one: what was clicked there among
-- lists by chance, where each item is as likely at each place.  A place is looked at no more than
-- those before it, which leaves less to chance: the least of all means from a place before to
-- the best place after.  Next pages, and boxes beside an item, have places of their own.
CREATE OR REPLACE FUNCTION {s}.places(since timestamptz DEFAULT now() - interval '90 days')
RETURNS TABLE (place integer, shown bigint, clicked bigint, looked_at float8, stderr float8)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off
BEGIN ATOMIC
    WITH seen AS (
        SELECT o.place, count(*) AS shown, count(*) FILTER (WHERE o.clicked) AS clicked
        FROM   {s}.outcomes({s}.first_decision(since)) o
        WHERE  o.arm = 'chance' AND NOT o.context ?| '{more_like,trending,after}'
        GROUP  BY o.place),
    upto AS (
        SELECT s.*, sum(s.shown) OVER w AS all_shown, sum(s.clicked) OVER w AS all_clicked
        FROM   seen s WINDOW w AS (ORDER BY s.place)),
    best AS (
        SELECT b.place, max((b.all_clicked - a.all_clicked + a.clicked)
                            / (b.all_shown - a.all_shown + a.shown))
                        OVER (PARTITION BY a.place ORDER BY b.place DESC) AS mean
        FROM   upto a JOIN upto b ON a.place <= b.place),
    fitted AS (
        SELECT b.place, min(b.mean)::float8 AS mean, nullif(max(min(b.mean)) OVER (), 0)::float8 AS first
        FROM   best b GROUP BY b.place)
    SELECT s.place, s.shown, s.clicked, greatest(f.mean, 0.01 * f.first) / f.first,
           CASE WHEN s.place > 1 THEN
               sqrt(c.mean * (1 - c.mean) / s.shown
                    + f.mean ^ 2 * (1 - f.first) / f.first / max(s.shown) OVER ()) / f.first
           ELSE 0 * f.first END
    FROM   seen s JOIN fitted f ON f.place = s.place,
           LATERAL (SELECT greatest(f.mean, 0.5 / s.shown) AS mean) c   -- no clicks are half a one, which may come yet
    ORDER  BY s.place;
END;

-- Is it working?  Errors are standard errors; what is said holds in 95 of 100 cases.
CREATE OR REPLACE FUNCTION {s}.report(since timestamptz DEFAULT now() - interval '7 days')
RETURNS TABLE (measure text, value float8, error float8, meaning text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
#variable_conflict use_column
DECLARE
    first    bigint := {s}.first_decision(since);
    personal record;
    control  record;
    chance   record;
    trending record;
    times    float8;
    relative float8;                    -- error of the logarithm of times, which is nearly normal
    within   float8;
    range    text;
    dropped  text := {s}.dropped();
    there    record;
    x        record;
BEGIN
    SELECT * INTO personal FROM {s}.earned('personal', since);
    SELECT * INTO control FROM {s}.earned('control', since);
    SELECT * INTO chance FROM {s}.earned('chance', since);
    SELECT * INTO trending FROM {s}.earned('trending', since);
    times := personal.mean / nullif(control.mean, 0);
    relative := sqrt((personal.stderr / nullif(personal.mean, 0)) ^ 2
                     + (control.stderr / nullif(control.mean, 0)) ^ 2);
    within := {s}.errors_of(least(control.people, personal.people)) * relative;
    within := exp(CASE WHEN within > 100 THEN 100 ELSE within END);     -- NULL: not known, and least() would say 100
    range := format('between %s and %s, by %s people of the control',
                    round((times / within)::numeric, 2), round((times * within)::numeric, 2), control.people);
    SELECT count(*) AS people, coalesce(sum(d.lists), 0) AS lists INTO x
    FROM  (SELECT count(*) AS lists FROM {s}.decision WHERE id >= first
           GROUP  BY person, CASE WHEN person IS NULL THEN coalesce(session, id::text) END) d;
    RETURN QUERY VALUES
        ('people', x.people::float8, NULL::float8, 'and sessions of nobody known, since ' || since::date),
        ('decisions', x.lists::float8, NULL, 'lists that were shown'),
        ('reward of a decision', personal.mean, personal.stderr,
         format('what a personal list earned; there were %s', personal.lists)),
        ('reward of a decision, control', control.mean, control.stderr,
         format('what a list of the most popular items earned; there were %s', control.lists)),
        ('reward of a decision, chance', chance.mean, chance.stderr,
         format('what a list by chance earned; there were %s, to judge by', chance.lists)),
        ('times the control', times, times * relative, CASE
            WHEN within IS NULL OR NOT relative > 0 OR least(personal.mean, control.mean) < 0
            THEN 'not known yet: both kinds of lists have to earn something'
            WHEN control.people < 30 THEN 'not known before 30 people of the control came: now ' || range
            WHEN times / within > 1 THEN 'personal lists are better, and that is no accident: ' || range
            WHEN times * within < 1 THEN 'personal lists are worse, and that is no accident: ' || range
                                         || '. Give it columns that matter'
            ELSE 'no difference that could not be chance: ' || range END);
    IF trending.lists > 0 THEN
        RETURN QUERY VALUES ('reward of a decision, trending', trending.mean, trending.stderr,
            format('what a list of what trends earned; there were %s', trending.lists));
    END IF;

    SELECT slope, stderr, slope - 2 * stderr AS least, slope + 2 * stderr AS most INTO x
    FROM  (SELECT regr_slope(reward, promise) AS slope,
                  sqrt(greatest(0, regr_syy(reward, promise)
                        - regr_sxy(reward, promise) ^ 2 / nullif(regr_sxx(reward, promise), 0))
                       / nullif(greatest(count(*) - 2, 0), 0)
                       / nullif(regr_sxx(reward, promise), 0)) AS stderr
           FROM   {s}.contrast c, {s}.outcomes(greatest(first, {s}.first_decision(c.since))) o,
                  LATERAL (SELECT o.expected * {s}.looked_at(o.place) AS promise) p
           WHERE  arm = 'personal') s;      -- of lists of one kind
    RETURN QUERY VALUES ('calibration', nullif(x.slope, 0), x.stderr, CASE
        WHEN x.stderr IS NULL OR x.stderr = 0 OR x.stderr > 0.5
        THEN 'not known yet: too little was clicked'
        WHEN x.most < 0.5
        THEN 'the model promises too much, as it does in its first days; later: name fewer columns'
        WHEN x.least > 1.5 THEN 'the model promises too little: what it likes is better than it says'
        WHEN x.least > 0.5 AND x.most < 1.5
        THEN 'what personal lists promise comes true: 1 is exact, a little less is usual'
        ELSE format('not known yet: between %s and %s, and 1 is exact',
                    round(x.least::numeric, 2), round(x.most::numeric, 2)) END);

    SELECT avg(1 - probability) AS exploration INTO x FROM {s}.outcomes(first) WHERE arm = 'personal';
    RETURN QUERY VALUES
        ('exploration', x.exploration, NULL::float8,
         'the share of places that another draw would have filled otherwise; it falls with time');
    -- what has gone counts neither as shown nor as there
    IF dropped IS NULL THEN
        SELECT count(*) AS items, count(s.item)::float8 / nullif(count(*), 0) AS coverage INTO there
        FROM  (SELECT DISTINCT i.item FROM {s}.item i WHERE i.item IS NOT NULL) i
               LEFT JOIN (SELECT DISTINCT o.item FROM {s}.outcomes(first) o) s ON s.item {same_item} i.item;
        RETURN QUERY VALUES ('coverage', there.coverage, NULL::float8, 'the share of all items that was shown');
    ELSE
        RETURN QUERY VALUES ('coverage', NULL::float8, NULL::float8, 'none: ' || dropped);
    END IF;

    SELECT count(*) AS due, round(date_part('epoch', now() - min(d.at)) / 60) AS minutes
    INTO   x FROM {s}.due q JOIN {s}.decision d ON d.id = q.decision
    WHERE  q.decision < {s}.first_decision(now() - {wait}::interval);
    RETURN QUERY VALUES ('decisions to be learned', x.due::float8, NULL::float8, CASE
        WHEN x.minutes > 60 + date_part('epoch', {wait}::interval) / 60
        THEN format('the oldest is of %s minutes ago: have cron call run()', x.minutes)
        ELSE 'as run() finds them' END);
    RETURN QUERY SELECT * FROM {s}.kept(first) WHERE {has_promises};
    RETURN QUERY SELECT * FROM {s}.troubles();
    RETURN QUERY SELECT 'rewards of unknown decisions', count(*)::float8, NULL::float8,
           'told an hour ago or more: look at the application if they are many'
    FROM   {s}.reward r WHERE r.learned IS NULL AND r.at < now() - interval '1 hour'
    AND    NOT EXISTS (SELECT FROM {s}.decision d WHERE d.id = r.decision);

    RETURN QUERY SELECT 'rewards of items that were not shown', count(*)::float8, NULL::float8,
           'of known decisions: nothing is learned from them; look at the application'
    FROM   {s}.reward r JOIN {s}.decision d ON d.id = r.decision
    WHERE  r.decision >= first AND d.id >= first AND r.item {same_item} ANY (d.items) IS NOT TRUE;

    IF dropped IS NULL THEN
        RETURN QUERY SELECT 'items weighed for a list', avg(coalesce(d.weighed, there.items))::float8,
               NULL::float8, CASE
                   WHEN NOT EXISTS (SELECT FROM {s}.block)
                   THEN 'all items: they are few, or not found by an index of their key'
                   WHEN {has_bonus} THEN 'all items: a bonus can lift any of them'
                   ELSE format('of %s: the best by what is expected of them and by {draws} draws', there.items) END
        FROM   {s}.decision d WHERE d.id >= first AND d.arm = 'personal';
        RETURN QUERY SELECT 'items without a vector', count(*)::float8, NULL::float8, CASE
                   WHEN EXISTS (SELECT FROM {s}.block) THEN 'run() makes vectors, and until then few of them are shown'
                   ELSE 'encoded at each request until run() makes vectors' END
        FROM   {s}.item i WHERE NOT EXISTS (SELECT FROM {s}.item_vector v WHERE v.item {same_item} i.item);
    END IF;
    RETURN QUERY SELECT 'days since the vectors were fitted', date_part('epoch', now() - j.fitted_at) / 86400,
           NULL::float8, CASE
               WHEN j.fitted_at IS NULL THEN 'what they are made of was changed: the next run() fits them'
               WHEN j.fitted_at < now() - interval '8 days' THEN 'overdue: have cron call run()'
               ELSE 'run() fits them every week' END
    FROM  (SELECT CASE WHEN isfinite(done_at) THEN done_at END AS fitted_at FROM {s}.job WHERE name = 'refit') j;
    RETURN QUERY SELECT v.measure, v.value, NULL::float8, v.meaning
    FROM   {s}.likeness l, LATERAL (VALUES
        ('half-life of a person''s clicks', l.half_life,
         'days after which a click of a person counts half; none: all count the same'),
        ('half-life of what is popular', l.popular_half_life,
         'days after which a click counts half for how popular its item is')) v (measure, value, meaning);
    RETURN QUERY SELECT 'observations in memory', i.effective_sample_size, NULL::float8,
           concat_ws('. ', format('of %s; memory %s of %s is in use, 1 being the shortest',
                                  i.updates, i.memory, i.memories), i.hint)
    FROM   {s}.models i WHERE i.name = 'personal';
END
$body$;

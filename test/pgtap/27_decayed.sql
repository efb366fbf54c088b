-- Sums of decayed clicks.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

SELECT plan(6);

-- User 1 clicks item 'a' twice within a day and once ten days earlier; two clicks on 'b' have no user.
CREATE TEMP TABLE click (user_id, item, day, weight) AS
VALUES (1, 'a'::text, 100.0::float8, 1.0::float8), (1, 'a', 99.5, 3.0), (1, 'a', 90.0, 1.0),
       (NULL, 'b', 98.0, 1.0), (NULL, 'b', 98.0, 1.0), (2, NULL, 95.0, 1.0), (2, 'a', 80.0, 2.0);

CREATE FUNCTION sums_of(of_item text, half_lives float8[], periods float8[]) RETURNS float8[] LANGUAGE sql
RETURN (SELECT d.sums FROM _dlints_decayed_clicks('SELECT user_id, item, day, weight FROM click', half_lives, periods)
                           d (item text, sums float8[]) WHERE d.item = of_item);

SELECT ok(abs((sums_of('a', '{10}', '{1}'))[1] - (3 + 0.5 + 2 * 0.25)) < 1e-12,
  'of a user''s clicks in a period, the newest time and the largest weight count');
SELECT ok(abs((sums_of('a', '{10}', '{0.1}'))[1] - (1 + 3 * 0.5 ^ 0.05 + 0.5 + 2 * 0.25)) < 1e-12,
  'clicks of a user in different periods count separately');
SELECT ok(abs((sums_of('b', '{1}', '{100}'))[1] - 2 * 0.25) < 1e-12, 'each click without a user counts');
SELECT is((SELECT count(*) FROM _dlints_decayed_clicks('SELECT user_id, item, day, weight FROM click', '{1}', '{1}')
                                d (item text, sums float8[])), 2::bigint, 'clicks without an item are skipped');
SELECT ok(abs((sums_of('a', '{10,20}', '{1,1}'))[2] - (3 + 0.5 ^ 0.5 + 2 * 0.5)) < 1e-12, 'each half-life has a sum');
SELECT throws_ok($$SELECT sums_of('a', '{10,20}', '{1}')$$, '2202E', 'half_lives and periods must have the same length',
  'arrays of different lengths raise an error');

SELECT * FROM finish();
ROLLBACK;

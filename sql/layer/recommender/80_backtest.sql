-- Would its first lists have found what people clicked then?  The last fifth of each person's clicks
-- is hidden, all is made anew of the rest, compared with what a few lines of SQL find, and gone again.
CREATE OR REPLACE FUNCTION {s}.backtest(people integer DEFAULT 300)
RETURNS TABLE (policy text, hit_rate float8, hit_rate_stderr float8, ndcg float8, ndcg_stderr float8, verdict text)
LANGUAGE sql VOLATILE
BEGIN ATOMIC
    SELECT b.policy, b.hit_rate, b.hit_rate_stderr, b.ndcg, b.ndcg_stderr, b.verdict
    FROM   {dlints}._dlints_backtest({name}, {every_click}, people) b;
END;

-- Every night: what sells (what customers found by themselves; what our lists sell, says little
-- of what they hide), on Sundays the vectors, and of the log three months are enough.
CREATE FUNCTION nightly() RETURNS void LANGUAGE sql AS $$
UPDATE product p SET sold = n.sold
FROM  (SELECT p.id, count(e.at)::real / greatest(max(count(e.at)) OVER (), 1) AS sold
       FROM   product p LEFT JOIN event e ON e.product_id = p.id AND e.found_by = 'search'
              AND e.at > now() - interval '14 days' GROUP BY p.id) n
WHERE  n.id = p.id AND n.sold <> p.sold;
SELECT refit() WHERE extract(isodow FROM now()) = 7;
DELETE FROM decision WHERE made_at < now() - interval '90 days'
$$;

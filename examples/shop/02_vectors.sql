-- A product is 57 numbers: what those who click it click besides (8), its columns, apart from
-- each other so that a model can tell which matter (48), and how well it sells (1).
ALTER TABLE product ADD factors real[], ADD sold real NOT NULL DEFAULT 0;   -- 1: the bestseller
ALTER TABLE product ADD features real[] NOT NULL GENERATED ALWAYS AS (
    coalesce(factors, array_fill(0::real, ARRAY[8]))
    || dlints_encode(16, 'category', category) || dlints_encode(16, 'brand', brand)
    || dlints_encode(8, 'price', width_bucket(ln(price), 1, 6, 5)::text)
    || dlints_encode(8, 'tags', tags, 'details', details) || sold) STORED;

-- The factors, from the clicks of three months.  New ones are turned to meet the old ones, so
-- that models go on.  A new product has none yet; its columns speak for it from the first minute.
CREATE FUNCTION refit() RETURNS void LANGUAGE sql AS $$
UPDATE product p SET factors = f.factors
FROM   dlints_factors('SELECT customer_id, product_id FROM event WHERE at > now() - interval ''90 days''', 8,
                      previous => 'SELECT id, factors FROM product') AS f (id integer, factors real[]) WHERE f.id = p.id
$$;

-- A customer is the sum of the last 50 events, the older the less; '{}' before the first one.
CREATE FUNCTION profile(customer integer) RETURNS real[] LANGUAGE sql STABLE AS $$
SELECT dlints_profile(p.features, 0.5 ^ (extract(epoch FROM now() - e.at)::float8 / 86400 / 14))
FROM  (SELECT * FROM event WHERE customer_id = customer ORDER BY at DESC LIMIT 50) e JOIN product p ON p.id = product_id
$$;

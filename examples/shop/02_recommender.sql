-- Ten products for each customer: in stock, not bought yet, at most three of a brand, and with the boosts
-- of campaigns.  Clicks on our own lists do not count as popularity: a list would confirm itself.
SELECT dlints_create_recommender('home', 'product', '{category, brand, price, tags, details}',
    clicks     => 'SELECT customer_id, product_id, at FROM event WHERE found_by = ''search''',
    candidates => 'i.stock > 0 AND NOT EXISTS (SELECT FROM event e WHERE e.customer_id = user_id
                                               AND e.product_id = i.id AND e.kind = ''purchase'')',
    outcomes   => '{"click": 1, "purchase": 1, "cancel": -1}',
    repeats    => true,            -- customers come back to products that they have looked at
    bonus      => 'i.boost', cap_group => 'i.brand', cap => 3);

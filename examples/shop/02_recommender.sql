-- Ten products for everybody: in stock, not bought already, at most three of a brand, those of a
-- campaign preferred.  Popular is what customers find by themselves: what a list shows, sells.
SELECT dlints_create_recommender('home', 'product', '{category, brand, price, tags, details}',
    clicks     => 'SELECT customer_id, product_id, at FROM event WHERE found_by = ''search''',
    candidates => 'i.stock > 0 AND NOT EXISTS (SELECT FROM event e WHERE e.customer_id = person
                                               AND e.product_id = i.id AND e.kind = ''purchase'')',
    outcomes   => '{"click": 1, "purchase": 1, "cancel": -1}',
    bonus      => 'i.boost', cap_group => 'i.brand', cap => 3);

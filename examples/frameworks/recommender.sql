-- The statements that make the recommender of these programs, for their migrations:
--
--     psql -X -At -f recommender.sql -o make_lists.sql
--
-- They are of the version of dlints that writes them; so keep the file with the migration.
SELECT dlints_scaffold('lists', 'product', '{category,brand,price}', candidates => 'i.in_stock');

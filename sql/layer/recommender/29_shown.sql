-- The log, an item a row
CREATE OR REPLACE VIEW {s}.listed AS
SELECT d.id AS decision, d.person, d.session, d.arm, d.at, {dlints}.dlints_unpack(d.profile) AS profile,
       i.item, i.place::integer, i.probability, i.expected,
       {dlints}.dlints_unpack(d.features, i.place) AS features, d.context,
       CASE WHEN (SELECT c.is_on FROM {s}.contrast c)
            THEN {dlints}.dlints_contrast(d.features, i.place, {places})
            ELSE {dlints}.dlints_unpack(d.features, i.place) END AS learned_as
FROM   {s}.decision d,
       LATERAL unnest(d.items, d.probabilities, d.expected) WITH ORDINALITY i (item, probability, expected, place);

-- and without whose list it is: not made of the other one, which who reads this would lock behind it, and a
-- renewal before it
CREATE OR REPLACE VIEW {s}.shown AS
SELECT d.id AS decision, i.item, i.place::integer, i.probability, i.expected,
       {dlints}.dlints_unpack(d.features, i.place) AS features
FROM   {s}.decision d,
       LATERAL unnest(d.items, d.probabilities, d.expected) WITH ORDINALITY i (item, probability, expected, place);

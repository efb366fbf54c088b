-- What is tried reads the columns as the recommender does that there is.
CREATE VIEW {s}.encoded_item AS TABLE {tried}.encoded_item;

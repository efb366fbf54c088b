-- A model of every kind
CREATE TABLE model (name text PRIMARY KEY, state dlints);
INSERT INTO model VALUES
	('nothing', NULL),
	('fresh', dlints_new(3)),
	('fresh projected', dlints_new(65536, 7, seed => 9223372036854775807)),
	('lowest seed', dlints_new(10, 10, seed => -9223372036854775808)),
	('scale', dlints_new(50, 5, projection_scale => 1 / sqrt(50::float8))),
	('one dimension', learned(dlints_new(1), 1)),
	('identity', learned(dlints_new(12, discount => 0.97), 70)),
	('projected', learned(dlints_new(100, 10, discount => 0.995, seed => 3), 70)),
	('no forgetting', learned(dlints_new(9, discount => 1), 70)),
	('projected, no forgetting', learned(dlints_new(40, 20, discount => 1, ridge => 0.3), 70)),
	('large', learned(dlints_new(300, 120, exploration => 1.0 / 3), 70)),
	('matched, large', learned(dlints_new(50, interactions => 'matched'), 70)),
	('matched', learned(dlints_new(6, interactions => 'matched'), 70)),
	('matched, projected', learned(dlints_new(20, 5, seed => 12, interactions => 'matched',
		intercept => false), 70)),
	-- from the smallest to the largest allowed parameters
	('huge', dlints_update(dlints_new(3, ridge => 1e100, exploration => 1e100),
		ARRAY[1e50, -3e49, 7e-3]::float8[], 1e50)),
	('tiny', dlints_update(dlints_new(3, discount => 1e-100, ridge => 1e-100,
		exploration => 5e-324),
	                       ARRAY[1.5e-154, -2e-154, 0]::float8[], 1e-150)),
	('discount next to 1', learned(dlints_new(2, discount => 0.9999999999999999), 2)),
	('by time', learned(dlints_new(5, half_life => '3 days', memories => 2), 70)),
	('taken back', learned(dlints_new(5, half_life => '3 days'),
		70) - learned(dlints_new(5, half_life => '3 days'), 30)),
	('weighed', 0.1 * learned(dlints_new(5, memories => 4, noise => 0.5), 70));

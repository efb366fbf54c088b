# The memory of a session does not grow with the number of recommendations and updates.
use strict;
use warnings;

use DlintsTest 'sessions';
use Test::More;

plan skip_all => 'no /proc to read memory use from'
  unless -e "/proc/$$/status" && DlintsTest->slurp("/proc/$$/status") =~ /^RssAnon:/m;

plan skip_all => 'AddressSanitizer keeps memory that was freed' if $ENV{ASAN_OPTIONS};

# Maximum growth of private memory in kB: much less than a tenth of the allocated bytes
my $bound = 2048;

my $node = DlintsTest->node('main', conf => "jit = off\n");

$node->safe_psql('postgres', 'CREATE EXTENSION dlints');
DlintsTest->run_file($node, 'models.sql');
$node->safe_psql('postgres', q{
	CREATE TABLE item AS SELECT i AS id, numbers(60, i) AS features FROM generate_series(1, 30) i;
	-- large enough to be stored out of line
	CREATE TABLE model (name text, state dlints);
	INSERT INTO model VALUES ('home', dlints_new(60, 24));

	CREATE PROCEDURE serve(rounds integer) LANGUAGE plpgsql AS $$
	DECLARE
		best integer;
	BEGIN
		FOR round IN 1 .. rounds LOOP
			SELECT dlints_recommend(m.state, i.id, i.features) INTO STRICT best
			FROM model m, item i WHERE m.name = 'home';
			UPDATE model SET state = dlints_update(state, i.features, cos(round))
			FROM item i WHERE name = 'home' AND i.id = best;
			IF round % 500 = 0 THEN
				COMMIT;
			END IF;
		END LOOP;
	END $$;

	-- more projections than a session may keep
	CREATE PROCEDURE project(rounds integer) LANGUAGE plpgsql AS $$
	BEGIN
		FOR round IN 1 .. rounds LOOP
			PERFORM dlints_project(dlints_new(60, 24, seed => round),
				array_fill(1::real, ARRAY[60]));
		END LOOP;
	END $$;

	-- errors in the middle of work
	CREATE PROCEDURE fail(rounds integer) LANGUAGE plpgsql AS $$
	BEGIN
		FOR round IN 1 .. rounds LOOP
			BEGIN
				PERFORM dlints_evidence(state, features,
					CASE WHEN id = 20 THEN 'NaN'::float8 ELSE id END)
				FROM model, item;
			EXCEPTION WHEN numeric_value_out_of_range THEN
				NULL;
			END;
		END LOOP;
	END $$;
});

# Private memory of a process, and its peak, which includes memory that a statement frees at its end
sub memory
{
	my ($pid) = @_;
	my $status = DlintsTest->slurp("/proc/$pid/status");

	return map { $status =~ /^$_:\s+(\d+) kB/m } 'RssAnon', 'VmHWM';
}

# Growth of a session during a statement, after one execution to warm up.  The peak includes shared memory, so it is
# used for statements that do not write.
sub grows_little
{
	my ($name, $warm_up, $statement, $with_peak) = @_;
	my $session = DlintsTest->session($node);
	my $pid = $session->query_safe('SELECT pg_backend_pid()');

	$session->query_safe("SET dlints.projection_cache_size = '1MB'; SET dlints.model_cache_size = '1MB'");
	$session->query_safe($warm_up);
	my @before = memory($pid);
	$session->query_safe($statement);
	my @after = memory($pid);
	$session->quit;
	cmp_ok($after[0] - $before[0], '<', $bound, $name);
	cmp_ok($after[1] - $before[1], '<', $bound, "$name: at its peak") if $with_peak;
	return;
}

# A statement that repeats a call
sub stays_flat
{
	my ($name, $statement, $few, $many) = @_;

	grows_little($name, sprintf($statement, $few), sprintf($statement, $many));
	return;
}

sub stays_low
{
	my ($name, $statement, $few, $many) = @_;

	grows_little($name, sprintf($statement, $few), sprintf($statement, $many), 1);
	return;
}

stays_flat('8,000 recommendations and updates', 'CALL serve(%d)', 1000, 8000);
is(DlintsTest->updates($node, 'home'), 9000, 'the model counts each of 9,000 updates');
stays_flat('10,000 projections, most of them forgotten', 'CALL project(%d)', 500, 10000);
stays_flat('5,000 errors', 'CALL fail(%d)', 500, 5000);

# Within one statement: memory of a row must be freed
stays_low('300,000 predictions in one statement',
	'SELECT count(dlints_predict(state, features)) FROM model, item, generate_series(1, %d)', 100,
		10000);
stays_low('draws from 10,000 models in one statement',
	'SELECT count(dlints_draw(dlints_set(state, ridge => i))) FROM model, generate_series(1, %d) i',
		100, 10000);
stays_low('5,000 choices by ucb',
	q{SELECT count((SELECT dlints_recommend(m.state, id, features) FROM item WHERE g IS NOT NULL))
	  FROM (SELECT dlints_set(state, policy => 'ucb') AS state FROM model OFFSET 0) m,
		generate_series(1, %d) g}, 100, 5000);
stays_low('evidence of 150,000 rows',
	'SELECT dlints_evidence(state, features, i) FROM model, item, generate_series(1, %d) i', 100,
		5000);
stays_low('100,000 updates of a variable, looked at, copied, and with errors', q{
	DO $$
	DECLARE
		x real[] := (SELECT features FROM item WHERE id = 1);
		s dlints := (SELECT state FROM model);
		other dlints;
		expected double precision;
	BEGIN
		FOR i IN 1 .. %d LOOP
			s := dlints_update(s, x, i);
			CONTINUE WHEN i %% 20 > 0;
			expected := dlints_predict(s, x);
			other := s;
			BEGIN
				s := dlints_update(s, '{1}'::real[], i);
			EXCEPTION WHEN data_exception THEN
				s := dlints_update(s, x, expected);
			END;
		END LOOP;
	END $$}, 2000, 100000);
stays_low('3,000 groups in one statement',
	'SELECT count(*) FROM (SELECT dlints_recommend(state, id, features, 3)
	 FROM model, item, (SELECT generate_series(1, %d) AS g ORDER BY 1) s GROUP BY g) r', 100, 3000);

stays_low('3,000 decisions of one statement', q{
	SELECT count(*) FROM model m,
	(SELECT array_agg(id) AS ids, array_agg(features) AS features, array_agg((id % 7)::text) AS groups
	 FROM item) c, generate_series(1, %d) g,
	LATERAL dlints_decide(m.state, c.ids, c.features, 3 + g % 2, draws => 10, cap_group => groups,
		cap => 1, similar_by => c.features, diversity => 0.5)}, 100, 3000);
# A separate profile for each user, stored out of line
$node->safe_psql('postgres', q{
	CREATE TABLE visitor AS
	SELECT i AS id, numbers(800, i) AS features FROM generate_series(1, 100) i;
	CREATE TABLE wide AS SELECT id, numbers(800, id) AS features FROM item;
	CREATE TABLE personal AS
	SELECT dlints_new(800, 24, seed => 1, interactions => 'matched') AS state});
for my $policy ('thompson', 'ucb')
{
	# sequential groups: groups that are open at the same time may need memory
	stays_low("2,000 users in one statement by $policy", qq{
		SET enable_hashagg = off;
		SET work_mem = '64kB';
		SELECT count(*) FROM (SELECT dlints_recommend(p.state, i.id, i.features, 3, v.features)
		FROM (SELECT dlints_set(state, policy => '$policy') AS state FROM personal OFFSET 0) p,
		     wide i, visitor v, generate_series(1, %d) g GROUP BY g, v.id) r}, 1, 20);
}
# LATERAL makes the users the innermost loop
stays_low('30,000 predictions, each for another user than the last', q{
	SELECT count(dlints_predict(p.state, i.features, v.features))
	FROM personal p, wide i, generate_series(1, %d) g,
	     LATERAL (SELECT features FROM visitor WHERE i.id + g > 0 OFFSET 0) v}, 1, 10);
stays_low('evidence of 30,000 rows with profiles', q{
	SELECT dlints_evidence(p.state, i.features, i.id, v.features)
	FROM personal p, wide i, visitor v, generate_series(1, %d)}, 1, 10);

# Successive fits, with users and items passed by reference
stays_low('50 times item vectors, with errors', q{
	DO $$
	BEGIN
		FOR round IN 1 .. %d LOOP
			PERFORM *
				FROM dlints_factors('SELECT i::text, (i * i %% 1000)::text
					FROM generate_series(1, 10000) i', 8) AS f (item text, features real[]);
			BEGIN
				PERFORM *
					FROM dlints_factors('SELECT i, i, 5000 - i FROM generate_series(1, 10000) i', 8)
					AS f (item integer, features real[]);
			EXCEPTION WHEN invalid_parameter_value THEN
				NULL;
			END;
		END LOOP;
	END $$}, 3, 50);

stays_low('a log beyond dlints.factors_memory', q{
	DO $$
	BEGIN
		SET LOCAL dlints.factors_memory = '1MB';
		PERFORM * FROM dlints_factors('SELECT generate_series(1, (SELECT %d)), 1', 8)
			AS f (item integer, features real[]);
	EXCEPTION WHEN configuration_limit_exceeded THEN
		NULL;
	END $$}, 100, 1000000);

stays_low('10,000 histories in one statement',
	'SELECT dlints_concat_agg(state) FROM model, generate_series(1, %d)', 100, 10000);
stays_low('600,000 encodings',
	q{SELECT count(dlints_encode(64, 'id', i::text, 'tags', ARRAY['a', g::text], 'n',
		i)) + count(dlints_encode(64, jsonb_build_object('id', i, 'tags', ARRAY['a', 'b'])))
	  FROM generate_series(1, 300) i, generate_series(1, %d) g}, 10, 1000);
stays_low('profiles of 300,000 rows',
	'SELECT dlints_profile(features), dlints_profile(features::float8[], i)
		FROM item, generate_series(1, %d) i', 100, 10000);
stays_low('1,000 profiles side by side, of 600 rows each', q{
	SET enable_sort = off;
	SELECT count(p) FROM (SELECT dlints_profile(features, id) AS p
		FROM item, generate_series(1, %d) i GROUP BY i %% 1000) g}, 1000, 20000);
stays_low('10,000 profiles one after the other', q{
	SET enable_hashagg = off;
	SET work_mem = '64kB';
	SELECT count(p) FROM (SELECT dlints_profile(features, id) AS p
		FROM (SELECT generate_series(1, %d) AS i ORDER BY 1) g, item GROUP BY i) p}, 100, 10000);
stays_low('300,000 candidates in one statement',
	'SELECT dlints_recommend_arms(state, id, features, 10), dlints_recommend_arms(state, id::text, features, 10)
		FROM model, item, generate_series(1, %d) i', 100, 10000);

$node->stop;
done_testing();

# The memory of a session stays flat, however often it recommends and learns.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use DlintsTest;
use Test::More;

plan skip_all => 'no /proc to read memory use from'
  unless -e "/proc/$$/status" && DlintsTest->slurp("/proc/$$/status") =~ /^RssAnon:/m;

plan skip_all => 'AddressSanitizer keeps memory that was freed'
  if $ENV{ASAN_OPTIONS};

# Private memory may grow by this many kB: much less than one byte in ten of
# what is allocated on the way.
my $bound = 2048;

my $node = DlintsTest->node('main', conf => "log_statement = none\njit = off\n");

$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION dlints;
	CREATE TABLE item (id integer, features real[]);
	INSERT INTO item
	SELECT i, ARRAY(SELECT sin(i * j)::real FROM generate_series(1, 60) j)
	FROM generate_series(1, 30) i;
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
			PERFORM dlints_project(dlints_new(60, 24, seed => round), array_fill(1::real, ARRAY[60]));
		END LOOP;
	END $$;

	-- errors in the middle of work
	CREATE PROCEDURE fail(rounds integer) LANGUAGE plpgsql AS $$
	BEGIN
		FOR round IN 1 .. rounds LOOP
			BEGIN
				PERFORM dlints_evidence(state, features, CASE WHEN id = 20 THEN 'NaN'::float8 ELSE id END)
				FROM model, item;
			EXCEPTION WHEN numeric_value_out_of_range THEN
				NULL;
			END;
		END LOOP;
	END $$;
});

sub private_memory
{
	my ($pid) = @_;
	my ($kilobytes) = DlintsTest->slurp("/proc/$pid/status") =~ /^RssAnon:\s+(\d+) kB/m;

	return $kilobytes;
}

# What a statement takes and gives back at its end shows here only
sub peak_memory
{
	my ($pid) = @_;
	my ($kilobytes) = DlintsTest->slurp("/proc/$pid/status") =~ /^VmHWM:\s+(\d+) kB/m;

	return $kilobytes;
}

# One session's growth over a statement, after one like it to warm up: of what
# it has, and of the most that it has had
sub growth
{
	my ($warm_up, $statement, $name) = @_;
	my $session = $node->background_psql('postgres');
	my $pid = $session->query_safe('SELECT pg_backend_pid()');

	$session->query_safe("SET dlints.projection_cache_size = '1MB'");
	$session->query_safe($warm_up);
	my @before = (private_memory($pid), peak_memory($pid));
	$session->query_safe($statement);
	my @growth = (private_memory($pid) - $before[0], peak_memory($pid) - $before[1]);
	note "$name: $before[0] kB, growth $growth[0] kB, of the peak $growth[1] kB";
	$session->quit;
	return @growth;
}

sub stays_flat
{
	my ($warm_up, $statement, $name) = @_;
	my ($growth) = growth($warm_up, $statement, $name);

	cmp_ok($growth, '<', $bound, $name);
	return;
}

# The same within the statement.  The peak counts shared memory too, so that
# this is for statements that write nothing.
sub stays_low
{
	my ($warm_up, $statement, $name) = @_;
	my ($growth, $peak) = growth($warm_up, $statement, $name);

	cmp_ok($growth, '<', $bound, $name);
	cmp_ok($peak, '<', $bound, "$name: at its peak");
	return;
}

stays_flat('CALL serve(1000)', 'CALL serve(20000)',
	'20,000 recommendations and updates');
is( $node->safe_psql(
		'postgres', 'SELECT (dlints_info(state)).updates FROM model'),
	21000,
	'and each update counts');
stays_flat('CALL project(500)', 'CALL project(10000)',
	'10,000 projections, most of them forgotten');
stays_flat('CALL fail(500)', 'CALL fail(5000)', '5,000 errors');

# Within one statement: what a row leaves behind must not add up
stays_low(
	'SELECT count(dlints_predict(state, features)) FROM model, item, generate_series(1, 100)',
	'SELECT count(dlints_predict(state, features)) FROM model, item, generate_series(1, 10000)',
	'300,000 predictions in one statement');
stays_low(
	'SELECT count(dlints_draw(dlints_set(state, ridge => i))) FROM model, generate_series(1, 100) i',
	'SELECT count(dlints_draw(dlints_set(state, ridge => i))) FROM model, generate_series(1, 10000) i',
	'draws from 10,000 models in one statement');
stays_low(
	q{SELECT count((SELECT dlints_recommend(m.state, id, features) FROM item WHERE g IS NOT NULL))
	 FROM (SELECT dlints_set(state, policy => 'ucb') AS state FROM model OFFSET 0) m, generate_series(1, 100) g},
	q{SELECT count((SELECT dlints_recommend(m.state, id, features) FROM item WHERE g IS NOT NULL))
	 FROM (SELECT dlints_set(state, policy => 'ucb') AS state FROM model OFFSET 0) m, generate_series(1, 5000) g},
	'5,000 choices by ucb');
stays_low(
	'SELECT dlints_evidence(state, features, i) FROM model, item, generate_series(1, 100) i',
	'SELECT dlints_evidence(state, features, i) FROM model, item, generate_series(1, 5000) i',
	'evidence of 150,000 rows');
stays_low(
	'SELECT count(*) FROM (SELECT dlints_recommend(state, id, features, 3)
	 FROM model, item, generate_series(1, 100) g GROUP BY g) r',
	'SELECT count(*) FROM (SELECT dlints_recommend(state, id, features, 3)
	 FROM model, item, (SELECT generate_series(1, 3000) AS g ORDER BY 1) s GROUP BY g) r',
	'3,000 groups in one statement');

# A shared context of its own for each user, out of line here
$node->safe_psql(
	'postgres', q{
	CREATE TABLE visitor (id integer, features float8[]);
	INSERT INTO visitor
	SELECT i, ARRAY(SELECT cos(i * j) FROM generate_series(1, 400) j)
	FROM generate_series(1, 100) i;
	CREATE TABLE personal AS
	SELECT dlints_new(60, 24, seed => 1, shared_dim => 400, intercept => true) AS state});
for my $policy ('thompson', 'ucb')
{
	my $choices = qq{
		SELECT count(*) FROM (SELECT dlints_recommend(p.state, i.id, i.features::float8[], v.features, 3)
		FROM (SELECT dlints_set(state, policy => '$policy') AS state FROM personal OFFSET 0) p,
		     item i, visitor v, generate_series(1, %d) g GROUP BY g, v.id) r};

	# one after the other: groups that are open together may take their room
	stays_low(
		'SET enable_hashagg = off; SET work_mem = \'64kB\';' . sprintf($choices, 1),
		'SET enable_hashagg = off; SET work_mem = \'64kB\';' . sprintf($choices, 20),
		"2,000 users in one statement by $policy");
}
# LATERAL makes the users the innermost loop
my $predictions = q{
	SELECT count(dlints_predict(p.state, i.features::float8[], v.features))
	FROM personal p, item i, generate_series(1, %d) g,
	     LATERAL (SELECT features FROM visitor WHERE i.id + g > 0 OFFSET 0) v};
stays_low(
	sprintf($predictions, 1),
	sprintf($predictions, 10),
	'30,000 predictions, each for another user than the last');
stays_low(
	'SELECT dlints_evidence(p.state, i.features::float8[], v.features, i.id) FROM personal p, item i, visitor v',
	'SELECT dlints_evidence(p.state, i.features::float8[], v.features, i.id) FROM personal p, item i, visitor v, generate_series(1, 10)',
	'evidence of 30,000 rows under shared contexts');

stays_low(
	'SELECT dlints_concat_agg(state) FROM model, generate_series(1, 100)',
	'SELECT dlints_concat_agg(state) FROM model, generate_series(1, 10000)',
	'10,000 histories in one statement');
stays_low(
	'SELECT dlints_top(id, id + i, 10), dlints_top(id::text, id + i, 10) FROM item, generate_series(1, 100) i',
	'SELECT dlints_top(id, id + i, 10), dlints_top(id::text, id + i, 10) FROM item, generate_series(1, 10000) i',
	'300,000 candidates in one statement');

$node->stop;
done_testing();

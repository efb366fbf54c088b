# Long calls end soon after a cancellation.
use strict;
use warnings;

use DlintsTest;
use Test::More;

# Each call works for half a second, and is then cancelled.  The remaining time is CPU time if the system provides
# it.  Since CPU time depends on the load, the limit is a multiple of a call that cannot be interrupted: filling the
# largest array below takes about .07 s.
my $timeout = 0.5;

my $node = DlintsTest->node('main');

$node->safe_psql('postgres', q{
	CREATE EXTENSION dlints;
	CREATE TABLE model (name text, state dlints);
	INSERT INTO model VALUES ('large', dlints_new(1024, 1024, intercept => false));
});

# SQL for the CPU seconds of a backend, in hundredths on Linux; elsewhere the time of day
my $counts = $node->safe_psql('postgres',
	q{SELECT coalesce(pg_read_file('/proc/self/stat', 0, 10000, true), '') ~ '^\d+ \('});

my $clock = $counts ne 't' ? 'extract(epoch FROM clock_timestamp())::float8'
	: q{(SELECT (f[12]::float8 + f[13]::float8) / 100
		FROM string_to_array(substring(pg_read_file('/proc/self/stat', 0, 10000) FROM '\) (.*)$'), ' ') AS f)};

# The limit: seven units, each the longest of the last three measurements
my @units;

sub soon
{
	push @units, $node->safe_psql('postgres', "SELECT $clock AS start \\gset\nSELECT cardinality(
		array_fill(0.5::real, ARRAY[30000, 1024])) \\g /dev/null\nSELECT $clock - :start;");
	shift @units if @units > 3;
	return 7 * (sort { $b <=> $a } @units)[0];
}

# Is a time short?  The unit is measured again if it seems to have changed
sub is_soon
{
	my ($seconds) = @_;

	return $seconds < 7 * (sort { $b <=> $a } @units)[0] || $seconds < soon();
}

soon() for 1 .. 2;

my $before = $node->safe_psql('postgres', 'SELECT md5(dlints_send(state)) FROM model');

# Each of these takes several times the limit
my %work = (
	'a batch' => q{
		SELECT (dlints_info(dlints_update_batch(dlints_new(1024, intercept => false),
			array_fill(0.5::real, ARRAY[30000, 1024]),
			array_fill(1::float8, ARRAY[30000])))).updates},
	'a batch with a projection' => q{
		UPDATE model SET state = dlints_update_batch(state,
			array_fill(0.5::real, ARRAY[30000, 1024]),
			array_fill(1::float8, ARRAY[30000]))},
	'evidence' => q{
		UPDATE model SET state = state || (
			SELECT dlints_evidence(state, array_fill(0.5::real, ARRAY[1024]), i)
			FROM generate_series(1, 1000000) i)},
	'a projection matrix that is kept' => q{
		SET dlints.projection_cache_size = '1GB';
		SELECT dlints_project(dlints_new(65536, 1024, seed => i),
			array_fill(0.5::real, ARRAY[65536]))
		FROM generate_series(1, 10) i},
	'a projection matrix that is not kept' => q{
		SET dlints.projection_cache_size = 0;
		SELECT dlints_project(dlints_new(65536, 1024, seed => i),
			array_fill(0.5::real, ARRAY[65536]))
		FROM generate_series(1, 10) i},
	'learning with a projection that is not kept' => q{
		SET dlints.projection_cache_size = 0;
		UPDATE model SET state = dlints_update_batch(state,
			array_fill(0.5::real, ARRAY[10000, 1024]),
			array_fill(1::float8, ARRAY[10000]))},
	'Fourier features' => q{
		SELECT dlints_fourier(array_fill(0.5::real, ARRAY[32768]), 32768, 1)},
	'an explanation' => q{
		SELECT count(*) FROM dlints_explain(dlints_new(65536, 1024), array_fill(0.5::real, ARRAY[65536]))},
	'the widths of ucb' => q{
		SELECT dlints_recommend(dlints_new(32768, 1024, policy => 'ucb', seed => i), 1,
			array_fill(0.5::real, ARRAY[32768])) FROM generate_series(1, 8) i GROUP BY i},
	'a click log that is read' => q{
		SELECT count(*)
			FROM dlints_factors('SELECT i, i % 1000 FROM (SELECT generate_series(1, 100000000) AS i) s',
				8) AS f (item integer, features real[])},
	'a click log of one user' => q{
		SELECT count(*) FROM dlints_factors('SELECT 1, i FROM generate_series(1, 2000000) i', 64)
			AS f (item integer, features real[])},
	'item vectors' => q{
		SELECT count(*)
			FROM dlints_factors('SELECT i, j FROM generate_series(1, 600) i, generate_series(1, 1000) j
				WHERE hashint4(i * 1000 + j) > 0', 256) AS f (item integer, features real[])},
	'neighbours of items' => q{
		SELECT count(*) FROM dlints_neighbours('SELECT i, j FROM generate_series(1, 600) i, generate_series(1, 1000) j
			WHERE hashint4(i * 1000 + j) > 0', 200) AS f (item integer, neighbours integer[], weights real[])},
	'a decision among many' => q{
		SELECT count(*) FROM model, (SELECT array_agg(i) AS items,
			array_agg(array_fill(0.5::real, ARRAY[1024])) AS features
			FROM generate_series(1, 10000) i) c,
			LATERAL dlints_decide(state, c.items, c.features, k => 10, draws => 10000)},
	'a decision under large draws' => q{
		SELECT count(*) FROM (SELECT array_agg(i) AS items,
			array_agg(array_fill(0.5::real, ARRAY[32768])) AS features
			FROM generate_series(1, 8) i) c,
			LATERAL dlints_decide(dlints_new(32768, 1024), c.items, c.features, draws => 10000)},
	'a decision by ucb' => q{
		SELECT count(*) FROM model, (SELECT array_agg(i) AS items,
			array_agg(array_fill(0.5::real, ARRAY[1024])) AS features
			FROM generate_series(1, 65536) i) c,
			LATERAL dlints_decide(dlints_set(state, policy => 'ucb'), c.items, c.features)},
	'a decision with caps among equals' => q{
		SELECT count(*) FROM (SELECT array_agg(i) AS items, array_agg('{1}'::real[]) AS features,
			array_agg((i % 20000)::text) AS groups FROM generate_series(1, 65536) i) c,
			LATERAL dlints_decide(dlints_new(1, exploration => 0), items, features, k => 20000,
			draws => 10000, cap_group => groups, cap => 2)},
	'a varied decision' => q{
		SELECT count(*) FROM (SELECT array_agg(i) AS items, array_agg('{1}'::real[]) AS features,
			array_agg(ARRAY[sin(i), cos(i)]::real[]) AS vectors FROM generate_series(1, 65536) i) c,
			LATERAL dlints_decide(dlints_new(1), items, features, k => 2000, draws => 1000,
			similar_by => vectors, diversity => 1)},
	'decisions by ucb' => q{
		SELECT count(*) FROM (SELECT dlints_set(state, policy => 'ucb') AS state FROM model) m,
			(SELECT array_agg(i) AS items, array_agg(array_fill(0.5::real, ARRAY[1024])) AS features
			FROM generate_series(1, 10000) i) c,
			LATERAL dlints_decide(state, c.items, c.features)},
	'draws' => q{
		SELECT count(dlints_draw(dlints_set(state, ridge => i)))
		FROM model, generate_series(1, 1000) i},
);

my $kept = q{SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'dlints projection' AND total_bytes > 1e8};

for my $what (sort keys %work)
{
	my ($status, $stdout, $stderr) = $node->psql('postgres', qq{
\\set ON_ERROR_STOP 0
\\set VERBOSITY sqlstate
SELECT $clock AS start
\\gset
SET dlints.factors_memory = '1TB';
SET statement_timeout = '${timeout}s';
$work{$what};
\\echo :SQLSTATE
SET statement_timeout = 0;
SELECT $clock - :start;
$kept;
SELECT dlints_predict(dlints_update(dlints_new(500, 2, discount => 1), x, 1), x) BETWEEN 0.5 AND 1.5
FROM array_fill(0.5::real, ARRAY[500]) x});
	my $worked = $stdout =~ s/\n([-\d.e]+)\n/\n/ ? $1 : 9**9**9;

	is($stdout, "57014\n0\nt", "statement_timeout stops $what, and the session goes on");
	ok(is_soon($worked - $timeout), "$what ends soon after its time is up") or diag "after $worked s, units of @units";
}

is($node->safe_psql('postgres', 'SELECT md5(dlints_send(state)) FROM model'),
	$before, 'cancelled statements change nothing');

$node->stop;
done_testing();

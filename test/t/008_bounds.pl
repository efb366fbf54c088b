# A session reads only the parts of a model that it needs, and its cache of projections is limited.
use strict;
use warnings;

use DlintsTest;
use Test::More;

my $node = DlintsTest->node('main', conf => "jit = off\n");
$node->safe_psql('postgres', 'CREATE EXTENSION dlints');

### Reads of a model's parts

# Two matrices of 361 kB each, out of line.  The mean needs one of them.
$node->safe_psql('postgres', q{
	CREATE TABLE large AS
	SELECT dlints_update(dlints_new(300, discount => 0.99, intercept => false),
	                     array_fill(1, ARRAY[300]), 1) AS state});

sub blocks_read
{
	my ($call) = @_;

	my ($blocks) = $node->safe_psql('postgres', qq{
		DO 'BEGIN PERFORM dlints_info(state) FROM large; END';
		EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, COSTS OFF, FORMAT json)
		SELECT $call FROM large}) =~ /"Shared Hit Blocks": (\d+)/;
	return $blocks;
}
my $mean = blocks_read('dlints_mean(state)');
my $draw = blocks_read('dlints_draw(state)');
cmp_ok($draw, '>', 361 * 2 / 8, 'a draw reads two matrices');
cmp_ok($mean, '<', 0.6 * $draw, 'the posterior mean one of them');

### Settings that are lowered

$node->safe_psql('postgres', q{
	CREATE FUNCTION kept(what text) RETURNS bigint VOLATILE LANGUAGE sql AS $$
		SELECT coalesce(sum(used_bytes), 0) / 1024
		FROM pg_backend_memory_contexts WHERE name = what $$});

# four matrices of 2 MB each, and the last one again
my $project = q{
	SELECT dlints_project(dlints_new(1024, 256, seed => i), array_fill(1, ARRAY[1024]))
	FROM generate_series(%s, 3) i};
my ($four, $last) = map { sprintf $project, $_ } 0, 3;
is($node->safe_psql('postgres', qq{
	\\o /dev/null
	$four;
	\\o
	SELECT kept('dlints projection') / 2048;
	\\o /dev/null
	SET dlints.projection_cache_size = '5MB'; $last;
	\\o
	SELECT kept('dlints projection') / 2048;
	\\o /dev/null
	SET dlints.projection_cache_size = 0; $last;
	\\o
	SELECT kept('dlints projection') / 2048}),
	"4\n2\n0",
	'less room for projections: matrices are forgotten');

$node->stop;
done_testing();

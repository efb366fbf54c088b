# The memory of a session's caches, and of a sort, is limited.
use strict;
use warnings;

use DlintsTest;
use Test::More;

my $node = DlintsTest->node('main', conf => "jit = off\n");
$node->safe_psql('postgres', 'CREATE EXTENSION dlints');

### Models rebuilt from a log, in one sorted pass

# The features of 20,000 contexts have 24 MB; as many trained models would have 600 MB.
$node->safe_psql('postgres', q{
	CREATE TABLE log AS
	SELECT t, array_fill(cos(t)::real, ARRAY[300]) AS x, sin(t) AS r
	FROM generate_series(1, 20000) t;
	ANALYZE log});
my ($written) = $node->safe_psql('postgres', q{
	SET work_mem = '64MB';
	EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, COSTS OFF, FORMAT json)
	SELECT dlints_evidence(dlints_new(300, 60), x, r ORDER BY t) FROM log})
  =~ /"Temp Written Blocks": (\d+)/;
is($written, 0, 'an empty model takes next to no room in a sort');

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

# a hundred models of 20 kB each; in the middle the setting is changed
my ($before, $after) = split /\|/, $node->safe_psql('postgres', q{
	CREATE TABLE model AS
	SELECT i, dlints_new(50, seed => i) AS state FROM generate_series(1, 100) i;
	SELECT max(kept), min(kept) FILTER (WHERE i > 60 AND width > 0) FROM (
		SELECT i, dlints_stddev(state, array_fill(1, ARRAY[50])) AS width,
		       CASE i WHEN 60 THEN
		         set_config('dlints.model_cache_size', '100kB', false) END,
		       kept('dlints model')
		FROM (SELECT * FROM model ORDER BY i) m OFFSET 0) s});
cmp_ok($before, '>', 60 * 20, 'models are kept while there is room');
cmp_ok($after, '<', 150, 'less room for models: they are forgotten');

# a hundred inline models of 50 kB each, which are cached; sorting makes them inline
my $in_line = $node->safe_psql('postgres', q{
	SET dlints.model_cache_size = '1MB';
	SELECT max(kept) FILTER (WHERE reward IS NOT NULL) FROM (
		SELECT dlints_predict(state, array_fill(1, ARRAY[50])) AS reward, kept('dlints model')
		FROM (SELECT dlints_update(dlints_new(50, seed => i), array_fill(i, ARRAY[50]), 1)
		             AS state
		      FROM generate_series(1, 100) i ORDER BY i) m OFFSET 0) s});
cmp_ok($in_line, '>', 500, 'models in line are kept');
cmp_ok($in_line, '<', 1100, '... as far as the setting goes');

$node->stop;
done_testing();

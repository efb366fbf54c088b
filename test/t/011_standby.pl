# A standby returns the same results as its primary, except draws.
use strict;
use warnings;

use DlintsTest;
use Test::More;

my $primary = DlintsTest->node('primary', allows_streaming => 1);
my $standby = DlintsTest->bare_node('standby');

$primary->safe_psql('postgres', 'CREATE EXTENSION dlints');
DlintsTest->run_file($primary, $_) for 'models.sql', 'kinds.sql';
$primary->backup('backup');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;

for my $when ('from a backup', 'after training')
{
	$primary->safe_psql('postgres', DlintsTest->train_all) if $when eq 'after training';
	$primary->wait_for_catchup($standby);
	for my $query (
		'SELECT name, md5(dlints_send(state)) FROM model ORDER BY name',
		q{SELECT name, dlints_predict(state, x, u), dlints_stddev(state, x, u), dlints_project(state, x, u)
		  FROM model, dlints_info(state) i, array_fill(0.1, ARRAY[i.dim]) x, array_fill(0.2, ARRAY[i.profile_dim]) u
		  WHERE state IS NOT NULL ORDER BY name},
		'SELECT name, md5(dlints_draw(state, 5)::text) FROM model ORDER BY name')
	{
		is($standby->safe_psql('postgres', $query), $primary->safe_psql('postgres', $query),
			"the standby has the same $when: " . substr($query, 0, 40));
	}
}

# First draws of sessions on both servers
my %draws = map { $_ => 1 } map {
	split /\n/,
	  $_->safe_psql('postgres', q{SELECT dlints_draw(state) FROM model, generate_series(1, 3) WHERE name = 'projected'})
} ($primary, $standby) x 5;
is(scalar(keys %draws), 30, 'draws without a seed differ, on one server and between servers');
is($standby->safe_psql('postgres', q{SELECT cardinality(dlints_recommend(state, i, numbers(12, i), 5))
	FROM model, generate_series(1, 100) i WHERE name = 'identity'}), 5, 'the standby recommends');

$standby->stop;
$primary->stop;
done_testing();

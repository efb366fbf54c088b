# Acknowledged rewards survive: sessions recommend, reward, rank, learn, run, alter, erase and rebuild at once, while
# statements are cancelled and server processes killed.  In the end each acknowledged reward is in the log and applied
# once, and the models equal those of a rebuild.
#
# DLINTS_LEDGER_SECONDS=3600 for longer; 8 is what make test takes.
use strict;
use warnings;

use DlintsTest;
use Test::More;
use Time::HiRes qw(sleep time);

my $seconds = $ENV{DLINTS_LEDGER_SECONDS} || 8;
my $node = DlintsTest->node('main', conf => q{
full_page_writes = on
fsync = on
restart_after_crash = on
jit = off
deadlock_timeout = '100ms'
});
my $tables = DlintsTest->included('recommender.sql');
my $folder = $node->basedir;

# Users from 5000 on are erased from time to time, and are not in the ledger.
$node->safe_psql('postgres', "CREATE EXTENSION dlints; $tables" . q{
	SELECT dlints_create_recommender('board', 'job', '{field,salary}', factors => 4, attribution_window => '1 second',
		clicks => 'SELECT who, job, at FROM visit', outcomes => '{"click": 1, "apply": 5}');
	SELECT dlints_create_ranker('offer', attribution_window => '1 second', repeated => 'last');});

# Statements of each kind of client, one per transaction.  psql prints a line of the ledger after the commit.
my %client = (
	visitor => sub {
		my $user = 1000 + int rand 50;
		my $outcome = rand() < 0.8 ? 'click' : 'apply';
		return qq{SELECT 'board', decision, item, '$outcome', board.reward(decision, item, '$outcome')
			FROM board.recommend($user, 5) WHERE "position" <= 2;};
	},
	late => sub {
		return q{SELECT 'board', decision, item, 'apply', board.reward(decision, item, 'apply')
			FROM board.impression JOIN board.decision d ON d.id = decision WHERE user_id < 5000 ORDER BY random() LIMIT 2;};
	},
	caller => sub {
		my $event = $$ . ' ' . int rand 1e9;
		return qq{SELECT 'offer', event_id, 1, 'reward', offer.reward(event_id, 1)
			FROM offer.rank('$event', '{"hour": 3}', '["a", "b", "c"]') WHERE "position" = 1;};
	},
	learner => sub {
		return (q{SELECT board.learn();}, q{CALL board.run();}, q{SELECT offer.learn();}, q{CALL offer.run();})[rand 4];
	},
	changer => sub {
		return (q{SELECT count(*) FROM board.recommend(5000, 3);}, q{SELECT board.erase(5000);}, q{SELECT board.rebuild();},
			q{SELECT offer.rebuild();}, q{SELECT board.warm_start();},
			sprintf(q{SELECT dlints_alter_recommender('board', '{"examination": [1, %.1f]}');}, 0.2 + 0.1 * int rand 8),
			sprintf(q{SELECT dlints_alter_recommender('board', '{"half_life": "%d days"}');}, 5 + rand 5))[rand 7];
	});

my $end = time + $seconds;
my @clients = ('visitor', 'visitor', 'late', 'caller', 'learner', 'changer');
my @workers;

for my $n (0 .. $#clients)
{
	my $pid = fork // die "fork: $!";
	if ($pid)
	{
		push @workers, $pid;
		next;
	}
	srand $n;
	for (my $part = 0; time < $end; $part++)
	{
		DlintsTest->spew("$folder/$n.sql", join "\n", map { $client{ $clients[$n] }->() } 1 .. 40);
		system "PGAPPNAME=client psql -X -A -t -q -d '" . $node->connstr('postgres') . "' -f $folder/$n.sql "
		  . ">>$folder/$n.out 2>>$folder/$n.err";
		sleep 0.1 if $?;
	}
	require POSIX;
	POSIX::_exit(0);
}

# Cancel a session, or kill it as the kernel does when memory runs out
my ($cancelled, $killed) = (0, 0);
for (my $step = 1; time < $end; $step++)
{
	sleep 0.3;
	# psql may end before it reads this, since the recovering server refuses connections
	my (undef, $pids) = eval { $node->psql('postgres',
		q{SELECT pid FROM pg_stat_activity WHERE application_name = 'client' AND state = 'active' ORDER BY random()}) };
	my ($pid) = grep { /^\d+$/ } split /\n/, $pids // '';
	next if !$pid;
	if ($step % 4)
	{
		$cancelled++ if kill INT => $pid;
	}
	else
	{
		$killed++ if kill KILL => $pid;
	}
}
waitpid $_, 0 for @workers;
# the server may still be recovering, and psql may fail as above
my $back;
for (1 .. 1000)
{
	$back = eval { $node->poll_query_until('postgres', 'SELECT true') };
	last if defined $back;
	sleep 0.1;
}
$back or die 'the server does not come back';

my @ledger = map { [ split /\|/ ] } grep { /^(board|offer)\|/ }
  map { split /\n/ } map { DlintsTest->slurp($_) } glob "$folder/*.out";
my %errors;
$errors{$_}++ for map { /ERROR:  (.*)/ ? $1 : () }
  map { split /\n/ } map { DlintsTest->slurp($_) } glob "$folder/*.err";
note scalar(@ledger) . " rewards were acknowledged, $cancelled statements cancelled, $killed processes killed";
note "$errors{$_} times: $_" for sort keys %errors;
cmp_ok(scalar @ledger, '>', 20 * $seconds / 15, 'rewards were acknowledged');
cmp_ok($cancelled, '>', 0, 'statements were cancelled');
cmp_ok($killed, '>', 0, 'processes were killed');
is(join("\n", grep { !/^canceling statement/ } sort keys %errors), '', 'no other error occurred');

DlintsTest->spew("$folder/ledger", join '', map { join("\t", @$_[ 0 .. 3 ]) . "\n" } @ledger);
$node->safe_psql('postgres', qq{
	SELECT board.learn('0'), offer.learn('0');
	CREATE TABLE ledger (schema text, decision text, item integer, outcome text);
	\\copy ledger FROM '$folder/ledger'});
is($node->safe_psql('postgres', q{
		SELECT count(*) FROM ledger l
		LEFT JOIN board.reward r ON r.decision::text = l.decision AND r.item = l.item AND r.outcome = l.outcome
		LEFT JOIN offer.reward o ON o.event = l.decision
		WHERE CASE schema WHEN 'board' THEN r.applied ELSE o.applied END IS DISTINCT FROM
		      CASE schema WHEN 'board' THEN r.value ELSE o.value END
		OR    CASE schema WHEN 'board' THEN r.value ELSE o.value END IS NULL}), 0, 'each acknowledged reward is applied');
is($node->safe_psql('postgres', q{SELECT (SELECT count(*) FROM board.pending) + (SELECT count(*) FROM offer.pending)
	+ (SELECT count(*) FROM board.quarantine) + (SELECT count(*) FROM offer.quarantine)}), 0,
	'no decision is pending or quarantined');
cmp_ok($node->safe_psql('postgres', "SELECT greatest(difference_from_log('board'), difference_from_log('offer'))"),
	'<', 1e-9, 'the models equal those of a rebuild');

$node->stop;
done_testing();

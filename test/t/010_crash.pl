# When the server crashes in the middle of a stream of rewards, the models hold
# exactly the rewards that were committed.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use DlintsTest 'sessions';
use DlintsStream;
use Test::More;

# It is processes that die here.  What they have handed to the operating
# system survives them whether or not it has reached the disk, so that the
# fsync = off of these servers takes nothing from the test; what they have not
# is lost, as in any crash.  A page can be half written when its writer is
# killed, hence full_page_writes; and a commit may be acknowledged only when its
# WAL has left the process, hence synchronous_commit.
my $node = DlintsTest->node(
	'main', conf => q{
full_page_writes = on
synchronous_commit = on
restart_after_crash = on
max_prepared_transactions = 2
});
DlintsStream::create($node);

# One session dies, preferably in the middle of writing, and the server ends all
# others and recovers
sub kill_session
{
	my $pid = $node->safe_psql(
		'postgres', q{
		SELECT pid FROM pg_stat_activity WHERE application_name = 'stream'
		ORDER BY backend_xid IS NULL LIMIT 1});

	kill('KILL', $pid) == 1 or die "could not kill $pid";
	return;
}

sub stop_immediately
{
	$node->stop('immediate');
	return;
}

# A transaction that is open at the time, its work partly on disk
sub learn_and_wait
{
	my $session = DlintsTest->session($node);

	$session->query_safe('BEGIN');
	$session->query_safe(DlintsStream::single_open());
	$node->safe_psql('postgres', 'CHECKPOINT');
	return $session;
}

# Rewards of that transaction's model
sub open_updates
{
	return $node->safe_psql('postgres',
		q{SELECT (dlints_info(state)).updates FROM model WHERE name = 'open'});
}

my $rounds = 0;

sub crash
{
	my ($how, $crash, $recover) = @_;
	my $when = 'round ' . ++$rounds . ", $how";
	my $stream = DlintsStream->start($node);

	$stream->wait_for(60);
	my $open = learn_and_wait();
	$stream->wait_for(60);
	$crash->();
	my $acknowledged = $stream->finish;
	$open->quit;
	$recover->();

	DlintsStream::check($node, $when);
	$stream->check_acknowledged($node, $acknowledged, $when);
	is(open_updates(), 3, "$when: what was not committed is not there");
	return;
}

for my $round (1 .. 5)
{
	if ($round % 2)
	{
		crash('kill -9 of a session',
			\&kill_session, sub { $node->poll_query_until('postgres', 'SELECT true') or die });
	}
	else
	{
		crash('immediate stop', \&stop_immediately, sub { $node->start });
	}
}

# A transaction that was prepared outlives a crash, and counts once it commits
for my $end ([ 'ROLLBACK', 3 ], [ 'COMMIT', 4 ])
{
	my ($command, $updates) = @$end;

	$node->safe_psql('postgres',
		'BEGIN;' . DlintsStream::single_open() . q{PREPARE TRANSACTION 'reward'});
	$node->stop('immediate');
	$node->start;
	DlintsStream::check($node, 'a prepared transaction after a crash');
	$node->safe_psql('postgres', "$command PREPARED 'reward'");
	DlintsStream::check($node, "$command PREPARED");
	is(open_updates(), $updates, "$command PREPARED: as many rewards as there should be");
}

is(DlintsTest->count_in_log($node, qr/automatic recovery in progress/),
	7, 'the server recovered each time');
is(DlintsTest->count_in_log($node, qr/was terminated by signal 9/),
	3, 'a session was killed three times');

# And it goes on
my $last = DlintsStream->start($node, limit => '--transactions=50');
is($last->finish, 200, 'sessions learn after the crashes');
DlintsStream::check($node, 'at the end');

$node->stop;
done_testing();

# A stream of rewards from several sessions, and a ledger of what they
# committed.
#
#   DlintsStream::create($node);                   # tables and models
#   my $stream = DlintsStream->start($node);       # sessions that learn
#   $stream->wait_for(100);                        # ... at least that much
#   my $count = $stream->finish;                   # transactions acknowledged
#   DlintsStream::check($node, 'afterwards');      # models hold the ledger
#
# Each transaction that learns writes into the ledger what was learned, and as
# which of the model's observations: that number follows the order in which
# sessions locked the model's row.
package DlintsStream;

use strict;
use warnings;

use DlintsTest ();
use IPC::Run;
use Test::More;
use Time::HiRes qw(usleep);

# The model "reduced" is stored out of line.
my %dim = (plain => 6, reduced => 30, memories => 6, timed => 6);

# One reward, trained immediately
sub single
{
	my ($model, $a) = @_;
	my $observation = "numbers($dim{$model}, $a), cos($a)";
	my $at = "seen(($a) % 1000)";

	return qq{
		WITH learned AS (
			UPDATE model SET state = dlints_update(state, $observation, at => $at)
			WHERE name = '$model' RETURNING (dlints_info(state)).updates AS n)
		INSERT INTO ledger (model, n, features, reward, at)
		SELECT '$model', n, $observation, $at
			FROM learned;};
}

# A few rewards for the queue
sub enqueue
{
	my ($model, $a) = @_;

	return qq{
		WITH new AS (
			INSERT INTO feedback (model, features, reward, at)
			SELECT '$model', numbers($dim{$model}, $a + i), cos($a + i),
				seen(($a + i) % 1000)
			FROM generate_series(1, 1 + $a % 4) i
			RETURNING id)
		INSERT INTO arrival SELECT id FROM new;};
}

# Train on the queue as one batch
sub fold
{
	my ($model) = @_;

	return qq{
		WITH batch AS (DELETE FROM feedback WHERE model = '$model' RETURNING *),
		learned AS (
			UPDATE model m SET state = m.state || e.evidence
			FROM  (SELECT p.name, dlints_evidence(p.state, b.features, b.reward, '{}', b.at
			                                      ORDER BY b.id)
				AS evidence
			       FROM batch b JOIN model p ON p.name = b.model GROUP BY p.name) e
			WHERE m.name = e.name
			RETURNING m.name, (dlints_info(m.state)).updates AS n)
		INSERT INTO ledger (model, n, feedback, features, reward, at)
		SELECT name, n + 1 - row_number() OVER (ORDER BY id DESC), id, features, reward, at
		FROM learned JOIN batch ON model = name;};
}

# Transactions of pgbench, by file name and weight
sub scripts
{
	my %scripts;
	my $a = "\\set a random(1, 1000000)\n";
	my $commit = "INSERT INTO committed VALUES (:client_id);\nCOMMIT;\n";

	for my $model (sort keys %dim)
	{
		my %transaction = (
			'single@4' => single($model, ':a'),
			'enqueue@4' => enqueue($model, ':a'),
			'fold@2' => fold($model),
			# locks in the order of a fold: the queue's rows, then the model
			'all@1' => enqueue($model, ':a') . fold($model) . single($model, ':a'),
			'savepoint@1' => 'SAVEPOINT s;'
			  . single($model, ':a')
			  . 'ROLLBACK TO s;'
			  . single($model, ':a + 1'),
			'undone@1' => enqueue($model, ':a') . fold($model) . single($model, ':a')
				. 'ROLLBACK; BEGIN;');

		$scripts{"${model}_$_"} = "${a}BEGIN;\n$transaction{$_}\n$commit" for keys %transaction;
	}
	return \%scripts;
}

# Create the stream's tables on a server.  The model "open" is for the test's own transactions.
sub create
{
	my ($node) = @_;

	$node->safe_psql('postgres', $DlintsTest::tables);
	DlintsTest->run_file($node, 'models.sql');
	$node->safe_psql('postgres', q{
		-- models that have seen nothing, and those that learn
		CREATE TABLE fresh (name text PRIMARY KEY, state dlints NOT NULL);
		INSERT INTO fresh VALUES
			('plain', dlints_new(6, discount => 0.99)),
			('reduced', dlints_new(30, 20, discount => 0.995, seed => 4)),
			('memories', dlints_new(6)),
			('timed', dlints_new(6, half_life => '7 days')),
			('open', dlints_new(6, discount => 0.99));
		INSERT INTO model SELECT * FROM fresh;

		ALTER TABLE feedback ADD at timestamptz;

		-- what has ever been in the queue
		CREATE TABLE arrival (id bigint PRIMARY KEY);

		CREATE TABLE ledger (model text, n bigint, feedback bigint, features real[], reward float8,
			at timestamptz,
		                     PRIMARY KEY (model, n));
		CREATE TABLE committed (client integer);});
	$node->safe_psql('postgres', single_open() x 3);
	return;
}

# One reward for the model "open"
sub single_open
{
	local $dim{open} = 6;

	return single('open', 7);
}

# At one time, do the models agree with the ledger, and is each queued reward either in the queue or in the ledger,
# once?  A model that forgets by time does so in any order.
sub check
{
	my ($node, $when, $database) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;

	is( $node->safe_psql(
			$database // 'postgres', q{
		WITH rebuilt AS (
			SELECT f.name, f.state || dlints_evidence(f.state, l.features, l.reward, '{}', l.at
			                ORDER BY CASE f.name WHEN 'timed' THEN l.reward ELSE l.n END) AS state,
			       count(*) AS rewards, max(n) AS last
			FROM fresh f JOIN ledger l ON l.model = f.name GROUP BY f.name)
		SELECT m.name, (dlints_info(m.state)).updates - r.rewards, r.last - r.rewards,
		       distance(m.state, r.state) < 1e-10
		FROM model m LEFT JOIN rebuilt r USING (name)
		UNION ALL
		SELECT 'queue', count(*) FILTER (WHERE seen IS NULL), count(*) FILTER (WHERE id IS NULL),
		       count(DISTINCT id) = count(*)
		FROM arrival FULL JOIN (SELECT id AS seen FROM feedback UNION ALL
		                        SELECT feedback FROM ledger WHERE feedback IS NOT NULL) s ON id
			= seen
		ORDER BY 1}),
		"memories|0|0|t\nopen|0|0|t\nplain|0|0|t\nqueue|0|0|t\nreduced|0|0|t\ntimed|0|0|t",
		"$when: the models are the committed rewards, all of them and no others");
	return;
}

# Start sessions that train, with a time limit or until they are stopped
sub start
{
	my ($class, $node, %params) = @_;
	my $clients = $params{clients} // 4;
	my $self = bless {
		node => $node,
		clients => $clients,
		ledger_rows => ledger_rows($node),
		out => '',
		err => ''
	}, $class;
	my @command = (
		'pgbench', '--no-vacuum', "--client=$clients", '--jobs=2',
		$params{limit} // '--time=300',
		'--host', $node->host, '--port', $node->port);
	my $scripts = scripts();

	# Two sessions that fold a large queue lock its rows in the same order only if both read it from the start;
	# otherwise one may fail with a deadlock.
	my $connection = q{dbname=postgres application_name=stream options='-c synchronize_seqscans=off'};

	for my $name (sort keys %$scripts)
	{
		my ($file, $weight) = split /@/, $name;
		my $path = $node->basedir . "/$file.sql";

		open(my $handle, '>', $path) or die "could not open $path: $!";
		print $handle $scripts->{$name};
		close($handle);
		push @command, '--file', "$path\@$weight";
	}
	$node->safe_psql('postgres', 'TRUNCATE committed');
	$self->{run} = IPC::Run::start([ @command, $connection ], \undef, \$self->{out}, \$self->{err});
	return $self;
}

sub ledger_rows
{
	my ($node) = @_;

	return $node->safe_psql('postgres', 'SELECT count(*) FROM ledger');
}

# Wait until every session has committed, and all have added this number of rows to the ledger since the start or
# the previous wait
sub wait_for
{
	my ($self, $rows) = @_;
	my $enough = qq{
		SELECT (SELECT count(*) FROM ledger) >= $self->{ledger_rows} + $rows
		       AND (SELECT count(DISTINCT client) FROM committed) = $self->{clients}};

	for (;;)
	{
		$self->{run}->pump_nb if $self->{run}->pumpable;
		my $aborted = $self->{err} =~ /aborted/ || !$self->{run}->pumpable;

		last if $self->{node}->safe_psql('postgres', $enough) eq 't';
		die "no more rewards: $self->{err}" if $aborted;
		usleep(20_000);
	}
	$self->{ledger_rows} = ledger_rows($self->{node});
	return;
}

# Wait until the last session has ended, and return how many transactions the
# server has acknowledged as committed
sub finish
{
	my ($self) = @_;

	$self->{run}->finish;
	my ($count) = $self->{out} =~ /actually processed: (\d+)/ or die "pgbench: $self->{out}$self->{err}";
	return $count;
}

# End the sessions immediately
sub kill
{
	my ($self) = @_;

	$self->{run}->kill_kill;
	$self->{node}->poll_query_until('postgres',
		q{SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'stream'})
	  or die 'sessions do not end';
	return;
}

# All acknowledged transactions are stored, and others only if their acknowledgement was under way
sub check_acknowledged
{
	my ($self, $node, $acknowledged, $when) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $committed = $node->safe_psql('postgres', 'SELECT count(*) FROM committed');

	note "$when: $acknowledged transactions acknowledged, $committed committed";
	cmp_ok($committed, '>=', $acknowledged, "$when: every acknowledged transaction is there");
	cmp_ok($committed, '<=', $acknowledged + $self->{clients}, "$when: each session has at most one more reward");
	return;
}

1;

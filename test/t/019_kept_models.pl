# A session prepares a model once.  The next transaction reads only its first chunk, but uses changed models
# immediately; and the cache has a limit.
use strict;
use warnings;

use DlintsTest 'sessions';
use Test::More;

my $node = DlintsTest->node('main', conf => "jit = off\nautovacuum = off\n");
my $models = 300;

$node->safe_psql('postgres', 'CREATE EXTENSION dlints');
DlintsTest->run_file($node, 'models.sql');
$node->safe_psql('postgres', qq{
	CREATE TABLE model (id integer PRIMARY KEY, state dlints NOT NULL);
	INSERT INTO model
	SELECT i, dlints_new(40) || (SELECT dlints_evidence(dlints_new(40), numbers(40, i + j), cos(j))
		FROM generate_series(1, 50) j)
	FROM generate_series(1, $models) i;
	-- in line
	INSERT INTO model VALUES (0, dlints_update(dlints_new(1), '{1}', 1));
	CREATE FUNCTION chunks() RETURNS bigint LANGUAGE sql AS \$\$
	SELECT pg_stat_get_xact_tuples_fetched(indexrelid) FROM pg_index, pg_class
	WHERE indrelid = reltoastrelid AND relname = 'model' \$\$});

# Draw of a model in this session and in a new session
my $ask = 'SELECT dlints_draw(state, 7)::text FROM model WHERE id = %d';

sub fresh
{
	return $node->safe_psql('postgres', sprintf($ask, @_));
}

my $session = DlintsTest->session($node);

# Are two draws equal?  A BLAS may round differently depending on alignment.
sub differ
{
	my ($one, $other) = map { [split /,/, tr/{}//dr] } @_;

	return @$one != @$other || grep { abs($one->[$_] - $other->[$_]) > 1e-9 } 0 .. $#$one;
}

# Number of chunks that a transaction with these statements reads
sub chunks_read
{
	my $look = "SELECT 'read ' || chunks();";
	my @read = $session->query_safe("BEGIN; $look @_ $look COMMIT;") =~ /^read (\d+)$/mg;

	return $read[1] - $read[0];
}

my $draw = sprintf("$ask;", 1);
my $whole = chunks_read($draw);

cmp_ok($whole, '>', 3, 'a session reads a new model whole');
is(chunks_read($draw), 1, 'the next transaction reads the first chunk of a kept model');
is(chunks_read($draw, $draw), 1, 'two statements of a transaction read the first chunk once');
is(chunks_read('SELECT dlints_recommend(state, i, numbers(40, i)) FROM model, generate_series(1, 9) i
		WHERE id = 1;'),
	1, 'another function uses the kept model');
my $learn = 'UPDATE model SET state = dlints_update(state, numbers(40, 1), 1) WHERE id = 1;';
cmp_ok(chunks_read("$learn $draw"), '>=', chunks_read($learn) + $whole, 'a session reads a trained model whole');
chunks_read($draw);
is(chunks_read($draw), 1, 'a session keeps the trained model');

# A long session returns the same results as new ones, whoever changes the models, also in transactions and
# savepoints that are rolled back.
my $rounds = 60;
my $differ = 0;
my @changes = (
	'UPDATE model SET state = dlints_update(state, numbers(40, %1$d), 1) WHERE id = %2$d',
	'UPDATE model SET state = dlints_set(state, ridge => %1$d + 1) WHERE id = %2$d',
	'UPDATE model m SET state = o.state FROM model o WHERE m.id = %2$d AND o.id = 100 + %2$d',
	'DELETE FROM model WHERE id = %2$d; INSERT INTO model SELECT %2$d, state FROM model WHERE id = 200 + %2$d'
);
srand 1;
for my $round (1 .. $rounds)
{
	my $id = 1 + int rand 3;
	my $change = sprintf $changes[ rand @changes ], $round, $id;
	my $look = sprintf "$ask;", $id;
	my $how = $round % 4;

	if ($how == 0)
	{
		$node->safe_psql('postgres', $change);
	}
	elsif ($how == 1)
	{
		$session->query_safe("$look $change; $look");
	}
	elsif ($how == 2)
	{
		$session->query_safe("BEGIN; $look $change; $look ROLLBACK;");
	}
	else
	{
		$session->query_safe("BEGIN; SAVEPOINT s; $change; $look ROLLBACK TO s; $look $change; $look COMMIT;");
	}
	$node->safe_psql('postgres', 'VACUUM model') if $round % 7 == 0;
	$differ++ if differ($session->query_safe($look), fresh($id));
}
is($differ, 0, "$rounds changes in transactions of four kinds are seen as they are");

# A cursor WITH HOLD, of a model that changes in the meantime
my $held = $session->query_safe(
	"BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT dlints_draw(state, 7) = dlints_draw(o, 7)
		FROM model, (SELECT state AS o FROM model WHERE id = 1) s, generate_series(1, 3) WHERE id = 1;
	 FETCH c; COMMIT;
	 UPDATE model SET state = dlints_update(state, numbers(40, 2), 1) WHERE id = 1;
	 FETCH ALL FROM c; CLOSE c");
is($held, "t\nt\nt", 'a cursor goes on with the model that it began with');

# A toast pointer refers to another value if its OID is reused.  That takes four billion OIDs, so the test changes
# the values on disk instead, in the files of a tablespace to which they were moved and of which no page is in
# memory.
my $tablespace = $node->basedir . '/tablespace';
mkdir $tablespace or die "cannot make $tablespace: $!";
$node->safe_psql('postgres', qq{
	CREATE TABLE page (state dlints, features real[], profile real[]);
	ALTER TABLE page ALTER profile SET STORAGE EXTERNAL;
	INSERT INTO page SELECT learned(dlints_new(800, 12, interactions => 'matched', ridge => 0.7), 9),
		numbers(800, 1), 77.5 || numbers(799, 2);
	CREATE TABLESPACE aside LOCATION '$tablespace'});

my $predict = 'SELECT dlints_predict(state, features, profile),
	dlints_predict(dlints_scale(1, state), features, profile) FROM page';
my $home = 'pg_default';
# PostgreSQL 18 and later enable checksums, which are verified when a table moves.
my $unchecked = 'SET ignore_checksum_failure = on; SET client_min_messages = error;';

sub change_on_disk
{
	my ($old, $new) = @_;

	$home = $home eq 'aside' ? 'pg_default' : 'aside';
	# (full-page writes of a commit would read them)
	$node->safe_psql('postgres',
		"$unchecked SET wal_skip_threshold = 0; ALTER TABLE page SET TABLESPACE $home; CHECKPOINT");
	my $file = $node->data_dir . '/' . $node->safe_psql('postgres',
		"SELECT pg_relation_filepath(reltoastrelid) FROM pg_class WHERE relname = 'page'");
	open my $pages, '+<:raw', $file or die "cannot open $file: $!";
	my $bytes = do { local $/ = undef; <$pages> };
	my $count = $bytes =~ s/\Q$old\E/$new/g;
	seek $pages, 0, 0;
	print {$pages} $bytes;
	close $pages or die "cannot write $file: $!";
	return $count;
}

my $before = $session->query_safe("$unchecked $predict");
is($session->query_safe($predict), $before, 'a repeated prediction of a kept model is the same');
is(change_on_disk(pack('f', 77.5), pack('f', -7)), 1, 'the test changes the profile on disk');
my $other = $node->safe_psql('postgres', "$unchecked $predict");
isnt($other, $before, '... has another reward');
is($session->query_safe($predict), $other, '... which is seen');
is(change_on_disk(pack('d', 0.7), pack('d', 70)), 2, 'the test changes the model on disk');
isnt($node->safe_psql('postgres', "$unchecked $predict"), $other, '... has another reward');
is($session->query_safe($predict), $node->safe_psql('postgres', "$unchecked $predict"), '... which is seen');

# The limit of the cache, over statements and for inline models
my $kept = q{SELECT count(*) || ' ' || coalesce(sum(total_bytes), 0)
	FROM pg_backend_memory_contexts WHERE name = 'dlints model'};
my $all = 'SELECT count(dlints_stddev(state, numbers(40, 1))) FROM model WHERE id > 0';

$session->query_safe($all);
my ($count, $bytes) = split / /, $session->query_safe($kept);
cmp_ok($count, '>=', $models, 'all are kept where there is room');
my $least = $bytes / 4;
$session->query_safe(sprintf "SET dlints.model_cache_size = '%dkB'; $all", $least / 1024);
($count, $bytes) = split / /, $session->query_safe($kept);
cmp_ok($bytes, '<', $least / 4 + 65536, 'a smaller cache keeps a quarter of the models');
cmp_ok($count, '>', $models / 32, 'a smaller cache keeps as many models as fit');
$session->query_safe('SET dlints.model_cache_size = 0; SELECT count(dlints_mean(state)) FROM model WHERE id = 0');
$session->query_safe('SELECT count(dlints_mean(state)) FROM model WHERE id = 0');
($count) = split / /, $session->query_safe($kept);
is($count, 0, 'a cache of size 0 keeps no models after the transaction');

$session->quit;
$node->stop;
done_testing();

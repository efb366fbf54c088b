# A recommender under many sessions and a crash: whatever happens, its models are
# those that its log gives, and without people they are those of the beginning.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use DlintsTest 'sessions';
use Sessions;
use Test::More;

my $node = DlintsTest->node('main', conf => q{
full_page_writes = on
restart_after_crash = on
jit = off
});
my $tables = do { local (@ARGV, $/) = "$FindBin::RealBin/../pgtap/include/recommender.sql"; <> };
$node->safe_psql('postgres', "CREATE EXTENSION dlints; $tables");

# Who has looked at something before is not among those who come now.
$node->safe_psql('postgres', q{
	SELECT dlints_create_recommender('board', 'job', '{title,field,city_id,skills,remote}',
		clicks => 'SELECT who, job, at FROM visit', outcomes => '{"click": 1, "apply": 5}');
	CREATE TABLE beginning AS SELECT * FROM board.model;
	-- a list for a person, some of which is clicked at once
	CREATE FUNCTION visit_page(person bigint) RETURNS bigint LANGUAGE sql AS $$
		SELECT count(CASE WHEN random() < 0.3 THEN board.reward(decision, item) END)
		FROM   board.recommend(person, 5) $$;
	-- something that was shown and not clicked is clicked now, or applied for
	CREATE FUNCTION click_late() RETURNS void LANGUAGE sql AS $$
		SELECT board.reward(decision, item, CASE WHEN random() < 0.5 THEN 'apply' ELSE 'click' END)
		FROM   board.shown s LEFT JOIN board.reward r USING (decision, item) WHERE r.decision IS NULL
		ORDER  BY random() LIMIT 1 $$;
	-- how far the models are from those of the log; they stay as they are
	CREATE FUNCTION off() RETURNS float8 LANGUAGE plpgsql AS $$
	DECLARE
		most float8;
	BEGIN
		CREATE TEMP TABLE was ON COMMIT DROP AS SELECT * FROM board.model WHERE learns;
		PERFORM board.rebuild();
		SELECT max(far(w.state, m.state)) INTO most FROM was w JOIN board.model m USING (name);
		UPDATE board.model m SET state = w.state FROM was w WHERE w.name = m.name;
		RETURN coalesce(most, 'infinity');
	END $$;
});

sub value
{
	return $node->safe_psql('postgres', "SELECT $_[0]");
}

sub is_the_logs
{
	my ($what) = @_;

	cmp_ok(value('off()'), '<', 1e-8, $what);
	return;
}

sub without_months
{
	$node->safe_psql('postgres', q{
		SELECT format('DROP TABLE board.%I', c.relname) FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
		WHERE  inhparent IN ('board.decision'::regclass, 'board.reward'::regclass)
		AND    c.relname !~ '_rest$'
		\gexec
		SELECT board.rebuild(), visit_page(1000)});
	return;
}

### One interleaving at a time

my $sessions = Sessions->new($node);
my $learn = q{SELECT board.learn('0')};

for my $end ('COMMIT', 'ROLLBACK')
{
	value("sum(visit_page(p)) FROM generate_series(1000, 1019) p");
	$sessions->run(1, 'BEGIN', $learn);
	$sessions->run(2, 'SELECT visit_page(1000)', 'SELECT click_late() FROM generate_series(1, 5)');
	$sessions->wait_with(2, "DO 'BEGIN PERFORM board.learn(''0''); END'");
	$sessions->run(1, $end);
	is($sessions->outcome(2), '00000', "a session that learns waits for another one's $end");
	is(value('count(*) FROM board.due'), 0, 'all is learned');
	is(value(q{updates - (SELECT count(*) FROM board.shown)
		FROM board.models WHERE name = 'personal'}),
		0, 'once each');
	is_the_logs("two sessions learned, $end");
}

for my $other ('board.erase(1000)', 'board.rebuild()', 'board.set_beginning()')
{
	value("sum(visit_page(p)) FROM generate_series(1000, 1019) p");
	$sessions->run(1, 'BEGIN', $learn);
	$sessions->wait_with(2, "DO 'BEGIN PERFORM $other; END'");
	$sessions->run(1, 'COMMIT');
	is($sessions->outcome(2), '00000', "$other waits");
	is_the_logs("$other after learning");
}

### A month begins while somebody is shown what belongs to it

without_months();
$sessions->run(1, 'BEGIN', 'SELECT visit_page(1001)');
$sessions->wait_with(2, q{DO 'BEGIN PERFORM board.set_months(); END'});
$sessions->run(1, 'COMMIT');
is($sessions->outcome(2), '00000', 'who makes its partition waits');
is(value('count(*) || \' \' || (SELECT count(*) FROM board.decision) FROM board.decision_rest'), '0 2',
	'and moves all of them');

without_months();
$sessions->run(1, 'BEGIN', 'SELECT board.reward(999, 1)');
$sessions->wait_with(2, q{DO 'BEGIN PERFORM board.set_months(); END'});
is($sessions->sqlstate(1, 'SELECT visit_page(1001)'), '00000', 'who is shown something after a click');
is($sessions->outcome(2), '00000', 'and who makes partitions do not wait for each other');
$sessions->run(1, 'COMMIT');
value('board.set_months()');
is(value('count(*) FROM board.decision_rest'), 0, 'which are made later');

### A click that is told before its decision is committed

$sessions->run(1, 'BEGIN');
my ($decision, $item) = split ' ',
  $sessions->{1}->query_safe(q{SELECT decision || ' ' || item FROM board.recommend(1000, 1)});
value("board.reward($decision, $item)");
value(q{board.learn('0')});
is(value("learned FROM board.reward WHERE decision = $decision"), '',
	'the click waits for its decision');
$sessions->run(1, 'COMMIT');
value(q{board.learn('0')});
is(value("learned FROM board.reward WHERE decision = $decision"), 1, 'and is learned with it');
is_the_logs('a click before its decision');

### A click that somebody tells again holds up nobody who learns, be it of a list that is learned now or before

$sessions->run(2, "SET lock_timeout = '10s'");
for my $is_learned (0, 1)
{
	($decision, $item) = split ' ', value(q{decision || ' ' || item FROM board.recommend(1000, 1)});
	value("board.reward($decision, $item)");
	value(q{board.learn('0')}) if $is_learned;
	value("board.reward($decision, $item, value => 0.7)");
	$sessions->run(1, 'BEGIN', "SELECT board.reward($decision, $item, value => 0.5)");
	is($sessions->sqlstate(2, $learn), '00000', 'who learns does not wait for who tells of a click');
	$sessions->run(1, 'COMMIT');
	value(q{board.learn('0')});
	is(value("learned FROM board.reward WHERE decision = $decision"), 0.5, 'which is learned afterwards');
	is_the_logs('and the models know it');
}
$sessions->run(2, 'RESET lock_timeout');

### Many at random, and the server crashes

my $script = $node->basedir . '/mixed.pgbench';
open my $file, '>', $script or die "$script: $!";
print {$file} <<'END';
\set person random(1000, 1030)
\set what random(1, 20)
\if :what <= 10
SELECT visit_page(:person);
\elif :what <= 15
SELECT click_late();
\elif :what <= 18
SELECT board.learn('0');
\elif :what = 19
SELECT board.run();
\else
SELECT board.erase(:person);
\endif
END
close $file or die "$script: $!";

for my $round (1 .. 3)
{
	my $bench = IPC::Run::start(
		[ 'pgbench', '-n', '-c', 4, '-j', 1, '-T', 4, '-f', $script, '-h', $node->host,
			'-p', $node->port, 'postgres' ],
		'>', \my $out, '2>', \my $err);
	if ($round > 1)
	{
		sleep 2;
		$node->stop('immediate');
		$bench->finish;
		$node->start;
	}
	else
	{
		ok($bench->finish, 'sessions recommend, click, learn and erase at once') or diag $err;
	}
	is_the_logs($round > 1 ? 'after a crash, too' : 'the model is that of the log');
	value(q{board.learn('0')});
	is_the_logs('and goes on');
	cmp_ok(value('count(*) FROM board.decision'), '>', 10, 'of which there is something');
}

### Everybody is erased

value(q{sum(board.erase(person)) FROM (SELECT DISTINCT person FROM board.decision) d});
is(value('count(*) FROM board.decision') + value('count(*) FROM board.shown'), 0, 'nobody is left');
value('board.set_beginning()');
cmp_ok(value(q{max(far(dlints_set(b.state, prior_weight => 0), dlints_set(m.state, prior_weight => 0)))
	FROM board.model m JOIN beginning b USING (name) WHERE m.learns}), '<', 1e-9,
	'the models are what they began with');

done_testing();

# Recommenders and rankers in other people's databases: notices, warnings, schemas that are dropped under requests, and settings,
# encodings and privileges that differ from the usual ones.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use DlintsTest 'sessions';
use Sessions;
use Test::More;

my $node = DlintsTest->node('main', conf => "jit = off\n");
my $shop = q{
	CREATE TABLE product (id integer PRIMARY KEY, kind text, price numeric);
	INSERT INTO product SELECT i, 'kind ' || i % 3, i % 50 FROM generate_series(21, 120) i;
	CREATE TABLE click (person integer, product integer, at timestamptz);
	INSERT INTO click SELECT p, 21 + (p * i) % 100, now() - i * interval '1 hour'
	FROM generate_series(1, 30) p, generate_series(1, 30) i;
};
my $make = q{SELECT dlints_create_recommender('r', 'product', '{kind,price}',
	clicks => 'SELECT person, product, at FROM click', factors => 4)};
my $make_small = q{SELECT dlints_create_recommender('r', 'product', '{kind}', user_type => 'integer', factors => 0)};

$node->safe_psql('postgres', "CREATE EXTENSION dlints; $shop");

# Messages of a statement
sub said
{
	my ($statement) = @_;
	my (undef, undef, $stderr) = $node->psql('postgres', $statement);

	return $stderr;
}

# ---------- notices ----------

my $types = qr/users have type integer in the click log and type text in the recommender/;
my $swapped = qr/more clicks have the key of an item as user than as item/;
my $said = said($make);
unlike($said, qr/$types|$swapped/, 'making a recommender of a proper log raises no notice of types or keys');
like(
	said(q{SELECT dlints_create_recommender('t', 'product', '{kind}', user_type => 'text',
		clicks => 'SELECT person, product, at FROM click')}),
	$types, 'a notice tells of users whose type differs in the click log');
like(
	said(q{SELECT dlints_create_recommender('s', 'product', '{kind}',
		clicks => 'SELECT product, person, at FROM click')}),
	$swapped, 'a notice tells of a click log whose users and items are swapped');
like($node->safe_psql('postgres', q{SELECT meaning FROM s.report() WHERE measure = 'clicks of unknown items'}),
	$swapped, 'the report tells of a click log whose users and items are swapped');
$node->safe_psql('postgres', q{
	CREATE TABLE visit AS SELECT person, product, at - n * interval '1 minute' AS at
	FROM click, generate_series(1, 30) n;
	ANALYZE visit});
$said = said(q{SELECT dlints_create_recommender('v', 'product', '{kind}', factors => 4,
	clicks => 'SELECT person, product, at FROM visit')});
like($said, qr/NOTICE:  $_/, "making a recommender of a long log says that it is $_")
  for 'encoding items', 'fitting the latent factors of items', 'drawing training examples from the click log',
  'computing the popularity of items', 'computing trends', 'writing blocks of item vectors',
  'computing the prior of the models';
like(said('SELECT v.refresh()'), qr/NOTICE:  computing trends/, 'refresh() says what it is at');
like(said('SELECT v.refit()'), qr/NOTICE:  fitting the latent factors/, 'refit() says what it is at');
like(said('SELECT v.warm_start()'), qr/NOTICE:  drawing training examples/, 'warm_start() says what it is at');
like(said('SELECT v.rebuild()'), qr/NOTICE:  training the models/, 'rebuild() says what it is at');
is(said('SET client_min_messages = warning; SELECT v.refresh()'), '', 'a client can ignore the notices');

# ---------- warnings ----------

$node->safe_psql('postgres', q{
	ALTER TABLE product ADD made date;
	UPDATE product SET made = current_date - id;
	SELECT dlints_create_recommender('dated', 'product', '{kind,made}')});
my $dated = said(q{SELECT dated.recommend(1, 3, context => '{"like": {"kind": "kind 1", "made": "2026-01-01", "x": 1}}')});
like($dated, qr/WARNING:  column "made" cannot be in "like"\nDETAIL:  Its dates/, 'a warning says why dates cannot be liked');
like($dated, qr/WARNING:  there is no column "x" to like/, 'a warning names a column that does not exist');
unlike($dated, qr/"kind"/, 'a column that can be liked raises no warning');

# ---------- schemas that are dropped ----------

$node->safe_psql('postgres', q{SELECT dlints_create_ranker('f'); SELECT f.rank('e', '{}', '["a", "b"]')});
my $sessions = Sessions->new($node);
$sessions->run($_, q{SET client_min_messages = warning}) for 1, 2;
for my $call (
	'count(*) FROM r.recommend(5, 3)', 'count(*) FROM r.more_like(25)', 'count(*) FROM r.trending()',
	'count(*) FROM r.next(1, 3, 5)', 'r.reward(1, 25)', 'r.profile(5)', 'count(*) FROM r.explain(1)', 'r.learn()',
	'r.erase(5)', 'r.refresh()', 'count(*) FROM r.report()',
	q{count(*) FROM f.rank('g', '{}', '["a", "b"]')}, q{f.reward('e', 1)}, 'count(*) FROM f.report()')
{
	my ($schema) = $call =~ /\b([rf])\./;

	# once before, so that the session has kept its plans
	$sessions->sqlstate(2, "SELECT $call");
	is($sessions->interleave("DROP SCHEMA $schema CASCADE", 'COMMIT', "SELECT $call"),
		'42704', "SELECT $call raises 42704 while its schema is dropped");
	$node->safe_psql('postgres', $schema eq 'r' ? $make_small : q{SELECT dlints_create_ranker('f')});
}
# 55P03 if the COMMIT comes after the time limit that run() has for locks
like($sessions->interleave('DROP SCHEMA r CASCADE', 'COMMIT', 'CALL r.run()'),
	qr/^(?:42704|55P03)$/, 'run() raises 42704 or 55P03 while its schema is dropped');
$node->safe_psql('postgres', $make);
is($sessions->interleave('DROP SCHEMA r CASCADE', 'ROLLBACK', 'DO $$BEGIN PERFORM r.recommend(5, 3); END$$'),
	'00000', 'a page waits for a schema that is not dropped in the end');
$sessions->quit;

done_testing();

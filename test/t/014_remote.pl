# Models on two servers behind postgres_fdw: training, evidence, conditions and recommendations are computed where
# the models are, with the results of one server.
use strict;
use warnings;

use DlintsTest;
use Test::More;

my $coordinator = DlintsTest->node('coordinator');

plan skip_all => 'no postgres_fdw here' unless DlintsTest->has_extension($coordinator, 'postgres_fdw');

my %remote = map { $_ => DlintsTest->node($_) } 'one', 'two';

# Each model with its items, its queue, and its recommendation, on its server
for my $remote (values %remote)
{
	$remote->safe_psql('postgres', q{
		CREATE EXTENSION dlints;
		CREATE TABLE model (name text PRIMARY KEY, state dlints NOT NULL);
		CREATE TABLE item (model text, id integer, in_stock boolean, features real[],
			PRIMARY KEY (model, id));
		CREATE TABLE feedback (id bigint, model text, features real[], reward float8);
		CREATE VIEW recommendation AS
		SELECT m.name AS model, dlints_recommend(m.state, i.id, i.features, 5) AS items
		FROM   model m JOIN item i ON i.model = m.name WHERE i.in_stock GROUP BY m.name});
}

# The same tables, partitioned; a catalogue on the coordinator
$coordinator->safe_psql('postgres', q{
	CREATE EXTENSION dlints;
	CREATE EXTENSION postgres_fdw;
	CREATE TABLE model (name text NOT NULL, state dlints NOT NULL) PARTITION BY HASH (name);
	CREATE TABLE item (model text, id integer, in_stock boolean,
		features real[]) PARTITION BY HASH (model);
	CREATE TABLE feedback (id bigint, model text, features real[],
		reward float8) PARTITION BY HASH (model);
	CREATE TABLE recommendation (model text, items integer[]) PARTITION BY HASH (model);
	CREATE TABLE catalogue (id integer PRIMARY KEY, in_stock boolean, features real[])});
DlintsTest->foreign_server($coordinator, $_, $remote{$_}) for sort keys %remote;

# Expensive rows make the planner push computations down
my $remainder = 0;
for my $server (sort keys %remote)
{
	$coordinator->safe_psql('postgres', "ALTER SERVER $server OPTIONS (fdw_tuple_cost '100')");
	$coordinator->safe_psql('postgres', qq{
		CREATE FOREIGN TABLE ${_}_$server PARTITION OF $_
		FOR VALUES WITH (MODULUS 2, REMAINDER $remainder) SERVER $server OPTIONS (table_name '$_')})
	  for 'model', 'item', 'feedback', 'recommendation';
	$remainder++;
}
$coordinator->safe_psql('postgres', q{
	INSERT INTO model
	SELECT 'm' || i, dlints_new(6, 3, discount => 0.97, seed => i) FROM generate_series(1, 8) i;
	INSERT INTO item
	SELECT 'm' || m, i, i % 3 > 0, ARRAY(SELECT sin(i * j * m)::real FROM generate_series(1, 6) j)
	FROM generate_series(1, 8) m, generate_series(1, 40) i;
	INSERT INTO catalogue SELECT id, in_stock, features FROM item WHERE model = 'm1';
	ANALYZE});
is($coordinator->safe_psql('postgres', 'SELECT count(DISTINCT tableoid) FROM model'),
	2,
	'there are models on both servers');

# Statements on all models are planned for each server
my $partitionwise = 'SET enable_partitionwise_join = on; SET enable_partitionwise_aggregate = on;';

# Statements that the coordinator sends
sub sent
{
	my ($query, $settings) = @_;
	my $plan = $coordinator->safe_psql('postgres', ($settings // '') . "EXPLAIN (VERBOSE, COSTS OFF) $query");

	return join("\n", $plan =~ /^\s*Remote SQL: (.*)$/mg);
}

sub state_of
{
	my ($model) = @_;

	return $coordinator->safe_psql('postgres', "SELECT state FROM model WHERE name = '$model'");
}

sub fill_queue
{
	$coordinator->safe_psql('postgres', q{
		DELETE FROM feedback;
		INSERT INTO feedback SELECT 8 * id + substr(model, 2)::integer, model, features, cos(id)
			FROM item});
	return;
}

### Training: the statement, the remote statements, and the resulting model

my $features = q{'{0.1, 2, -3, 0.7, 5, 0.3}'::real[]};

sub learns
{
	my ($name, $statement, $expected, @sends) = @_;
	my $before = state_of('m3');
	my $others = $coordinator->safe_psql('postgres',
		q{SELECT md5(string_agg(state::text, '' ORDER BY name)) FROM model WHERE name <> 'm3'});
	my $sent = sent($statement);

	like($sent, $_, "$name: sent") for @sends;
	$expected =~ s/\bstate\b/'$before'::dlints/g;
	$expected = $coordinator->safe_psql('postgres', "SELECT $expected");
	isnt($expected, $before, "$name: there is something to learn");
	$coordinator->safe_psql('postgres', $statement);
	is(state_of('m3'), $expected, "$name: the model has learned just that");
	is($coordinator->safe_psql('postgres',
			q{SELECT md5(string_agg(state::text, '' ORDER BY name)) FROM model WHERE name <> 'm3'}),
		$others,
		"$name: the others have not");
	return;
}

my $item = q{SELECT features FROM item WHERE model = 'm3' AND id = 17};
my $evidence =
  q{(SELECT dlints_evidence((SELECT state FROM model WHERE name = 'm3'), features, reward
	ORDER BY id) FROM};

my $set = qr/UPDATE public\.model SET state = public\.dlints_update\(state/;
my $null = qr/NULL::timestamp with time zone, NULL::double precision/;
my $rest = qr/1::double precision, '\{\}'::public\.dlints_vector, $null\)/;
learns(
	'a reward',
	"UPDATE model SET state = dlints_update(state, $features, 1) WHERE name = 'm3'",
	"dlints_update(state, $features, 1)",
	qr/^$set, '\{.*\}'::public\.dlints_vector, $rest WHERE .*'m3'\S*$/);
learns(
	'a reward, features from a table',
	"UPDATE model SET state = dlints_update(state, ($item), 1) WHERE name = 'm3'",
	"dlints_update(state, ($item), 1)",
	qr/^$set, \$1::real\[\], $rest/m);
fill_queue();
learns(
	'one queue',
	"WITH batch AS (DELETE FROM feedback WHERE model = 'm3' RETURNING *)
	 UPDATE model SET state = state || $evidence batch) WHERE name = 'm3'",
	"state || (SELECT dlints_evidence(state, features, reward ORDER BY id)
	           FROM feedback WHERE model = 'm3')",
	qr/^DELETE FROM public\.feedback WHERE .* RETURNING/m,
	qr/^UPDATE public\.model SET state = \(state OPERATOR\(public\.\|\|\) \$1::public\.dlints\)/m);
is($coordinator->safe_psql('postgres', q{SELECT count(*) FROM feedback WHERE model = 'm3'}),
	0, 'one queue: it is empty then');

# With a join, the coordinator fetches the model, and locks it before
learns(
	'a reward, features from a join',
	q{UPDATE model m SET state = dlints_update(m.state, i.features, 1)
	  FROM item i WHERE m.name = 'm3' AND i.model = 'm3' AND i.id = 17},
	"dlints_update(state, ($item), 1)",
	qr/^SELECT .*state.* FROM public\.model WHERE .* FOR UPDATE$/m,
	qr/^UPDATE public\.model SET state = \$2 WHERE ctid = \$1$/m);

# Train all models at once.
my $fold = $DlintsTest::fold;
fill_queue();
like(sent($fold), qr/FROM public\.model FOR UPDATE$/m, 'all queues: models are locked');
my $expected = $coordinator->safe_psql('postgres', q{
	SELECT name, state || (SELECT dlints_evidence(m.state, f.features, f.reward ORDER BY f.id)
	                       FROM feedback f WHERE f.model = m.name)
	FROM model m ORDER BY name});
$coordinator->safe_psql('postgres', $fold);
is($coordinator->safe_psql('postgres', 'SELECT name, state FROM model ORDER BY name'),
	$expected, 'all queues: the models have learned just that');
is($coordinator->safe_psql('postgres', 'SELECT count(*) FROM feedback'), 0, 'all queues: they are empty then');

# Without the option, no function of dlints is sent
$coordinator->safe_psql('postgres', "ALTER SERVER $_ OPTIONS (DROP extensions)") for keys %remote;
learns(
	'a reward, without the option',
	"UPDATE model SET state = dlints_update(state, $features, 1) WHERE name = 'm3'",
	"dlints_update(state, $features, 1)",
	qr/^SELECT .* FOR UPDATE$/m,
	qr/^UPDATE public\.model SET state = \$2 WHERE ctid = \$1$/m);
$coordinator->safe_psql('postgres', "ALTER SERVER $_ OPTIONS (ADD extensions 'dlints')") for keys %remote;

### Look

my $positive = "SELECT name FROM model WHERE dlints_predict(state, $features) > 0";
like(sent($positive), qr/WHERE .*public\.dlints_predict\(state, .*\) > /, 'a condition on dlints_predict is sent');
like(sent("SELECT name FROM model WHERE dlints_stddev(state, $features) > 1"),
	qr/WHERE .*public\.dlints_stddev\(state, .*\) > /, 'a condition on dlints_stddev is sent');
like(sent('SELECT name FROM model WHERE state = dlints_new(6, 3)'),
	qr/WHERE .*state OPERATOR\(public\.=\) /, 'a condition of equality of models is sent');
like(sent("SELECT name FROM model ORDER BY dlints_predict(state, $features) DESC LIMIT 3"),
	qr/ORDER BY public\.dlints_predict\(state, /,
	'an order by dlints_predict is sent');
unlike(sent("SELECT dlints_predict(state, $features), (dlints_info(state)).updates FROM model"),
	qr/dlints_/, 'functions of the select list are not sent');
is($coordinator->safe_psql('postgres', "SELECT count(*) FROM ($positive) p"),
	$coordinator->safe_psql('postgres',
		"SELECT count(*) FILTER (WHERE dlints_predict(state, $features) > 0)
	FROM (SELECT state FROM model OFFSET 0) m"),
	'a condition finds there what it finds here');

### Evidence where the rows are

fill_queue();
my $grouped = q{
	SELECT m.name, dlints_evidence(m.state, f.features, f.reward ORDER BY f.id)
	FROM model m JOIN feedback f ON f.model = m.name GROUP BY m.name};
is(scalar(
		() = sent($grouped, $partitionwise) =~
		  /^SELECT .*public\.dlints_evidence\(\w+\.state, .* ORDER BY .*\) FROM .* GROUP BY/mg),
	2,
	'evidence is computed on each server, partition by partition');
unlike(sent($grouped), qr/dlints_/, 'evidence is computed locally without partitionwise aggregation');
is($coordinator->safe_psql('postgres', "$partitionwise SELECT * FROM ($grouped) g ORDER BY 1"),
	$coordinator->safe_psql('postgres', "SELECT * FROM ($grouped) g ORDER BY 1"),
	'local and remote evidence are equal');
SKIP:
{
	my $version = $coordinator->safe_psql('postgres', 'SHOW server_version_num') / 10000;

	skip 'seen with PostgreSQL 15, others may do better', 1 if int($version) != 15;
	unlike(sent("$grouped HAVING m.name = 'm3'", $partitionwise),
		qr/dlints_/, 'evidence for one model is not: there is no partition to choose from');
}

### Recommend

# Without exploration there is one result, which the remote server computes
$coordinator->safe_psql('postgres', 'UPDATE model SET state = dlints_set(state, exploration => 0)');
my $joined = q{
	SELECT m.name, dlints_recommend(m.state, i.id, i.features, 5)
	FROM model m JOIN item i ON i.model = m.name WHERE i.in_stock};
my $view = 'SELECT model, items FROM recommendation';
my $ranking = join(
	"\n", sort map {
		split /\n/,
		$_->safe_psql('postgres', q{
			SELECT model, array_agg(id ORDER BY score DESC) FROM (
				SELECT model, id, score, rank() OVER (PARTITION BY model ORDER BY score DESC)
				FROM (SELECT i.model, i.id, dlints_predict(m.state, i.features) AS score
				      FROM model m JOIN item i ON i.model = m.name WHERE i.in_stock) s) r
			WHERE rank <= 5 GROUP BY model})
	} values %remote);

is($coordinator->safe_psql('postgres', "$partitionwise $joined GROUP BY m.name ORDER BY m.name"),
	$ranking, 'items on the servers of the models are recommended on the coordinator');
is($coordinator->safe_psql('postgres', "$view ORDER BY model"),
	$ranking, 'a view on the servers of the models recommends there');
is($coordinator->safe_psql('postgres', q{
		SELECT dlints_recommend((SELECT state FROM model WHERE name = 'm1'), id, features, 5)
		FROM catalogue WHERE in_stock}),
	(map { /^m1\|(.*)$/ ? $1 : () } split /\n/, $ranking)[0],
	'items of the coordinator are recommended by a model of another server');
like(sent("$view WHERE model = 'm3'"),
	qr/^SELECT .*items FROM public\.recommendation WHERE \(\(model = 'm3'\S*$/,
	'a view: only the answer is fetched');

# Draws are never sent separately; a server that has a complete group draws for it
unlike(sent("SELECT $_(state) FROM model ORDER BY $_(state)"),
	qr/dlints_/, "$_ is volatile and runs here")
  for 'dlints_draw', 'dlints_draw_weights';
for my $aggregate (
	'dlints_recommend(m.state, i.id, i.features, 5)',
	'dlints_concat_agg(m.state)')
{
	my ($name) = $aggregate =~ /^(\w+)/;

	like(
		sent(qq{SELECT m.name, $aggregate
			   FROM model m JOIN item i ON i.model = m.name WHERE i.in_stock GROUP BY m.name},
				$partitionwise),
		qr/^SELECT .*public\.$name\(.* GROUP BY/m,
		"$name is sent");
}

$coordinator->safe_psql('postgres', 'UPDATE model SET state = dlints_set(state, exploration => 3)');
my %answers = map { $coordinator->safe_psql('postgres', "$view WHERE model = 'm3'") => 1 } 1 .. 10;
cmp_ok(scalar(keys %answers), '>', 1, 'a view draws each time it is asked');

$_->stop for $coordinator, values %remote;
done_testing();

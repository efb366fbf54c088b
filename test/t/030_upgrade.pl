# An extension that was upgraded from the oldest version on is the one that
# CREATE EXTENSION makes now, and models stored before are what they were.
#
# A version is made up that comes after the current one, so that there is a
# step to walk whatever was released, and so that the comparison is known to
# find what an upgrade script forgot.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Catalogue;
use DlintsTest;
use ExtensionFiles;
use Test::More;

my $files = ExtensionFiles->new;
my $node = DlintsTest->node('main');

### What is there

my $oldest = $files->oldest;
my ($current) = $files->read('dlints.control') =~ /^default_version = '(.*)'$/m;
(my $next = $current) =~ s/(\d+)$/$1 + 1/e;

my $install_script = $files->read("dlints--$current.sql");
my ($guard) = $install_script =~ /^(\\echo .*\\quit)$/m;
ok($guard, 'the install script cannot be run by psql');

# Write the next version: its install script is the current one and more, its
# upgrade script is as given.
sub make_next
{
	my ($more, @upgrade) = @_;

	$files->control(default_version => "'$next'");
	$files->write("dlints--$next.sql", join "\n", $install_script, $more, '');
	$files->write("dlints--$current--$next.sql", join "\n", $guard, @upgrade, '');
	return;
}

### Compare

my $databases = 0;

sub database
{
	my (@statements) = @_;
	my $name = 'test' . ++$databases;

	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$node->safe_psql($name, $_) for @statements;
	return $name;
}

sub differences
{
	return Catalogue::differences($node, @_);
}

# The steps from one version to another
sub steps
{
	my ($from, $to) = @_;
	my (undef, @steps) = split /--/, $node->safe_psql(
		'postgres',
		qq{SELECT path FROM pg_extension_update_paths('dlints')
		   WHERE source = '$from' AND target = '$to'});

	return @steps;
}

# A database with the oldest version, brought to the default one step by step
sub upgraded
{
	my ($to, @before) = @_;

	return database("CREATE EXTENSION dlints VERSION '$oldest'",
		@before,
		map { "ALTER EXTENSION dlints UPDATE TO '$_'" } steps($oldest, $to));
}

sub fresh
{
	return database('CREATE EXTENSION dlints');
}

### The versions that there are

my @lines = Catalogue::lines($node, fresh());
cmp_ok(scalar @lines, '>', 200, 'the catalogue has much to compare');
is(join('', grep { /UNKNOWN KIND/ } @lines),
	'', 'and describes all that the extension has');
is(differences(fresh(), fresh()), '', 'two fresh databases are equal');
is(differences(upgraded($current), fresh()),
	'', "upgraded from $oldest to $current: as if created now")
  if $oldest ne $current;

### The next version, and models from before

make_next('');

# What a database has before, in statements that run in it
my $models = q{
	CREATE TABLE model AS
	SELECT name, state, state::text AS text, dlints_send(state) AS bytes,
		dlints_draw(state, 5) AS draw
	FROM (VALUES
		('fresh', dlints_new(3)),
		('plain', learned(dlints_new(3), 20)),
		('projected', learned(dlints_new(9, 4, seed => 7), 20)),
		('long, out of line', learned(dlints_new(40, 30), 20)),
		('no forgetting', learned(dlints_new(5, discount => 1), 20)),
		('by time', learned(dlints_new(5, half_life => '3 days', memories => 2), 20)),
		('matched, no intercept', learned(dlints_new(3, interactions => 'matched',
			intercept => false), 20)),
		('matched', learned(dlints_new(4, interactions => 'matched'), 20)),
		('matched, projected', learned(dlints_new(9, 4, seed => 7, interactions => 'matched'), 20)))
			AS v (name, state)};
my @models = (DlintsTest->slurp("$FindBin::RealBin/models.sql"), $models,
	'DROP FUNCTION numbers, learned, distance');
my $upgraded = upgraded($next, @models);
is( $node->safe_psql($upgraded,
		q{SELECT extversion FROM pg_extension WHERE extname = 'dlints'}),
	$next,
	'upgraded to the next version');
is(differences($upgraded, fresh()),
	'', 'an upgrade that changes nothing: as if created now');
is( $node->safe_psql(
		$upgraded, q{
	SELECT count(*), bool_and(state = text::dlints), bool_and(dlints_send(state) = bytes),
	       bool_and(dlints_draw(state, 5) = draw), sum((dlints_info(state)).updates)
	FROM model}),
	'9|t|t|t|160',
	'models stored before are what they were');

### Pages from before

make_next('', 'SELECT _dlints_say_outdated();');
my $pages = "\\i $FindBin::RealBin/pages.sql";
my $made = database('CREATE EXTENSION dlints', $pages);
my %with = (upgraded => upgraded($next, $pages), restored => 'restored');
my (undef, undef, $said) =
  $node->psql(database("CREATE EXTENSION dlints VERSION '$oldest'", $pages), 'ALTER EXTENSION dlints UPDATE');
like($said, qr/WARNING:  schema "board" was written by another version/, 'an update says what is to be renewed');
my $dump = $node->basedir . '/dump';
$node->command_ok([ 'pg_dump', '--no-sync', '--file', $dump,
	database("CREATE EXTENSION dlints VERSION '$oldest'", $pages) ], "a dump of version $oldest");
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', 'restored', '-f', $dump ],
	'is restored');
for my $way (sort keys %with)
{
	my $database = $with{$way};
	my $learned = $node->safe_psql($database, 'TABLE learned');

	is($node->safe_psql($database, 'SELECT name, current FROM dlints_recommenders'),
		"board|f\nfront|f", "$way: of another version");
	my $page = q{SELECT count(*) FROM board.recommend(7, 3);
		SELECT count(*) FROM front.rank('one', '{}', '["a"]')};
	is($node->safe_psql($database, "BEGIN; $page; ROLLBACK"), "3\n1", 'whose pages go on');
	# what others have made upon it stays
	$node->safe_psql($database, q{
		CREATE VIEW mine AS SELECT b.clicked, f.reward FROM board.outcome b CROSS JOIN front.outcome f;
		CREATE FUNCTION page() RETURNS SETOF bigint LANGUAGE sql
			BEGIN ATOMIC SELECT decision FROM board.recommend(1); END;
		CREATE FUNCTION first() RETURNS SETOF text LANGUAGE sql
			BEGIN ATOMIC SELECT action FROM front.rank('e', '{}', '["a"]'); END;});
	$node->safe_psql($database, q{SELECT dlints_renew('board'), dlints_renew('front')});
	is(Catalogue::definition($node, $database, $_), Catalogue::definition($node, $made, $_),
		"renewed, $_ is as if made now") for 'board', 'front';
	is($node->safe_psql($database, 'TABLE learned'), $learned, 'and what it learned is there');
	is($node->safe_psql($database, "$page; SELECT board.learn('0'), front.learn()"), "3\n1\n1|1",
		'pages go on, and so does learning');
}

### What an upgrade script can forget

# What it is, the line that is to differ, and the statement
my @news = (
	[
		'a function', 'function .*dlints_novelty',
		q{CREATE FUNCTION dlints_novelty(dlints, dlints) RETURNS boolean
		  AS 'MODULE_PATHNAME', 'dlints_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE}
	],
	[
		'a cost', 'function .*dlints_dot\(',
		'ALTER FUNCTION dlints_dot(double precision[], dlints_vector) COST 11'
	],
	[
		'parallel safety', 'function .*dlints_draw\(',
		'ALTER FUNCTION dlints_draw(dlints, bigint) PARALLEL SAFE'
	],
	[
		'a default', 'function .*dlints_draw_weights\(',
		q{CREATE OR REPLACE FUNCTION dlints_draw_weights(model dlints,
		  	profile double precision[] DEFAULT '{}', seed bigint DEFAULT 1)
		  RETURNS double precision[]
		  AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 1000}
	],
	[
		'an aggregate', 'aggregate .*dlints_concat_agg',
		q{CREATE OR REPLACE AGGREGATE dlints_concat_agg(dlints) (
		  SFUNC = dlints_concat, STYPE = dlints, SSPACE = 4096, COMBINEFUNC = dlints_concat,
			PARALLEL = SAFE)}
	],
	[
		'a type', 'type .*dlints',
		'ALTER TYPE dlints SET (STORAGE = extended)'
	],
	[
		'a cast', 'cast from .*dlints to text',
		'CREATE CAST (dlints AS text) WITH INOUT'
	],
	[
		'an operator', 'operator .*=\(',
		'ALTER OPERATOR = (dlints, dlints) SET (RESTRICT = matchingsel)'
	],
	[
		'an operator class', 'operator class .*dlints_more_ops',
		q{CREATE OPERATOR CLASS dlints_more_ops FOR TYPE dlints USING hash AS
		  OPERATOR 1 =, FUNCTION 1 dlints_hash(dlints)}
	],
	[
		'a member of an operator family', 'function 1 .*jsonb\) of operator family',
		q{ALTER OPERATOR FAMILY dlints_ops USING hash ADD
		  FUNCTION 1 (jsonb, jsonb) jsonb_hash(jsonb)}
	],
	[
		'a comment', 'comment on type',
		q{COMMENT ON TYPE dlints IS 'a model'}
	],
	[
		'a right', 'function .*dlints_stddev\(',
		q{REVOKE EXECUTE ON FUNCTION dlints_stddev(dlints, dlints_vector, dlints_vector)
		  FROM PUBLIC}
	],
	[
		'an owner', 'function .*dlints_mean\(',
		'ALTER FUNCTION dlints_mean(dlints) OWNER TO somebody_else'
	],
	[
		'a setting', 'function .*dlints_info\(',
		'ALTER FUNCTION dlints_info(dlints) SET search_path = pg_catalog'
	]);

$node->safe_psql('postgres', 'CREATE ROLE somebody_else');
for my $new (@news)
{
	my ($what, $line, $statement) = @$new;

	make_next("$statement;");
	like(differences(upgraded($next), fresh()),
		qr/^\+ $line/m, "an upgrade that forgets $what is found out");
}

my $all = join "\n", map { "$_->[2];" } @news;
make_next($all, $all);
is(differences(upgraded($next), fresh()),
	'', 'an upgrade that forgets nothing: as if created now');

### To another schema and back, away and back

make_next('');
my $moved = database(
	'CREATE EXTENSION dlints', @models, 'CREATE SCHEMA elsewhere',
	'ALTER EXTENSION dlints SET SCHEMA elsewhere');
my $elsewhere = database('CREATE SCHEMA elsewhere',
	'CREATE EXTENSION dlints SCHEMA elsewhere');
is(differences($moved, $elsewhere), '', 'moved: as if created there');
is( $node->safe_psql(
		$moved, q{
	SELECT count(*), bool_and(elsewhere.dlints_send(state) = bytes),
	       bool_and(state OPERATOR(elsewhere.=) text::elsewhere.dlints)
	FROM model}),
	'9|t|t',
	'and the models are what they were');
$node->safe_psql($moved, $_)
  for 'ALTER EXTENSION dlints SET SCHEMA public',
  'DROP EXTENSION dlints CASCADE';
is( $node->safe_psql(
		$moved, q{
	SELECT (SELECT count(*) FROM pg_proc WHERE proname LIKE 'dlints%') +
	       (SELECT count(*) FROM pg_type WHERE typname LIKE '%dlints%') +
	       (SELECT count(*) FROM pg_operator WHERE oprcode::text LIKE '%dlints%') +
	       (SELECT count(*) FROM pg_opclass WHERE opcname LIKE 'dlints%') +
	       (SELECT count(*) FROM pg_opfamily WHERE opfname LIKE 'dlints%')}),
	0,
	'dropped without a trace');
$node->safe_psql($moved, 'CREATE EXTENSION dlints');
is(differences($moved, fresh()), '', 'dropped and created again: as if new');

$node->stop;
done_testing();

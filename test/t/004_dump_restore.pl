# Models come out of pg_dump and COPY as the identical values.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use DlintsTest;
use Test::More;

my $source = DlintsTest->node('source');
my $target = DlintsTest->node('target');
my $folder = $source->basedir;

# In a schema of its own, which pg_dump does not have in its search_path
$source->safe_psql(
	'postgres', q{
	CREATE SCHEMA bandit;
	CREATE EXTENSION dlints SCHEMA bandit;
	SET search_path = public, bandit;
	CREATE TABLE model (name text PRIMARY KEY, state dlints);
	CREATE TABLE fixed (id serial, projected dlints(8, 3) DEFAULT dlints_new(8, 3, seed => 4),
	                    plain dlints(2) CHECK ((dlints_info(plain)).updates < 100),
	                    personal dlints(8, 3, 2, intercept), constant dlints(4, intercept));

	INSERT INTO model VALUES
		('nothing', NULL),
		('fresh', dlints_new(3)),
		('one dimension', dlints_update(dlints_new(1), ARRAY[0.1]::float8[], 1.0 / 3)),
		('fresh projected', dlints_new(65536, 7, seed => 9223372036854775807)),
		('lowest seed', dlints_new(10, 10, seed => -9223372036854775808)),
		('scale', dlints_new(50, 5, projection_scale => 1 / sqrt(50::float8)));

	-- trained on numbers that have no short decimal form
	CREATE TABLE shape (name text, model dlints);
	INSERT INTO shape VALUES
		('identity', dlints_new(12, discount => 0.97)),
		('projected', dlints_new(100, 10, discount => 0.995, seed => 3)),
		('no forgetting', dlints_new(9, discount => 1)),
		('projected, no forgetting', dlints_new(40, 20, discount => 1, ridge => 0.3)),
		('large', dlints_new(300, 120, exploration => 1.0 / 3));
	INSERT INTO model
	SELECT name, dlints_evidence(model,
		ARRAY(SELECT sin(i * j)::real FROM generate_series(1, (dlints_info(model)).context_dim) j),
		cos(i) ORDER BY i)
	FROM shape, generate_series(1, 70) i GROUP BY name;

	-- from one end of double precision to the other
	INSERT INTO model VALUES
		('huge', dlints_update(dlints_new(3, ridge => 1.7976931348623157e308,
			exploration => 1.7976931348623157e308), ARRAY[1e154, -3e153, 7e-3]::float8[], 1.2e154)),
		('tiny', dlints_update(dlints_new(3, discount => 2.2250738585072014e-308,
			ridge => 5e-324, exploration => 5e-324), ARRAY[1.5e-154, -2e-154, 0]::float8[], 1e-150)),
		('discount next to 1', dlints_update(dlints_new(2, discount => 0.9999999999999999),
			ARRAY[[1, 2], [3, 4]]::real[], ARRAY[0.1, 0.2]));

	INSERT INTO fixed (projected, plain)
	SELECT dlints_update(dlints_new(8, 3), array_fill(i / 7.0::real, ARRAY[8]), i),
	       dlints_update(dlints_new(2), ARRAY[i, 0.1]::float8[], i)
	FROM generate_series(1, 5) i;
	INSERT INTO fixed DEFAULT VALUES;
	DROP TABLE shape;

	INSERT INTO model
	SELECT 'shared context', dlints_evidence(m,
		ARRAY(SELECT sin(i * j)::real FROM generate_series(1, 20) j),
		ARRAY(SELECT cos(i * j)::real FROM generate_series(1, 5) j), cos(i) ORDER BY i)
	FROM dlints_new(20, 7, seed => 11, shared_dim => 5, intercept => true) m, generate_series(1, 70) i;
	UPDATE fixed
	SET personal = dlints_update(dlints_new(8, 3, shared_dim => 2, intercept => true),
	                             array_fill(id / 3.0::real, ARRAY[8]), ARRAY[id, 0.3]::real[], id),
	    constant = dlints_update(dlints_new(4, intercept => true), ARRAY[id, 0.1, 0.2, 0.3]::real[], id);
});

my $sent = q{
	SELECT name, md5(bandit.dlints_send(state)) FROM public.model
	UNION ALL
	SELECT 'fixed ' || id, md5(bandit.dlints_send(projected)) || ' ' ||
	                       coalesce(md5(bandit.dlints_send(plain)), '') || ' ' ||
	                       md5(bandit.dlints_send(personal)) || ' ' || md5(bandit.dlints_send(constant))
	FROM public.fixed
	ORDER BY 1};
my $columns = q{
	SELECT attrelid::regclass, attname, format_type(atttypid, atttypmod)
	FROM pg_attribute
	WHERE attrelid IN ('public.model'::regclass, 'public.fixed'::regclass) AND attnum > 0
	ORDER BY attrelid::regclass::text, attnum};
my $before = $source->safe_psql('postgres', $sent);

is(scalar(split /\n/, $before), 21, 'models to dump');
is( $source->safe_psql(
		'postgres', q{
	SELECT count(*) FROM public.model
	WHERE bandit.dlints_send(state) <> bandit.dlints_send(state::text::bandit.dlints)
	   OR bandit.dlints_send(state) <> bandit.dlints_send(state::jsonb::bandit.dlints)}
	),
	0,
	'text and jsonb read back to the identical value');
is( $source->safe_psql(
		'postgres', q{
	SET extra_float_digits = -15;
	SELECT count(*) FROM public.model
	WHERE bandit.dlints_send(state) <> bandit.dlints_send(state::text::bandit.dlints)}
	),
	0,
	'whatever extra_float_digits says');

# JSON keeps no sign of zero, so that no model may have one
is( $source->safe_psql(
		'postgres', q{
	SET search_path = bandit;
	SELECT dlints_send(m) = dlints_send(m::text::dlints)
	FROM dlints_new(2, exploration => '-0') m}),
	't',
	'a parameter that is minus zero');

### pg_dump

sub identical
{
	my ($database, $how) = @_;

	is($target->safe_psql($database, $sent), $before, "$how: identical values");
	is( $target->safe_psql($database, $columns),
		$source->safe_psql('postgres', $columns),
		"$how: the same column types");
	is( $target->safe_psql(
			$database, q{
		INSERT INTO public.fixed DEFAULT VALUES
		RETURNING bandit.dlints_info(projected)}),
		'(8,3,0.99,1,0.1,4,0.5773502691896258,thompson,0,f,0,0,,248,1)',
		"$how: the default is there");

	my ($status, $stdout, $stderr) = $target->psql($database,
		'INSERT INTO public.fixed (projected) VALUES (bandit.dlints_new(8, 4))');
	like(
		$stderr,
		qr/expected dlints\(8,3\), not dlints\(8,4\)/,
		"$how: a column's sizes are enforced");
	($status, $stdout, $stderr) = $target->psql($database,
		'INSERT INTO public.fixed (personal) VALUES (bandit.dlints_new(8, 3, shared_dim => 2))');
	like(
		$stderr,
		qr/expected dlints\(8,3,2,intercept\), not dlints\(8,3,2\)/,
		"$how: and its intercept");
	return;
}

for my $case (
	[ 'plain', '--format=plain' ],
	[ 'inserts', '--format=plain', '--inserts', '--rows-per-insert=3' ],
	[ 'custom', '--format=custom' ],
	[ 'directory', '--format=directory' ])
{
	my ($how, @options) = @$case;
	my $dump = "$folder/$how.dump";

	$target->safe_psql('postgres', qq{CREATE DATABASE "$how"});
	$source->command_ok(
		[ 'pg_dump', '--no-sync', @options, '--file', $dump, 'postgres' ],
		"$how: dumped");
	$target->command_ok(
		$options[0] eq '--format=plain'
		? [ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $how, '-f', $dump ]
		: [ 'pg_restore', '--exit-on-error', '--dbname', $how, $dump ],
		"$how: restored");
	identical($how, $how);
}

### COPY

for my $format ('text', 'csv', 'binary')
{
	my $file = "$folder/model.$format";
	my $other = "$folder/fixed.$format";

	$target->safe_psql(
		'postgres', qq{
		CREATE DATABASE "copy $format" TEMPLATE "plain"});
	$target->safe_psql("copy $format",
		'TRUNCATE public.model, public.fixed');
	$source->safe_psql(
		'postgres', qq{
		COPY public.model TO '$file' (FORMAT $format);
		COPY public.fixed TO '$other' (FORMAT $format)});
	$target->safe_psql(
		"copy $format", qq{
		COPY public.model FROM '$file' (FORMAT $format);
		COPY public.fixed FROM '$other' (FORMAT $format)});
	is($target->safe_psql("copy $format", $sent),
		$before, "COPY as $format: identical values");
}

# A value that does not fit the column it is copied into
for my $format ('text', 'binary')
{
	my $file = "$folder/misfit.$format";

	$source->safe_psql('postgres',
		"COPY (SELECT state FROM public.model WHERE name = 'fresh') TO '$file' (FORMAT $format)"
	);

	my ($status, $stdout, $stderr) = $target->psql('plain',
		"COPY public.fixed (projected) FROM '$file' (FORMAT $format)");
	like(
		$stderr,
		qr/expected dlints\(8,3\), not dlints\(3\)/,
		"COPY as $format: a column's sizes are enforced");
}

# What was restored goes on as what was dumped
my $next = q{
	SELECT name, md5(bandit.dlints_send(CASE i.shared_dim
	                 WHEN 0 THEN bandit.dlints_update(state, array_fill(0.1::real, ARRAY[i.context_dim]), 1)
	                 ELSE bandit.dlints_update(state, array_fill(0.1::real, ARRAY[i.context_dim]),
	                                           array_fill(0.2::real, ARRAY[i.shared_dim]), 1) END)),
	       md5(bandit.dlints_draw(state, 17)::text)
	FROM public.model, bandit.dlints_info(state) i
	WHERE name NOT IN ('nothing', 'huge') ORDER BY name};
is( $target->safe_psql('custom', $next),
	$source->safe_psql('postgres', $next),
	'restored models learn and draw as the dumped ones');

$source->stop;
$target->stop;
done_testing();

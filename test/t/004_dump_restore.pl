# Models come out of pg_dump and COPY as the identical values.
use strict;
use warnings;

use DlintsTest;
use Test::More;

# In a separate schema, which pg_dump does not have in its search_path
my ($source, $target) = map { DlintsTest->node($_, conf => "search_path = 'public, bandit'\n") } 'source', 'target';
my $folder = $source->basedir;

$source->safe_psql('postgres', 'CREATE SCHEMA bandit; CREATE EXTENSION dlints SCHEMA bandit');
DlintsTest->run_file($source, $_) for 'models.sql', 'kinds.sql';
$source->safe_psql('postgres', q{
	CREATE TABLE fixed (id serial, projected dlints(8, 3) DEFAULT dlints_new(8, 3, seed => 4),
	                    plain dlints(2) CHECK ((dlints_info(plain)).updates < 100),
	                    personal dlints(8, matched, intercept), constant dlints(4, intercept),
	                    matched dlints(4, matched),
		embedded dlints(8, 3, matched, intercept));

	INSERT INTO fixed (projected, plain, personal, constant)
	SELECT learned(dlints_new(8, 3), i), learned(dlints_new(2), i),
	       learned(dlints_new(8, interactions => 'matched'), i),
	       learned(dlints_new(4), i)
	FROM generate_series(1, 5) i;
	INSERT INTO fixed (matched, embedded)
	VALUES (learned(dlints_new(4, interactions => 'matched'), 5),
	        learned(dlints_new(8, 3, interactions => 'matched'), 5));
	INSERT INTO fixed (personal)
	VALUES (learned(dlints_new(8, interactions => 'matched'), 6));
	DROP FUNCTION learned, numbers, distance;

	CREATE TABLE item (id integer PRIMARY KEY, category text, tags text[], details jsonb,
		price float8,
	                   features real[] GENERATED ALWAYS AS
	                       (dlints_encode(16, 'category', category, 'tags', tags, 'price', price)
		|| dlints_encode(4, details)) STORED);
	CREATE INDEX ON item (dlints_encode(2, 'category', category));
	INSERT INTO item VALUES (1, 'book', '{new,"on sale"}', '{"pages": 300, "author": "Strauß"}',
		0.3), (2, NULL, '{}', NULL, NULL);

	-- What a generated column calls finds dlints by itself: pg_dump has no search_path, and a
	-- function in SQL that counts on one could be inlined, not created and not filled.
	CREATE FUNCTION encoded(category text) RETURNS real[] IMMUTABLE LANGUAGE sql
		SET search_path = bandit AS $$ SELECT dlints_encode(8, 'category', category) $$;
	CREATE TABLE thing (category text, given dlints_vector,
		features real[] GENERATED ALWAYS AS (encoded(category)) STORED);
	INSERT INTO thing VALUES ('book', '{0.1, 1e300}'), ('none', NULL), ('empty', '{}'),
		('real', ARRAY[0.1, 0.3]::real[]), ('double', ARRAY[0.1, 1.0/3]::float8[]),
		('numbers', ARRAY[0.1, 0.3]), ('integers', ARRAY[1, 2])});

my $sent = q{
	SELECT name, md5(dlints_send(state)) FROM model
	UNION ALL
	SELECT 'fixed ' || id, concat_ws(' ', md5(dlints_send(projected)), md5(dlints_send(plain)),
	                                 md5(dlints_send(personal)), md5(dlints_send(constant)),
	                                 md5(dlints_send(matched)),
		md5(dlints_send(embedded)))
	FROM fixed
	ORDER BY 1};
my $columns = q{
	SELECT attrelid::regclass, attname, format_type(atttypid, atttypmod)
	FROM pg_attribute
	WHERE attrelid IN ('model'::regclass, 'fixed'::regclass) AND attnum > 0
	ORDER BY attrelid::regclass::text, attnum};
my $encoded = q{
	SELECT id::text, features::text, NULL FROM item
	UNION ALL
	SELECT category, features::text, given::text FROM thing ORDER BY 1};
my $before = $source->safe_psql('postgres', $sent);

is(scalar(split /\n/, $before), 27, 'models to dump');
for my $setting (1, -15)
{
	is($source->safe_psql('postgres', qq{
		SET extra_float_digits = $setting;
		SELECT name FROM model
		WHERE dlints_send(state) <> dlints_send(state::text::dlints)
			OR dlints_send(state) <> dlints_send(state::jsonb::dlints)}),
		'',
		"text and jsonb read back to the identical value, extra_float_digits = $setting");
}

# jsonb does not keep the sign of zero, so no model may contain a negative zero
is($source->safe_psql('postgres',
		q{SELECT dlints_send(m) = dlints_send(m::text::dlints)
			FROM dlints_new(2, exploration => '-0') m}),
	't',
	'a parameter that is minus zero');

### pg_dump

# SQLSTATE of a statement
sub refusal
{
	my ($database, $statement) = @_;
	my (undef, undef, $stderr) = $target->psql($database, $statement);

	return $stderr;
}

sub identical
{
	my ($how) = @_;

	is($target->safe_psql($how, $sent), $before, "$how: restored values are identical");
	is($target->safe_psql($how, $columns), $source->safe_psql('postgres', $columns), "$how: column types are restored");
	is($target->safe_psql($how, $encoded),
		$source->safe_psql('postgres', $encoded),
		"$how: encodings and vectors are restored");
	is($target->safe_psql($how, q{
		INSERT INTO fixed DEFAULT VALUES
		RETURNING projected = dlints_new(8, 3, seed => 4)}),
		't',
		"$how: the default is there");
	like(refusal($how, 'INSERT INTO fixed (projected) VALUES (dlints_new(8, 4))'),
		qr/expected dlints\(8,3\), not dlints\(8,4,intercept\)/,
		"$how: a column's sizes are enforced");
	like(
		refusal($how,
			q{INSERT INTO fixed (personal) VALUES (dlints_new(8, interactions => 'matched',
			intercept => false))}),
		qr/expected dlints\(8,matched,intercept\), not dlints\(8,matched\)/,
		"$how: and its intercept");
	like(
		refusal($how,
			q{INSERT INTO fixed (matched) VALUES (dlints_new(4))}),
		qr/expected dlints\(4,matched\), not dlints\(4,intercept\)/,
		"$how: and its kind");
	return;
}

# Other formats have values in the form of COPY, as "custom" has.
for my $case (
	[ 'custom', '--format=custom' ],
	[ 'inserts', '--format=plain', '--inserts', '--rows-per-insert=3' ])
{
	my ($how, @options) = @$case;
	my $dump = "$folder/$how.dump";

	$target->safe_psql('postgres', qq{CREATE DATABASE "$how"});
	$source->command_ok([ 'pg_dump', '--no-sync', @options, '--file', $dump, 'postgres' ], "$how: the dump succeeds");
	$target->command_ok(
		$options[0] eq '--format=plain'
		? [ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $how, '-f', $dump ]
		: [ 'pg_restore', '--exit-on-error', '--dbname', $how, $dump ],
		"$how: the restore succeeds");
	identical($how);
}

### COPY

for my $format ('text', 'csv', 'binary')
{
	my $copy = sub {
		my ($direction) = @_;
		return join '', map { "COPY $_ $direction '$folder/$_.$format' (FORMAT $format);" } 'model', 'fixed', 'thing';
	};

	$target->safe_psql('postgres', qq{CREATE DATABASE "copy $format" TEMPLATE "inserts"});
	$source->safe_psql('postgres', $copy->('TO'));
	$target->safe_psql("copy $format", 'TRUNCATE model, fixed, thing;' . $copy->('FROM'));
	is($target->safe_psql("copy $format", $sent), $before, "COPY as $format keeps the values");
	is($target->safe_psql("copy $format", $encoded),
		$source->safe_psql('postgres', $encoded),
		"COPY as $format keeps the vectors");

	# A value that does not fit the column it is copied into
	$source->safe_psql('postgres',
		"COPY (SELECT state FROM model
			WHERE name = 'fresh') TO '$folder/misfit.$format' (FORMAT $format)");
	like(
		refusal("copy $format",
			"COPY fixed (projected) FROM '$folder/misfit.$format' (FORMAT $format)"),
		qr/expected dlints\(8,3\), not dlints\(3,intercept\)/,
		"COPY as $format: a column's sizes are enforced");
}

# A restored model is trained like the dumped one
my $next = q{
	SELECT name, md5(dlints_send(dlints_update(state, array_fill(0.1, ARRAY[i.dim]), 1,
		array_fill(0.2, ARRAY[i.profile_dim]), '2026-02-01 00:00:00+00'))),
	       md5(dlints_draw(state, 17)::text)
	FROM model, dlints_info(state) i WHERE state IS NOT NULL ORDER BY name};
is($target->safe_psql('custom', $next),
	$source->safe_psql('postgres', $next),
	'restored models learn and draw as the dumped ones');

$source->stop;
$target->stop;
done_testing();

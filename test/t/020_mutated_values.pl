# Randomly altered values in tables: each is refused or harmless for every function.  DLINTS_TEST_SEED repeats a run.
# Altered input is in 005_binary_copy.pl and in test/fuzz.
use strict;
use warnings;

use BinaryForm;
use DlintsTest;
use Test::More;

my $seed = $ENV{DLINTS_TEST_SEED} // 20200601;
note "DLINTS_TEST_SEED=$seed";
srand($seed);

# Without this setting, a server with checksums would not read damaged pages.
my $node = DlintsTest->node('main', conf => "ignore_checksum_failure = on\njit = off\n");
my $postmaster = postmaster();

sub postmaster
{
	return (split /\n/, DlintsTest->slurp($node->data_dir . '/postmaster.pid'))[0];
}

sub sql
{
	my ($query) = @_;

	return $node->safe_psql('postgres', $query);
}

# Call every function on every model of a table; the session must not end
sub ask_all
{
	my ($table, $name) = @_;
	my ($status, $stdout, $stderr) = $node->psql('postgres', "TRUNCATE answer; CALL ask_all('$table')");

	is($status, 0, "$name: the session is alive") or diag $stderr;
	return;
}

sql('CREATE EXTENSION dlints');
DlintsTest->run_file($node, $_) for 'models.sql', 'probes.sql';
sql(q{
	-- what is kept is an answer other than true, or other than 22023 to a
	-- question that is not for such a model
	CREATE TABLE answer (name text, n integer, answer text, message text);
	CREATE PROCEDURE ask_all(source regclass) LANGUAGE plpgsql AS $$
	DECLARE
		p probe;
		a record;
		good boolean;
		what text;
		misfit boolean;
		dims integer;
		profile_dims integer;
		kind text;
	BEGIN
		FOR a IN EXECUTE format('SELECT n, state FROM %s ORDER BY n', source) LOOP
			BEGIN
				SELECT dim, profile_dim, interactions INTO dims, profile_dims, kind
				FROM dlints_info(a.state);
			EXCEPTION WHEN OTHERS THEN
				dims := 2;
				profile_dims := 0;
				kind := NULL;
			END;
			FOR p IN SELECT * FROM probe LOOP
				misfit := kind IS NULL AND p.profile;
				BEGIN
					EXECUTE 'SELECT ' || p.query INTO good
					USING a.state, array_fill(0.5::real, ARRAY[dims]),
						array_fill(0.5::real, ARRAY[greatest(profile_dims, 1)]);
					IF misfit OR good IS NOT TRUE THEN
						INSERT INTO answer VALUES (p.name, a.n,
							CASE WHEN misfit THEN 'not refused' ELSE coalesce(good::text,
							'NULL') END, '');
					END IF;
				EXCEPTION WHEN OTHERS THEN
					GET STACKED DIAGNOSTICS what = MESSAGE_TEXT;
					IF SQLSTATE <> '22023' OR misfit IS NOT TRUE THEN
						INSERT INTO answer VALUES (p.name, a.n, SQLSTATE, what);
					END IF;
				END;
			END LOOP;
			COMMIT;
		END LOOP;
	END $$;
});

# A view depends on exactly the functions that its query calls.  Support functions are called by aggregates, and
# recv by COPY; a function calls send.
sql(q{
	DO $$
	DECLARE
		p record;
	BEGIN
		FOR p IN SELECT row_number() OVER (), query FROM probe LOOP
			EXECUTE format('CREATE VIEW asked_%s AS SELECT %s AS answer
				FROM (SELECT NULL::dlints, NULL::real[], NULL::real[]) AS a (v1, v2, v3)',
				p.row_number, regexp_replace(p.query, '\$([123])', 'a.v\1', 'g'));
		END LOOP;
	END $$});
is(sql(q{
	SELECT p.oid::regprocedure FROM pg_proc p
	JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
	JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
	WHERE e.extname = 'dlints' AND prolang = (SELECT oid FROM pg_language WHERE lanname = 'c')
	AND 'internal'::regtype <> ALL (proargtypes::oid[]::regtype[])
	AND proname !~ '^_|(_send|transfn|combinefn|finalfn)$' AND NOT EXISTS (
		SELECT FROM pg_depend v WHERE v.classid = 'pg_rewrite'::regclass
		AND v.refclassid = 'pg_proc'::regclass AND v.refobjid = p.oid)}),
	'',
	'every form of every function in C is asked');

# SQL for models of several kinds
my @models = map { "learned(dlints_new($_->[0]), $_->[1])" }
  [ '3, discount => 0.9, intercept => false', 20 ],
  [ '7, 4, seed => 12, policy => \'ucb\', intercept => false', 50 ],
  [ '4, discount => 1', 10 ],
  [ '2, 2, discount => 1, policy => \'greedy\'', 3 ],
  [ '5, 2', 0 ],
  [ '3, interactions => \'matched\', intercept => false', 30 ],
  [ '4, discount => 1, policy => \'ucb\', interactions => \'matched\'', 20 ],
  [ '3, intercept => true', 10 ],
  [ '3, half_life => \'1 day\', memories => 2', 20 ],
  [ '3, discount => 0.9, interactions => \'matched\'', 20 ],
  [ '6, 3, seed => 9, interactions => \'matched\', intercept => false', 20 ];

### Random mutations

my @extremes = (
	0, -0.0, 1, -1, 0.5, 2, 1e-300, -1e-300, 5e-324, 2.2250738585072014e-308,
	1.7976931348623157e308, -1.7976931348623157e308, 1e154, -1e154, 1e16,
	9**9**9, -9**9**9, -sin(9**9**9));

sub pick { return $_[ rand @_ ]; }

my @sizes = (0 .. 8, -1, 255, 256, 257, 1024, 1025, 65536, 65537, 2**31 - 1, -2**31);

# Half of the positions are in headers, which are short
sub place
{
	my ($value) = @_;
	my $most = length($value);

	$most = VALUES if $most > VALUES && rand() < 0.5;
	return int(rand($most));
}

# Position of a number of eight bytes
sub number_place
{
	my ($value, $first) = @_;

	return $first + 8 * int(rand((length($value) - $first) / 8));
}

# An integer in the byte order of the format
sub integer
{
	my ($value, $format) = @_;

	return pack($format =~ tr/d/l/r, $value);
}

# Mutations keep the length; "first" is the position of the first number, "format" the byte order.
my @in_place = (
	sub { my ($v) = @_; my $at = place($v); replaced($v, $at,
		substr($v, $at, 1) ^ chr(1 << rand 8)) },
	sub { my ($v) = @_; replaced($v, place($v), chr(rand 256)) },
	sub { my ($v) = @_; $v = replaced($v, place($v), chr(rand 256)) for 1 .. 6; $v },
	sub { my ($v, $first, $format) = @_; replaced($v, number_place($v, $first),
		pack($format, pick(@extremes))) },
	sub { my ($v, $first, $format) = @_; replaced($v, number_place($v, $first),
		pack($format, pick(@extremes))) },
	# a size, or whether there is an intercept
	sub { my ($v, $first, $format) = @_; replaced($v,
		pick(DIM, REDUCED_DIM, PROFILE_DIM, PROFILE_DIM) + $first - DISCOUNT,
		integer(pick(@sizes), $format)) },
	sub { my ($v) = @_; replaced($v, INTERCEPT, substr($v, INTERCEPT, 1) ^ chr(1)) },
	# another kind
	sub { my ($v) = @_; replaced($v, INTERACTIONS, chr(pick(0 .. 2))) },
	# a header field or a number is replaced by another one
	sub { my ($v, $first) = @_; replaced($v, number_place($v, $first),
		substr($v, number_place($v, $first), 8)) },
	sub { my ($v) = @_; my $long = pick(1, 2, 4); replaced($v, place($v),
		substr($v, place($v), $long)) });

sub mutated
{
	my ($value, $first, $format, @kinds) = @_;

	do
	{
		return $value if length($value) < $first + 8;
		$value = pick(@kinds)->($value, $first, $format);
	} while (rand() < 0.25);
	return $value;
}

### Stored values

# Rows of all kinds.  Each model's seed tells which row it belongs to.
my $damaged = 66;
my $mark = 2**40 + 7_000_000;
sql(qq{
	CREATE TABLE damaged (n integer, state dlints);
	ALTER TABLE damaged ALTER state SET STORAGE plain;
	INSERT INTO damaged
	SELECT n, (jsonb_set(m.models[1 + n % ${\ scalar @models}]::jsonb, '{seed}',
		to_jsonb($mark + n)))::dlints
	FROM generate_series(0, $damaged - 1) n, (SELECT ARRAY[${\ join(', ', @models)}] AS models) m;
	VACUUM FREEZE damaged;
	CREATE VIEW one_of_each AS SELECT * FROM damaged WHERE n < ${\ scalar @models}});
my $path = $node->data_dir . '/' . sql(q{SELECT pg_relation_filepath('damaged')});
my $size = sql('SELECT max((dlints_info(state)).bytes) FROM damaged');
ask_all('one_of_each', 'stored values');
is(sql('SELECT * FROM answer'), '', 'stored values are sound before they are damaged');

# After the length, numbers are in the machine's byte order, and positions from the first size on are one byte
# higher than in the external form.
use constant { UNUSED => 1, HEADER => 188 };

# Number of bytes after the length word, which ends at this position
sub stored_size
{
	my ($heap, $at) = @_;
	my $word = unpack('L', substr($heap, $at - 4, 4));

	# on little-endian machines it is in the upper bits
	return (unpack('C', pack('S', 1)) ? $word >> 2 : $word) - 4;
}

# A few models with a projection and no intercept get valid parameters of another size: another reduced_dim, or an
# intercept.
my %resized = map { (1 + @models * $_) => 1, (11 + @models * $_) => 1 } 0 .. 4;

sub resized
{
	my ($value, $n) = @_;

	return $n % (2 * @models) < @models
	  ? replaced($value, INTERCEPT, substr($value, INTERCEPT, 1) ^ chr(1))
	  : replaced($value, REDUCED_DIM + UNUSED, pack('l', 2));
}

$node->stop;
my $stored = DlintsTest->slurp($path);
my $heap = $stored;
my $found = 0;
for my $n (0 .. $damaged - 1)
{
	my $at = index($stored, pack('q', $mark + $n));

	next if $at < 0;
	$found++;
	my $start = $at - SEED - UNUSED;
	my $bytes = stored_size($stored, $start);
	die "no value at $start" if $bytes < HEADER || $bytes > $size;
	my $value = substr($stored, $start, $bytes);

	substr($heap, $start, $bytes) =
	    $resized{$n}
	  ? resized($value, $n) : mutated($value, DISCOUNT + UNUSED, 'd', @in_place);
}
is($found, $damaged, 'all stored values were found');
DlintsTest->spew($path, $heap);
$node->start;
$postmaster = postmaster();

ask_all('damaged', 'every function on damaged values');
is(sql(q{
	SELECT name, answer, count(*), min(n), min(message) FROM answer
	WHERE answer !~ '^(22...|54...|0A000|XX001|false)$'
		OR (answer = '22023' AND message <> 'cannot retract evidence that the model does not contain')
		GROUP BY name, answer}),
	'',
	'errors are clean');
is(sql(q{
	SELECT count(*) FROM answer WHERE n IN (} . join(', ', keys %resized) . q{)
	AND answer = 'XX001' AND message ~ '^stored dlints value (has|is invalid)'}),
	sql('SELECT count(*) FROM probe') * keys %resized,
	'no function reads a value that is not as long as it says');
# dlints_info shows the stored value, and invalid models remain invalid.
is(sql(q{
	SELECT name, n FROM answer JOIN probe USING (name)
	WHERE answer IN ('false', 'NULL') AND query ~ 'finite' AND name <> 'info'}),
	'',
	'functions of damaged values return finite numbers');
cmp_ok(sql(q{SELECT count(DISTINCT n) FROM answer WHERE answer = 'XX001'}),
	'>', $damaged / 20, 'damage is seen and called so');
note sql(q{SELECT answer, regexp_replace(message, '\d.*', ''), count(*),
	string_agg(DISTINCT name, ' ') FROM answer GROUP BY 1, 2 ORDER BY 1, 2});

### No session ended

is(postmaster(), $postmaster, 'the server has not restarted');
unlike(DlintsTest->slurp($node->logfile),
	qr/server process .* (was terminated|exited with exit code)|PANIC|TRAP/,
	'no process of the server has crashed');
$node->stop;
done_testing();

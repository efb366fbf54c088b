# Binary COPY takes nothing for granted: truncated and altered values are
# refused, and what is accepted does no harm.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use DlintsTest;
use Test::More;

my $node = DlintsTest->node('main', conf => "log_statement = none\n");
my $folder = $node->basedir;

$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION dlints;
	CREATE TABLE arrival (n integer, state dlints);
	CREATE TABLE refusal (n integer, sqlstate text, message text);

	-- copies files first to last, each a table of its own
	CREATE PROCEDURE copy_files(folder text, first integer, last integer) LANGUAGE plpgsql AS $$
	DECLARE
		text text;
	BEGIN
		FOR n IN first .. last LOOP
			BEGIN
				EXECUTE format('COPY arrival FROM %L (FORMAT binary)', folder || '/' || n);
			EXCEPTION WHEN OTHERS THEN
				GET STACKED DIAGNOSTICS text = MESSAGE_TEXT;
				INSERT INTO refusal VALUES (n, SQLSTATE, text);
			END;
		END LOOP;
	END $$;
});

# Bytes of a model that has seen this many rows; with_shared: under shared contexts
sub shape
{
	my ($model, $rows, $with_shared) = @_;
	my $shared = $with_shared
	  ? 'ARRAY(SELECT cos(2 * i * j)::real FROM generate_series(1, (dlints_info(m)).shared_dim) j),'
	  : '';
	my $hex = $node->safe_psql(
		'postgres', qq{
		WITH new AS MATERIALIZED (SELECT $model AS m)
		SELECT encode(dlints_send(m || (
			SELECT dlints_evidence(m,
				ARRAY(SELECT sin(i * j)::real FROM generate_series(1, (dlints_info(m)).context_dim) j),
				$shared cos(i) ORDER BY i)
			FROM generate_series(1, $rows) i)), 'hex')
		FROM new});

	return pack('H*', $hex);
}

my $plain = shape('dlints_new(3, discount => 0.9)', 20);
my $projected = shape('dlints_new(7, 4, seed => 12)', 50);
my $lasting = shape('dlints_new(4, discount => 1)', 10);
my $untrained = shape('dlints_new(5, 2)', 0);
my $constant = shape('dlints_new(3, discount => 1, intercept => true)', 10);
my $shared = shape('dlints_new(6, 4, seed => 5, shared_dim => 3, intercept => true)', 30, 1);
my $long = shape('dlints_new(400, 60)', 3);

my $files = 0;

# A table of one row as binary COPY writes it, in a file
sub write_file
{
	my ($value) = @_;
	my $path = "$folder/" . ++$files;

	open(my $file, '>:raw', $path) or die "could not open $path: $!";
	print $file "PGCOPY\n\377\r\n\0", pack('NN', 0, 0),
	  pack('n N N', 2, 4, $files), pack('N/a*', $value), pack('n', 0xFFFF);
	close($file);
	return $files;
}

# The bytes with others put in their place
sub altered
{
	my ($value, $offset, $bytes) = @_;

	substr($value, $offset, length($bytes)) = $bytes;
	return $value;
}

# Numbers in network order
sub int16 { return pack('n', $_[0]); }
sub int32 { return pack('N', $_[0]); }
sub float8 { return pack('d>', $_[0]); }

# Where they are in the value
use constant {
	VERSION => 0,
	POLICY => 2,
	PROJECTION => 3,
	GENERATOR => 4,
	FLAGS => 5,
	UNUSED1 => 6,
	CONTEXT_DIM => 8,
	DIM => 12,
	SHARED_DIM => 16,
	DISCOUNT => 20,
	RIDGE => 28,
	EXPLORATION => 36,
	SCALE => 44,
	SEED => 52,
	UPDATES => 60,
	WEIGHT_SUM => 68,
	REWARD_SUM => 76,
	REWARD_SQUARE_SUM => 84,
	UNUSED2 => 92,
	VALUES => 124,
};

my $nan = pack('H*', '7ff8000000000000');
my $signalling_nan = pack('H*', 'fff0000000000001');
my $infinity = pack('H*', '7ff0000000000000');
my $minus_infinity = pack('H*', 'fff0000000000000');

### What must be refused: name, value, SQLSTATE, message

my @refused;

sub refuse
{
	my ($name, $value, $sqlstate, $message) = @_;

	push @refused,
	  {
		n => write_file($value),
		name => $name,
		sqlstate => $sqlstate // '22P03',
		message => $message // qr/^invalid dlints in external value$/
	  };
	return;
}

refuse("$_ bytes", substr($plain, 0, $_)) for 0 .. length($plain) - 1;
refuse("$_ bytes of a projected model", substr($projected, 0, $_))
  for 1, 100, VALUES - 1, VALUES, VALUES + 8, length($projected) - 8;
refuse("$_ more bytes", $plain . "\0" x $_) for 1, 7, 8, 64, 100_000;
refuse('twice the value', $plain . $plain);

refuse("version $_", altered($plain, VERSION, int16($_)),
	'0A000', qr/^unsupported dlints format version $_$/)
  for 0, 2, 256, 65535;
refuse("policy $_", altered($plain, POLICY, chr $_)) for 3, 4, 255;
refuse("projection $_", altered($plain, PROJECTION, chr $_)) for 2, 255;
refuse('a projection without scale', altered($plain, PROJECTION, chr 1));
refuse('no projection and other sizes', altered($projected, PROJECTION, chr 0));
refuse("generator $_", altered($plain, GENERATOR, chr $_)) for 0, 2, 255;
refuse("flag $_", altered($plain, FLAGS, chr(1 << $_))) for 0 .. 7;
refuse("flag $_ beside the intercept", altered($shared, FLAGS, chr(1 | 1 << $_)))
  for 1 .. 7;
refuse('an intercept taken away', altered($_, FLAGS, chr 0)) for $constant, $shared;
refuse('an intercept more', altered($projected, FLAGS, chr 1));
refuse("unused field at $_", altered($plain, $_, "\1"))
  for UNUSED1, UNUSED1 + 1, UNUSED2, UNUSED2 + 31;
refuse('unused number that is minus zero',
	altered($plain, UNUSED2 + 8, float8(-0.0)))
  if float8(-0.0) ne float8(0);

for my $size (0, -1, 1, 2, 4, 1024, 1025, 65536, 65537, 1 << 30, 2**31 - 1, -2**31)
{
	refuse("context_dim $size", altered($plain, CONTEXT_DIM, int32($size)));
	refuse("reduced_dim $size", altered($plain, DIM, int32($size)));
	refuse("both sizes $size",
		altered($plain, CONTEXT_DIM, int32($size) . int32($size)));
	refuse("projected, reduced_dim $size",
		altered($projected, DIM, int32($size)))
	  if $size != 4;
	refuse("projected, both sizes $size",
		altered($projected, CONTEXT_DIM, int32($size) . int32($size)))
	  if $size != 4;
	refuse("without evidence, reduced_dim $size",
		altered(substr($projected, 0, VALUES), DIM, int32($size)));
}
refuse("projected, context_dim $_", altered($projected, CONTEXT_DIM, int32($_)))
  for 0, -1, 3, 65537, 2**31 - 1, -2**31;
refuse("shared, context_dim $_", altered($shared, CONTEXT_DIM, int32($_)))
  for 0, -1, 65537, 2**31 - 1, -2**31;
refuse('shared, reduced_dim above all interactions',
	altered($shared, CONTEXT_DIM, int32(1) . int32(4) . int32(2)));
for my $size (-1, 65537, 1 << 24, 1 << 30, 2**31 - 1, -2**31)
{
	refuse("shared_dim $size", altered($_, SHARED_DIM, int32($size)))
	  for $projected, $shared, substr($shared, 0, VALUES);
	refuse("all sizes $size",
		altered($shared, CONTEXT_DIM, int32($size) x 3));
}
refuse("without projection, shared_dim $_", altered($plain, SHARED_DIM, int32($_)))
  for -1, 1, 3, 65536, 65537, 2**31 - 1, -2**31;

for my $bad (
	[ 'NaN', $nan ],
	[ 'signalling NaN', $signalling_nan ],
	[ 'infinity', $infinity ],
	[ '-infinity', $minus_infinity ])
{
	my ($name, $bytes) = @$bad;

	refuse("$name as discount", altered($plain, DISCOUNT, $bytes));
	refuse("$name as ridge", altered($plain, RIDGE, $bytes));
	refuse("$name as exploration", altered($plain, EXPLORATION, $bytes));
	refuse("$name as projection_scale", altered($_, SCALE, $bytes))
	  for $plain, $projected;
	refuse("$name in the header at $_", altered($plain, $_, $bytes))
	  for WEIGHT_SUM, REWARD_SUM, REWARD_SQUARE_SUM;
	for my $value ($plain, $lasting, $shared)
	{
		for (my $at = VALUES; $at < length($value); $at += 8)
		{
			refuse("$name as evidence at $at", altered($value, $at, $bytes));
		}
	}
	refuse("$name at the end of much evidence",
		altered($long, length($long) - 8, $bytes));
}
refuse("discount $_", altered($plain, DISCOUNT, float8($_)))
  for 0, -0.5, 1.5, -1, 1e300;
refuse('discount 1 with a second matrix', altered($plain, DISCOUNT, float8(1)));
refuse('no second matrix and discount 0.5',
	altered($lasting, DISCOUNT, float8(0.5)));
refuse("ridge $_", altered($plain, RIDGE, float8($_))) for 0, -1, -1e-300;
refuse("exploration $_", altered($plain, EXPLORATION, float8($_)))
  for -1, -1e-300;
refuse("projection_scale $_", altered($projected, SCALE, float8($_)))
  for 0, -1;
refuse('projection_scale without projection', altered($plain, SCALE, float8(1)));
refuse('-1 updates', altered($plain, UPDATES, "\377" x 8));
refuse('lowest count of updates', altered($plain, UPDATES, "\200" . "\0" x 7));
refuse("negative number at $_", altered($plain, $_, float8(-1e-9)))
  for WEIGHT_SUM, REWARD_SQUARE_SUM;

# G[i][i] negative, wherever the packed order has put it: all numbers negative
{
	my $count = (length($plain) - VALUES) / 8;

	refuse('negative diagonal of H',
		altered($plain, VALUES + 9 * 8, float8(-1) x 6));
	refuse('negative diagonal of G',
		altered($plain, VALUES + 3 * 8, float8(-1) x 6));
	is($count, 15, 'b of 3 numbers, G and H of 6');
}

### What may be changed

my @accepted = (
	write_file($plain),
	write_file($projected),
	write_file($lasting),
	write_file($untrained),
	write_file($long),
	write_file($constant),
	write_file($shared),
	write_file(altered($plain, RIDGE, float8(1e-300))),
	write_file(altered($plain, EXPLORATION, float8(0))),
	write_file(altered($projected, CONTEXT_DIM, int32(65536))),
	write_file(altered($projected, SHARED_DIM, int32(2))),
	write_file(altered($shared, SHARED_DIM, int32(65536))),
	write_file(altered($shared, SHARED_DIM, int32(0))),
	write_file(altered($shared, CONTEXT_DIM, int32(1) . int32(4) . int32(3))),
	write_file(altered($plain, SEED, "\200" . "\0" x 7)),
	write_file(altered($plain, UPDATES, "\177" . "\377" x 7)),
	write_file(altered($plain, VALUES, float8(-1e308))));

my ($status, $stdout, $stderr) =
  $node->psql('postgres', "CALL copy_files('$folder', 1, $files)");
is($status, 0, 'the session is alive') or diag $stderr;

my %refusal = map { /^(\d+)\|(\w+)\|(.*)$/ ? ($1 => [ $2, $3 ]) : () } split /\n/,
  $node->safe_psql('postgres', 'SELECT * FROM refusal');

# One check for all values of a kind, with the exceptions shown
my @wrong;
for my $case (@refused)
{
	my ($sqlstate, $message) = @{ $refusal{ $case->{n} } // [ 'none', 'accepted' ] };

	push @wrong, "$case->{name}: $sqlstate $message"
	  unless $sqlstate eq $case->{sqlstate} && $message =~ $case->{message};
}
cmp_ok(scalar(@refused), '>', 300, 'truncated and altered values');
is(join("\n", @wrong), '', 'each is refused with its SQLSTATE');
is( $node->safe_psql('postgres', 'SELECT array_agg(n ORDER BY n) FROM arrival'),
	'{' . join(',', @accepted) . '}',
	'nothing of them is stored, and all that may be is');
is( $node->safe_psql(
		'postgres', q{
	SELECT encode(dlints_send(state), 'hex') FROM arrival ORDER BY n LIMIT 7}),
	join("\n", map { unpack 'H*', $_ } $plain, $projected, $lasting, $untrained, $long,
		$constant, $shared),
	'what was accepted is what was sent');

# Outside of a function too
($status, $stdout, $stderr) = $node->psql(
	'postgres', qq{
\\set ON_ERROR_STOP 0
COPY arrival FROM '$folder/$refused[50]{n}' (FORMAT binary);
\\echo :SQLSTATE
SELECT count(*) FROM arrival});
is($stdout, "22P03\n" . @accepted, 'a session goes on after a refused COPY');

# JSON keeps no sign of zero, so that no model may have one
{
	my @zeros = map { write_file(altered($plain, $_, pack('H*', '8000000000000000'))) }
	  EXPLORATION, SCALE, WEIGHT_SUM, REWARD_SUM, REWARD_SQUARE_SUM, VALUES, VALUES + 32;

	$node->safe_psql('postgres',
		"CALL copy_files('$folder', $zeros[0], $zeros[-1])");
	is( $node->safe_psql(
			'postgres', qq{
		SELECT array_agg(n - $zeros[0] ORDER BY n) FROM arrival
		WHERE n >= $zeros[0] AND dlints_send(state) <> dlints_send(state::text::dlints)}),
		'',
		'minus zero is refused, or as good as zero');
}

### Values altered at random

my $seed = $ENV{DLINTS_TEST_SEED} // 20200601;
my $mutations = 3000;
note "DLINTS_TEST_SEED=$seed";
srand($seed);

my @extremes = (
	$nan, $infinity, $minus_infinity,
	map { float8($_) } 0, -1, 1, 1e-300, -1e-300, 1.7976931348623157e308,
	-1.7976931348623157e308, 5e-324, 1e154, 1e16);
push @extremes, pack('H*', '8000000000000000');

# Headers are short and the rest is long: half of the places are in headers
sub place
{
	my ($value) = @_;

	return int(rand(rand() < 0.5 ? VALUES : length($value)));
}

sub mutate
{
	my ($value) = @_;
	my $kind = rand();

	return $value if length($value) < VALUES + 8;
	my $at = place($value);


	if ($kind < 0.35)
	{
		return altered($value, $at, substr($value, $at, 1) ^ chr(1 << int(rand(8))));
	}
	elsif ($kind < 0.5)
	{
		return altered($value, $at, chr(int(rand(256))));
	}
	elsif ($kind < 0.65)
	{
		$value = altered($value, place($value), chr(int(rand(256))))
		  for 1 .. 2 + int(rand(5));
		return $value;
	}
	elsif ($kind < 0.92)
	{
		# numbers of the evidence and the header stand at 4 modulo 8
		$at = 20 + 8 * int(rand((length($value) - 20) / 8));
		return altered($value, $at, $extremes[ rand @extremes ]);
	}
	elsif ($kind < 0.96)
	{
		my $from = VALUES + 8 * int(rand((length($value) - VALUES) / 8));
		my $to = VALUES + 8 * int(rand((length($value) - VALUES) / 8));

		return altered($value, $to, substr($value, $from, 8));
	}
	return rand() < 0.5 ? substr($value, 0, $at) : $value . chr(int(rand(256))) x $at;
}

my @shapes = ($plain, $projected, $lasting, $untrained, $constant, $shared);
my $first = $files + 1;
for (1 .. $mutations)
{
	my $value = mutate($shapes[ rand @shapes ]);

	$value = mutate($value) while rand() < 0.2;
	write_file($value);
}
$node->safe_psql('postgres', 'TRUNCATE refusal');
($status, $stdout, $stderr) =
  $node->psql('postgres', "CALL copy_files('$folder', $first, $files)");
is($status, 0, "$mutations mutations: the session is alive") or diag $stderr;
is( $node->safe_psql(
		'postgres', q{
	SELECT string_agg(DISTINCT sqlstate, ' ' ORDER BY sqlstate) FROM refusal}),
	'0A000 22P03',
	'refused mutations have one of two SQLSTATEs');

# Each accepted value through each function: a finite result or a clean error
$node->safe_psql(
	'postgres', q{
	CREATE FUNCTION finite(VARIADIC float8[]) RETURNS boolean LANGUAGE sql AS $$
		SELECT bool_and(v > '-Infinity' AND v < 'Infinity') FROM unnest($1) v $$;
	-- a model whose numbers are finite, and which is what its text says
	CREATE FUNCTION sound(dlints) RETURNS boolean LANGUAGE sql AS $$
		SELECT dlints_send($1) = dlints_send($1::text::dlints)
		   AND dlints_send($1) = dlints_send($1::jsonb::dlints)
		   AND $1::text !~ 'NaN|Inf' $$;

	-- what to ask; with_shared is for models that have a shared context, $3
	CREATE TABLE probe (name text, query text, with_shared text);
	INSERT INTO probe VALUES
		('text, jsonb', 'sound($1)', NULL),
		('draw', 'finite(VARIADIC dlints_draw($1))', NULL),
		('draw_weights', 'finite(VARIADIC dlints_draw_weights($1, 1))', 'finite(VARIADIC dlints_draw_weights($1, $3, 1))'),
		('mean', 'finite(VARIADIC dlints_mean($1))', NULL),
		('weights', 'finite(VARIADIC dlints_weights($1))', 'finite(VARIADIC dlints_weights($1, $3))'),
		('covariance', 'finite(VARIADIC dlints_covariance($1))', NULL),
		('project', 'finite(VARIADIC dlints_project($1, $2))', 'finite(VARIADIC dlints_project($1, $2, $3))'),
		('predict', 'finite(dlints_predict($1, $2))', 'finite(dlints_predict($1, $2, $3))'),
		('stddev', 'finite(dlints_stddev($1, $2))', 'finite(dlints_stddev($1, $2, $3))'),
		('info', '(SELECT finite(i.discount, i.ridge, i.exploration, coalesce(i.projection_scale, 0),
			i.effective_sample_size, coalesce(i.mean_reward, 0)) FROM dlints_info($1) i)', NULL),
		('coefficients', '(SELECT bool_and(finite(mean, stddev)) FROM dlints_coefficients($1))', NULL),
		('set', 'sound(dlints_set($1, ridge => 2, exploration => 3))', NULL),
		('update', 'sound(dlints_update($1, $2, 1))', 'sound(dlints_update($1, $2, $3, 1))'),
		('update_batch', 'sound(dlints_update($1, ARRAY[$2, $2], ARRAY[1, 2]))',
			'sound(dlints_update($1, ARRAY[$2, $2], ARRAY[$3, $3], ARRAY[1, 2]))'),
		('update_reduced', 'sound(dlints_update_reduced($1, dlints_project($1, $2), 1))',
			'sound(dlints_update_reduced($1, dlints_project($1, $2, $3), 1))'),
		('evidence', 'sound((SELECT dlints_evidence($1, $2, i) FROM generate_series(1, 2) i))',
			'sound((SELECT dlints_evidence($1, $2, $3, i) FROM generate_series(1, 2) i))'),
		('concat', 'sound($1 || $1)', NULL),
		('concat_agg', 'sound((SELECT dlints_concat_agg($1) FROM generate_series(1, 3)))', NULL),
		('recommend', '(SELECT dlints_recommend($1, i, $2) FROM generate_series(1, 2) i) = 1',
			'(SELECT dlints_recommend($1, i, $2, $3) FROM generate_series(1, 2) i) = 1'),
		('recommend k', '(SELECT dlints_recommend($1, i, $2, 2) FROM generate_series(1, 3) i) = ARRAY[1, 2]',
			'(SELECT dlints_recommend($1, i, $2, $3, 2) FROM generate_series(1, 3) i) = ARRAY[1, 2]');

	-- false, NULL or an error, and how often
	CREATE TABLE trouble AS
	SELECT name, n, NULL::text AS sqlstate, NULL::text AS message FROM probe, arrival LIMIT 0;
	CREATE PROCEDURE probe_all() LANGUAGE plpgsql AS $$
	DECLARE
		p probe;
		a arrival;
		n integer;
		m integer;
		good boolean;
		text text;
	BEGIN
		FOR a IN SELECT * FROM arrival LOOP
			SELECT context_dim, shared_dim INTO n, m FROM dlints_info(a.state);
			FOR p IN SELECT * FROM probe LOOP
				BEGIN
					EXECUTE 'SELECT ' || CASE WHEN m = 0 THEN p.query ELSE coalesce(p.with_shared, p.query) END INTO good
					USING a.state, array_fill(0.5::real, ARRAY[n]), array_fill(0.25::real, ARRAY[m]);
					IF good IS NOT TRUE THEN
						INSERT INTO trouble VALUES (p.name, a.n, 'none', 'not finite, or not what it reads back to');
					END IF;
				EXCEPTION WHEN OTHERS THEN
					GET STACKED DIAGNOSTICS text = MESSAGE_TEXT;
					INSERT INTO trouble VALUES (p.name, a.n, SQLSTATE, text);
				END;
			END LOOP;
			COMMIT;
		END LOOP;
	END $$;
});
cmp_ok(
	$node->safe_psql(
		'postgres', "SELECT count(*) FROM arrival WHERE n >= $first"),
	'>',
	$mutations / 10,
	'some mutations are accepted');
($status, $stdout, $stderr) = $node->psql('postgres', 'CALL probe_all()');
is($status, 0, 'every function on what is accepted: the session is alive')
  or diag $stderr;

cmp_ok(
	$node->safe_psql(
		'postgres', "SELECT count(*) FROM arrival WHERE n >= $first AND (dlints_info(state)).shared_dim > 0"),
	'>',
	20,
	'some of them with a shared context');

# Numbers out of range, and evidence that no observations lead to
is( $node->safe_psql(
		'postgres', q{
	SELECT name, sqlstate, count(*), min(n), min(message) FROM trouble
	WHERE sqlstate NOT IN ('22003', 'XX001')
	GROUP BY name, sqlstate ORDER BY name, sqlstate}),
	'',
	'every result is finite, or the error a clean one');
is( $node->safe_psql(
		'postgres',
		q{SELECT string_agg(name, ',') FROM trouble WHERE n = } . $accepted[0]),
	'',
	'and an unaltered value has none');
note $node->safe_psql('postgres',
	'SELECT sqlstate, message, count(*) FROM trouble GROUP BY 1, 2 ORDER BY 1, 2'
);

unlike(
	PostgreSQL::Test::Utils::slurp_file($node->logfile),
	qr/terminated by signal|exited with exit code|PANIC|TRAP/,
	'no session ended before its time');

$node->stop;
done_testing();

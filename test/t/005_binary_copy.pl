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

unlike(
	DlintsTest->slurp($node->logfile),
	qr/terminated by signal|exited with exit code|PANIC|TRAP/,
	'no session ended before its time');

$node->stop;
done_testing();

# Binary COPY checks its input: truncated and altered values are refused, and accepted values are harmless.
use strict;
use warnings;

use BinaryForm;
use DlintsTest;
use Test::More;

my $node = DlintsTest->node('main');

$node->safe_psql('postgres', 'CREATE EXTENSION dlints');
DlintsTest->run_file($node, 'models.sql');
my $form = BinaryForm->new($node);
my ($plain, $projected, $lasting, $untrained, $constant, $matched, $matched_projected,
	$long) =
  map { $form->of("learned(dlints_new($_->[0]), $_->[1])") }
  [ '3, discount => 0.9, intercept => false', 20 ],
  [ '7, 4, discount => 0.99, intercept => false, seed => 12', 50 ],
  [ '4, discount => 1, intercept => false', 10 ],
  [ '5, 2', 0 ],
  [ '3, discount => 1', 10 ],
  [ '3, discount => 0.9, interactions => \'matched\'', 20 ],
  [ '6, 3, discount => 0.9, interactions => \'matched\'', 20 ],
  [ '400, 60', 3 ];

my $informed = $form->of('(SELECT dlints_with_prior(learned(e, 20), learned(e, 5), 0.5) FROM dlints_new(3) e)');

# Numbers in network order
sub int16 { return pack('n', $_[0]); }
sub int32 { return pack('N', $_[0]); }
sub float8 { return pack('d>', $_[0]); }

### What must be refused

my @refused;

sub refuse
{
	my ($name, $value, $refusal) = @_;

	push @refused, [ $form->add($value), $name, $refusal // '22P03|invalid dlints in external value' ];
	return;
}

# A value with these bytes at a position, and the expected error
sub refuse_at
{
	my ($field, $value, $offset, $pack, @numbers) = @_;

	refuse("$field $_", replaced($value, $offset, $pack->($_))) for @numbers;
	return;
}

refuse("$_ bytes", substr($plain, 0, $_)) for 0 .. length($plain) - 1;
refuse("$_ bytes of a projected model", substr($projected, 0, $_))
  for 1, VALUES - 1, VALUES, VALUES + 8, length($projected) - 8;
refuse("$_ more bytes", $plain . "\0" x $_) for 1, 7, 8, 64, 100_000;
refuse('twice the value', $plain . $plain);
refuse('evidence of nothing', replaced($plain, UPDATES, "\0" x 8));
refuse('no evidence of something', replaced($untrained, UPDATES, pack('q>', 1)));
refuse('no observation with a history', replaced($untrained, @$_))
  for [ NEWEST, pack('q>', 0) ], [ REFERENCE, float8(1) ], [ CHOSEN, pack('q>', 1) ],
  [ MEMORY, chr 1 ];
refuse('reference reward without an intercept', replaced($plain, REFERENCE, float8(1)));
refuse('a time in a model by count', replaced($plain, NEWEST, pack('q>', 0)));
refuse('chosen later than the newest update', replaced($plain, CHOSEN, pack('q>', 21)));
refuse('another noise than the one given', replaced($plain, NOISE, float8(0.5)));

refuse("version $_", replaced($plain, VERSION, int16($_)),
	"0A000|unsupported dlints format version $_")
  for 0, 2, 256, 65535;
refuse_at('policy', $plain, POLICY, sub { chr shift }, 3, 4, 255);
refuse_at('intercept', $_, INTERCEPT, sub { chr shift }, 2, 3, 128, 255) for $plain, $constant;
refuse_at('memories', $plain, MEMORIES, sub { chr shift }, 0, 2, 9, 255);
refuse_at('memory', $_, MEMORY, sub { chr shift }, 0, 4, 255) for $plain, $long;
refuse_at('interactions', $_, INTERACTIONS, sub { chr shift }, 2, 3, 128, 255) for $plain, $matched;
refuse_at('other interactions,', $_, INTERACTIONS, sub { chr shift }, 0) for $matched, $matched_projected;
refuse_at('interactions with nothing,', $_, INTERACTIONS, sub { chr shift }, 1) for $plain, $projected, $untrained;
refuse_at('another length of matched profiles,', $_, PROFILE_DIM, \&int32, 0, 1, 4, 7, 65536)
  for $matched, $matched_projected;
refuse_at('profile_dim without interactions,', $_, PROFILE_DIM, \&int32, 1, 3, 7) for $plain, $projected, $untrained;
refuse_at('half-life', $plain, HALF_LIFE, \&float8, 1, -1, 1e300);
refuse_at('sigma', $plain, SIGMA, \&float8, 0, -1);
refuse_at('noise', $plain, NOISE, \&float8, -1, 9e-101, 2e100);
refuse_at('intercept taken away,', $_, INTERCEPT, sub { chr shift }, 0) for $constant, $matched;
refuse_at('intercept more,', $projected, INTERCEPT, sub { chr shift }, 1);

my @sizes = (-1, 65537, 1 << 30, 2**31 - 1, -2**31);
refuse_at('dim', $_, DIM, \&int32, 0, @sizes) for $plain, $projected, $matched, $untrained;
refuse_at('dim', $plain, DIM, \&int32, 1, 2, 4, 1024, 1025, 65536);
refuse_at('reduced_dim', $_, REDUCED_DIM, \&int32, 1, 2, 3, 1024, 1025, 65536, @sizes) for $plain, $projected, $matched;
refuse_at('no projection and other sizes,', $_, REDUCED_DIM, \&int32, 0) for $projected, $matched_projected, $untrained;
refuse_at('profile_dim', $_, PROFILE_DIM, \&int32, 1 << 24, @sizes) for $projected, $matched, $untrained;
refuse_at('profile_dim without projection,', $plain, PROFILE_DIM, \&int32, 1, 3, 65536, @sizes);
refuse_at('all sizes', $matched, DIM, sub { int32(shift) x 3 }, @sizes);

# NaN, a signalling NaN, and both infinities, at the position of any number
for my $bytes (map { pack 'H*', $_ } '7ff8000000000000', 'fff0000000000001',
	'7ff0000000000000', 'fff0000000000000')
{
	my $name = unpack 'H*', $bytes;

	for my $value ($plain, $projected, $lasting, $matched, $informed)
	{
		for (my $at = DISCOUNT; $at < length($value); $at += 8)
		{
			refuse("$name at $at", replaced($value, $at, $bytes)) if !grep { $at == $_ } SEED, UPDATES, NEWEST, CHOSEN;
		}
	}
	refuse("$name at the end of much evidence", replaced($long, length($long) - 8, $bytes));
}
refuse_at('discount', $plain, DISCOUNT, \&float8, 0, -0.5, 1.5, 1e300, 9e-101);
refuse_at('discount and a second matrix,', $plain, DISCOUNT, \&float8, 1);
refuse_at('discount and no second matrix,', $lasting, DISCOUNT, \&float8, 0.5);
refuse_at('ridge and lambda', $plain, RIDGE, sub { float8(shift) x 2 }, -1, 9e-101, 2e100);
refuse_at('another ridge than lambda,', $plain, RIDGE, \&float8, 2);
refuse_at('lambda', $_, LAMBDA, \&float8, 0, -1, 9e-101, 2e100) for $plain, $lasting;
refuse_at('prior_weight', $informed, PRIOR_WEIGHT, \&float8, -1, 1.1e10);
refuse_at('a prior and no weight of it,', $informed, PRIOR_WEIGHT, \&float8, 0);
refuse_at('prior_weight without a prior,', $plain, PRIOR_WEIGHT, \&float8, 1);
refuse_at('exploration', $plain, EXPLORATION, \&float8, -1, -1e-300, 2e100);
refuse_at('projection_scale', $projected, SCALE, \&float8, 0, -1, 9e-11, 2e10);
refuse_at('projection_scale without projection', $plain, SCALE, \&float8, 1);
refuse_at('updates', $plain, UPDATES, sub { pack('q>', shift) }, -1, -2**63);
refuse_at("negative sum at $_,", $plain, $_, \&float8, -1e-9)
  for WEIGHT_SUM, REWARD_SQUARE_SUM, WEIGHT_TOTAL, REWARD_SQUARE_TOTAL, REWARD_SQUARE_PEAK;

# G[i][i] and H[i][i] at their positions in the packed form
is(length($plain) - VALUES, 8 * 15, 'b of 3 numbers, G and H of 6');
refuse_at('evidence without a posterior,', $plain, VALUES + $_ * 8, \&float8, 1e6) for 4, 10;
refuse_at('all six numbers of a matrix', $plain, VALUES + $_ * 8, sub { float8(shift) x 6 }, -1) for 3, 9;

### What may be

my @good = ($plain, $projected, $lasting, $untrained, $long, $constant, $matched, $matched_projected, $informed);
my @accepted = map { $form->add($_) } @good,
  replaced($plain, RIDGE, float8(1e-100) x 2),
  replaced($plain, RIDGE, float8(0)),
  replaced($plain, EXPLORATION, float8(0)),
  replaced($projected, DIM, int32(65536)),
  replaced($plain, SEED, "\200" . "\0" x 7),
  replaced($plain, UPDATES, "\177" . "\377" x 7),
  replaced($plain, VALUES, float8(-1e308));

ok($form->copy(1, $accepted[-1]), 'the session is alive');

# One check for all values, with its exceptions
my %refusal = map { /^(\d+)\|(.*)$/ ? ($1 => $2) : () } split /\n/,
  $node->safe_psql('postgres', 'SELECT * FROM refusal');
my @wrong = map { "$_->[1]: " . ($refusal{ $_->[0] } // 'accepted') }
  grep { ($refusal{ $_->[0] } // '') ne $_->[2] } @refused;
cmp_ok(scalar(@refused), '>', 500, 'more than 500 truncated and altered values are tried');
is(join("\n", @wrong), '', 'each truncated or altered value is rejected with its SQLSTATE');
is($node->safe_psql('postgres', 'SELECT array_agg(n ORDER BY n) FROM arrival'),
	'{' . join(',', @accepted) . '}',
	'all valid values and no invalid values are stored');
is($node->safe_psql('postgres',
		"SELECT encode(dlints_send(state), 'hex') FROM arrival ORDER BY n LIMIT " . @good),
	join("\n", map { unpack 'H*', $_ } @good),
	'stored values are the values that were sent');

# Outside of a function, too
my (undef, $stdout) = $node->psql('postgres', qq{
\\set ON_ERROR_STOP 0
COPY arrival FROM '${\ $form->path($refused[50][0])}' (FORMAT binary);
\\echo :SQLSTATE
SELECT count(*) FROM arrival});
is($stdout, "22P03\n" . @accepted, 'a session goes on after a refused COPY');

# jsonb does not keep the sign of zero, so no model may contain a negative zero
my @zeros = map { $form->add(replaced($projected, $_, pack('H*', '8000000000000000'))) }
  EXPLORATION, NOISE, HALF_LIFE, REFERENCE, WEIGHT_SUM, REWARD_SUM, REWARD_SQUARE_SUM, VALUES, VALUES + 32;
ok($form->copy($zeros[0], $zeros[-1]), 'the server reads values with negative zeros');
is($node->safe_psql('postgres', qq{
	SELECT array_agg(n - $zeros[0] ORDER BY n) FROM arrival
	WHERE n >= $zeros[0] AND dlints_send(state) <> dlints_send(state::text::dlints)}),
	'',
	'minus zero is refused, or as good as zero');

unlike(DlintsTest->slurp($node->logfile),
	qr/terminated by signal|exited with exit code|PANIC|TRAP/,
	'no session ended before its time');

$node->stop;
done_testing();

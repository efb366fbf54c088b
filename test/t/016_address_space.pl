# A session that cannot allocate OpenBLAS's buffer raises an error.  OpenBLAS alone would retry forever, and ignore
# timeouts and a fast shutdown.
use strict;
use warnings;

BEGIN { $ENV{PG_TEST_TIMEOUT_DEFAULT} = 30; }

use DlintsTest 'sessions';
use Test::More;

plan skip_all => 'no prlimit, or no /proc to read sizes from'
  if !-e "/proc/$$/status" || system('prlimit >/dev/null 2>&1') != 0;
plan skip_all => 'AddressSanitizer wants more address space itself' if $ENV{ASAN_OPTIONS};

my $node = DlintsTest->node('main');
$node->safe_psql('postgres', q{
	CREATE EXTENSION dlints;
	CREATE TABLE model (state dlints);
	INSERT INTO model VALUES (dlints_update(dlints_new(3), ARRAY[1, 2, 3], 1))});

my $session = DlintsTest->session($node, on_error_stop => 0);
my $pid = $session->query_safe(q{LOAD 'dlints'; SET jit = off; SET statement_timeout = '10s'; SELECT pg_backend_pid()});

if (DlintsTest->slurp("/proc/$pid/maps") !~ /openblas/)
{
	$session->quit;
	plan skip_all => 'the BLAS here is another one';
}

# Additional address space for the session; the buffer has 128 MB
sub limit
{
	my ($kilobytes) = DlintsTest->slurp("/proc/$pid/status") =~ /^VmSize:\s+(\d+) kB/m;
	my $soft = @_ ? ($kilobytes + $_[0]) * 1024 : 'unlimited';

	system('prlimit', "--pid=$pid", "--as=$soft:") == 0 or die 'prlimit failed';
	return;
}

sub sqlstate
{
	my ($query) = @_;

	$session->query($query);
	$session->{stderr} = '';
	return $session->query('\echo :SQLSTATE');
}

# Each function that calls BLAS; 53200 shows that the error came before the timeout
my %work = (
	'an update' => 'UPDATE model SET state = dlints_update(state, ARRAY[1, 2, 3], 1)',
	'a batch' => 'SELECT dlints_update_batch(state, ARRAY[[1, 2, 3], [4, 5, 6]], ARRAY[1, 2])
		FROM model',
	'evidence' => 'SELECT dlints_evidence(state, ARRAY[1, 2, i]::real[], 1)
		FROM model, generate_series(1, 1000) i',
	'reduction' => 'SELECT dlints_project(dlints_new(300, 100), array_fill(1, ARRAY[300]))',
	'a draw' => 'SELECT dlints_draw(state) FROM model',
	'weights' => 'SELECT dlints_weights(state) FROM model',
	'a mean' => 'SELECT dlints_mean(state) FROM model',
	'a width' => 'SELECT dlints_stddev(state, ARRAY[1, 2, 3]) FROM model',
	'covariance' => 'SELECT dlints_covariance(state) FROM model',
	'a choice' => 'SELECT dlints_recommend(state, i, ARRAY[1, 2, i]::real[])
		FROM model, generate_series(1, 3) i');

limit(100_000);
is(sqlstate($work{$_}), '53200', "$_ without address space ends with 53200") for sort keys %work;
is($session->query_safe('SELECT (dlints_info(state)).updates FROM model'), 1, 'the session goes on');

# The first call allocates the buffer, and later calls need no other one
limit();
is(sqlstate($work{'an update'}), '00000', 'an update succeeds with more memory');
limit(100_000);
is(sqlstate($work{$_}), '00000', "$_ succeeds with the buffer of OpenBLAS") for sort keys %work;
$session->quit;

$node->stop('fast');
done_testing();

# The extension loads, recommends and learns, on one thread per session;
# sessions share the projection and not the draws; and nobody else can replace
# the module's functions.
use strict;
use warnings;

use DlintsTest 'sessions';
use Test::More;

my $node = DlintsTest->node('main');

$node->safe_psql('postgres', 'CREATE EXTENSION dlints');
is($node->safe_psql('postgres', q{
	SELECT dlints_recommend(dlints_new(3), item, features)
	FROM (VALUES ('only', ARRAY[1, 2, 3]::real[])) AS c(item, features)}),
	'only',
	'the only candidate is recommended');

# A module's exported names could be replaced by those of a module loaded earlier
SKIP:
{
	my $library = $node->safe_psql('postgres',
		q{SELECT setting || '/dlints.so' FROM pg_config WHERE name = 'PKGLIBDIR'});
	my @symbols = map { (split)[2] // () } `nm -D --defined-only '$library' 2>/dev/null`;
	my @called = split /\n/,
	  $node->safe_psql('postgres', q{
		SELECT DISTINCT prosrc FROM pg_proc
			JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid
		WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dlints')
		  AND probin IS NOT NULL});
	# names of dlints_pgvector
	push @called, map { "dlints_from_$_" } qw(vector vectors halfvec halfvecs);

	skip 'no nm to read the symbols with', 1 if !@symbols;
	is(join("\n", sort @symbols),
		join("\n", sort '_PG_init', 'Pg_magic_func', @called, map { "pg_finfo_$_" } @called),
		'the module shows what SQL calls and nothing else');
}

# One thread, after the routines of BLAS and LAPACK that can start more
SKIP:
{
	skip 'no /proc to count threads in', 2 unless -e "/proc/$$/status";

	my $session = DlintsTest->session($node);
	my $pid = $session->query_safe('SELECT pg_backend_pid()');
	is($session->query_safe(q{
		WITH learned AS MATERIALIZED (
			SELECT dlints_update_batch(dlints_new(300, intercept => false),
				array_fill(0.5::real, ARRAY[200, 300]),
			                           array_fill(1.0::float8, ARRAY[200])) AS state)
		SELECT (SELECT dlints_recommend(state, i, array_fill(i::real, ARRAY[300]))
		        FROM generate_series(1, 1000) i) IN (1, 1000),
		       array_length(dlints_covariance(state), 1)
		FROM learned}),
		't|300',
		'a model of 300 dimensions learns and recommends');

	my ($threaded) = DlintsTest->slurp("/proc/$pid/maps") =~ /(\S*openblas-?(?:pthread|openmp)\S*)/;
	skip "the BLAS here starts threads ($threaded)", 1 if $threaded && ($ENV{OPENBLAS_NUM_THREADS} // '') ne '1';
	like(DlintsTest->slurp("/proc/$pid/status"), qr/^Threads:\s+1$/m, 'the session has one thread');
	$session->quit;
}

# Number of different results
sub distinct
{
	my %seen = map { $_ => 1 } @_;

	return scalar keys %seen;
}

# Results of the first call in several sessions, each in a separate process
sub check_sessions
{
	my ($how) = @_;

	for my $case (
		[ 6, 6, 'first draws differ', 'SELECT dlints_draw(dlints_new(4))::text' ],
		[ 3, 3, 'first recommendations differ', q{
			SELECT array_agg(best) FROM (
				SELECT dlints_recommend(dlints_new(8, 4, exploration => 1), i,
					ARRAY[i % 2, i % 3, i % 5, i % 7, i % 11, i % 13, i % 17, 1]::real[]) AS best
				FROM generate_series(1, 40) g, generate_series(1, 500) i GROUP BY g
					ORDER BY g) r} ],
		[ 3, 1, 'draws with a seed are the same',
			'SELECT dlints_draw_weights(dlints_new(30, 8, seed => 5), seed => 7)::text' ],
		[ 3, 1, 'the projection is the same, bit for bit', q{
			SELECT array_send(dlints_project(dlints_new(200, 50, seed => -3),
				array_fill(0.1::float8, ARRAY[200])))} ])
	{
		my ($sessions, $answers, $name, $query) = @$case;

		is(distinct(map { $node->safe_psql('postgres', $query) } 1 .. $sessions),
			$answers, "library $how: $name in $sessions sessions");
	}
	return;
}

check_sessions('loaded by each');

# One session keeps a matrix that another generates again and again
is(distinct(
		map {
			$node->safe_psql('postgres', qq{
			SET dlints.projection_cache_size = '$_';
			SELECT array_send(dlints_project(m, array_fill(0.3::float8, ARRAY[5000]))),
			       array_send(dlints_weights(dlints_update(m,
				array_fill(0.3::real, ARRAY[5000]), 1)))
			FROM dlints_new(5000, 70, intercept => false, seed => 11) m})
		} ('0', '1MB', '64MB')),
	1,
	'the projection does not depend on what a session keeps, bit for bit');

# Sessions inherit all initialization of a preloaded library
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dlints'\n");
$node->restart;
is($node->safe_psql('postgres', 'SHOW dlints.projection_cache_size'), '64MB', 'the library can be preloaded');
check_sessions('preloaded');

$node->stop;
done_testing();

# PostgreSQL 18 finds dlints in a read-only folder beside the server's, as CloudNativePG mounts one.  The files that
# packaging.md has make install put there suffice, also for parallel workers, after a restart, for the next version,
# with preloaded libraries, and for pg_upgrade of PostgreSQL 19.
use strict;
use warnings;

use FindBin;
use DlintsTest;
use ExtensionFiles;
use File::Basename qw(dirname);
use Test::More;

my ($major) = `pg_config --version` =~ /(\d+)/;
plan skip_all => 'extension_control_path is there since PostgreSQL 18' if $major < 18;

my $settings = '';
my $node = DlintsTest->node('main', conf => "jit = off\n");
my $files = ExtensionFiles->new;
chomp(my $pkglibdir = `pg_config --pkglibdir`);
my $library = "$pkglibdir/dlints.so";

# The server's folder contains no dlints until the end.
rename $library, "$library.away" or die "could not rename $library: $!";
END { rename "$library.away", $library if $library && -e "$library.away"; } unlink glob $files->path('dlints*');

# Create the folder, and settings for it
sub mounted
{
	my ($name) = @_;
	my $folder = $node->basedir . "/$name";

	$node->command_ok([ 'make', '-s', '-C', "$FindBin::RealBin/../..", 'install', 'with_llvm=no',
			"datadir=$folder/share", "pkglibdir=$folder/lib" ], "$name: make install succeeds");
	return $folder;
}

sub lead_to
{
	my ($folder, @more) = @_;

	system_or_die('chmod', '-R', 'a-w', $folder);
	$settings = join "\n", @more, "extension_control_path = '\$system:$folder/share'",
		"dynamic_library_path = '\$libdir:$folder/lib'", '';
	$node->append_conf('postgresql.conf', $settings);
	$node->restart;
	return;
}

sub system_or_die
{
	my (@command) = @_;

	system(@command) == 0 or die "@command: $?";
	return;
}

sub works
{
	my ($how) = @_;

	is($node->safe_psql('postgres', q{
		SELECT count(*) FROM board.recommend(7, 3);
		SELECT count(*) FROM front.rank('one', '{}', '["a"]');
		SELECT board.learn('0') >= 0, front.learn() >= 0}), "3\n1\nt|t", $how);
	return;
}

isnt($node->psql('postgres', 'CREATE EXTENSION dlints'), 0, 'CREATE EXTENSION fails without a folder');

my $first = mounted('first');
is(join(' ', map { s/.*\///r } sort grep { -f } glob "$first/* $first/*/* $first/*/*/*"),
	join(' ', map { s/.*\///r } 'dlints.so', sort glob "$first/share/extension/dlints*"),
	'make install writes the library and the files of the extension');
lead_to($first);
is($node->safe_psql('postgres',
		q{SELECT count(*) FROM pg_available_extensions WHERE name LIKE 'dlints%'}), 2,
		'PostgreSQL finds dlints in the folder');
$node->safe_psql('postgres', 'CREATE EXTENSION dlints');
DlintsTest->run_file($node, 'pages.sql');
works('pages work with dlints in a folder');
$node->restart;
works('pages work after a restart');
is($node->safe_psql('postgres', q{
		SET debug_parallel_query = on; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
		SELECT count(dlints_mean(state)) FROM board.model}) > 0, 1, 'parallel workers find dlints in the folder');

### The next version, in a separate folder

my ($version) = `cat $first/share/extension/dlints.control` =~ /^default_version = '(.*)'$/m;
(my $next = $version) =~ s/(\d+)$/$1 + 1/e;
my $second = mounted('second');
my $scripts = "$second/share/extension";
my $control = DlintsTest->slurp("$scripts/dlints.control");

DlintsTest->spew("$scripts/dlints.control", $control =~ s/^default_version.*$/default_version = '$next'/mr);
DlintsTest->spew("$scripts/dlints--$version--$next.sql", "COMMENT ON VIEW dlints_recommenders IS 'next';\n");
lead_to($second, "shared_preload_libraries = 'dlints'");
works('pages work with the files of the next version');
$node->safe_psql('postgres', 'ALTER EXTENSION dlints UPDATE');
is($node->safe_psql('postgres', q{SELECT extversion FROM pg_extension WHERE extname = 'dlints'}), $next,
	'ALTER EXTENSION ... UPDATE finds the script in the folder');
works('pages work after ALTER EXTENSION ... UPDATE');

### pg_upgrade, which in PostgreSQL 18 wants the library in the server's folder meanwhile

my ($bindir) = map { dirname($_) } grep { -x } map { "$_/pg_upgrade" } split /:/, $ENV{PATH};

sub upgraded
{
	my ($name) = @_;
	my $new = DlintsTest->node($name, conf => $settings);

	$new->stop;
	chdir $new->basedir or die 'no folder to work in';
	return ($new, 'pg_upgrade', '--no-sync', '--old-datadir', $node->data_dir,
		'--new-datadir', $new->data_dir, '--old-bindir', $bindir, '--new-bindir', $bindir,
		'--socketdir', $new->host, '--old-port', $node->port, '--new-port', $new->port);
}

$node->stop;
if ($major == 18)
{
	my ($new, @command) = upgraded('refused');

	$new->command_checks_all(\@command, 1, [qr/loadable libraries that are missing/], [],
		'pg_upgrade of PostgreSQL 18 does not find dlints in a folder');
	system_or_die('cp', "$second/lib/dlints.so", $pkglibdir);
}
my ($new, @command) = upgraded('upgraded');
$new->command_ok(\@command, 'pg_upgrade succeeds');
unlink $library;
$node = $new;
$node->start;
works('pages work after pg_upgrade');

$node->stop;
system_or_die('chmod', '-R', 'u+w', $first, $second);
done_testing();

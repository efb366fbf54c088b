# Test drivers of several languages.  The programs in examples/clients show pages and report clicks without a
# cast, and a model is trained on their log.  36_calls.sql tests calls of each function with what drivers send.
#
# JDBC does not support Unix sockets, so this server also listens at 127.0.0.1, for one user with a password.
use strict;
use warnings;

use File::Basename qw(basename);
use File::Copy qw(copy);
use File::Temp;
use FindBin;
use DlintsTest;
use Test::More;

my $examples = "$FindBin::RealBin/../../examples/clients";
my $python = $ENV{PYTHON} || 'python3';
my $pg_config = $ENV{PG_CONFIG} || 'pg_config';
my $jar = '/usr/share/java/postgresql.jar';
my $work = File::Temp->newdir;

# Number of pages for each member; the programs click the first product of each page
my $pages = 2;

# Return the output and errors of a shell command, and set $?.
sub output_of
{
	my ($command) = @_;

	return scalar `( $command ) 2>&1 </dev/null`;
}

sub succeeds
{
	my ($command) = @_;

	output_of($command);
	return $? == 0;
}

# ---------- the drivers ----------

# Each function prepares a driver, and returns how to run a program, or undef and a reason.

sub psycopg
{
	return (undef, 'Python has no psycopg (python3-psycopg)') unless succeeds("$python -c 'import psycopg'");
	return sub { return "$python -B $_[0]" };
}

# Debian's package, or that of npm's registry
sub node_postgres
{
	my $run = sub { copy($_[0], $work) or die "$_[0]: $!"; return "node $work/" . basename($_[0]) };

	return (undef, 'Node is not installed (nodejs)') unless succeeds('node --version');
	$ENV{NODE_PATH} = '/usr/share/nodejs';
	return $run if succeeds(q{node -e 'require("pg")'});

	copy("$examples/$_", "$work/$_") or die "$_: $!" for 'package.json', 'package-lock.json';
	my $npm = "cd $work && npm --cache $work/cache --loglevel error";
	return (undef, 'node-postgres is not installed (node-pg), nor npm') unless succeeds('npm --version');
	return (undef,
		'npm does not reach its registry')
	  unless succeeds("$npm ping --fetch-retries 0 --fetch-timeout 10000");
	my $said = output_of("$npm ci --no-audit --no-fund --ignore-scripts");
	is($?, 0, 'npm ci installs node-postgres') or diag($said);
	return $run;
}

sub jdbc
{
	return (undef, "there is no $jar (libpostgresql-jdbc-java)") unless -e $jar;
	return (undef, 'Java is not installed (default-jdk-headless)')
	  unless succeeds('java --list-modules | grep -q ^jdk.compiler');
	return sub { return "java -XX:TieredStopAtLevel=1 -cp $jar $_[0]" };
}

sub libpq
{
	my $compiler = $ENV{CC} || 'cc';
	my ($headers, $libraries) = map { `$pg_config --$_` } 'includedir', 'libdir';
	chomp($headers, $libraries);

	return (undef, 'libpq is not installed (libpq-dev)') unless -e "$headers/libpq-fe.h";
	return sub {
		my ($source) = @_;
		my $program = "$work/" . basename($source, '.c');
		my $said = output_of("$compiler -Wall -Wextra -Werror $source -o $program"
			  . " -I$headers -L$libraries -Wl,-rpath,$libraries -lpq");

		is($said, '', basename($source) . ' compiles without warnings');
		return $program;
	};
}

# Driver and page
my @clients = (
	[ \&psycopg, 'page.py' ],
	[ \&node_postgres, 'page.js' ],
	[ \&jdbc, 'Page.java' ],
	[ \&libpq, 'page.c' ]);

# ---------- the shop ----------

open(my $random, '<:raw', '/dev/urandom') or die "/dev/urandom: $!";
read($random, my $bytes, 16) == 16 or die '/dev/urandom';
close($random);
my $password = unpack 'H*', $bytes;

my $node = DlintsTest->bare_node('main');
DlintsTest->init($node);
$node->append_conf('postgresql.conf',
	"log_statement = none\nlisten_addresses = '127.0.0.1'\n"
	  . "password_encryption = 'scram-sha-256'\n");
unlink($node->data_dir . '/pg_hba.conf');
$node->append_conf('pg_hba.conf', "local all all trust\nhost shop shop 127.0.0.1/32 scram-sha-256\n");
$node->start;

# Applications do not connect as a superuser.
$node->safe_psql('postgres', "CREATE ROLE shop LOGIN PASSWORD '$password'");
$node->safe_psql('postgres', 'CREATE DATABASE shop OWNER shop');
$node->safe_psql('shop', 'CREATE EXTENSION dlints; GRANT CREATE ON SCHEMA public TO shop');

my %connection = (
	PGHOST => $node->host,
	PGPORT => $node->port,
	PGUSER => 'shop',
	PGDATABASE => 'shop',
	JDBC_URL => 'jdbc:postgresql://127.0.0.1:' . $node->port
		. "/shop?user=shop&password=$password");
local @ENV{ keys %connection } = values %connection;

# Execute a file of the examples with psql, and return its messages.
sub psql_file
{
	my ($name) = @_;

	return output_of("psql -X -q -v ON_ERROR_STOP=1 -f $examples/$name 2>&1 | grep -v NOTICE:");
}

is(psql_file('schema.sql'), '', 'schema.sql is executed without messages');

# ---------- pages ----------

# Compare the log with the output of a program: a decision and its products.
sub check_page
{
	my ($name, $member, $printed) = @_;
	my ($decision, @products) = split ' ', $printed;

	is($node->safe_psql('shop', qq{
			SELECT d.member_id, d.model, string_agg(s.product_id::text, ' ' ORDER BY s.rank),
			       bool_and(s.probability > 0 AND s.probability <= 1)
			FROM   decision d JOIN impression s ON s.decision_id = d.id
			WHERE  d.id = $decision GROUP BY d.id}),
		"$member|shop|@products|t", "$name: the log has the products of the page");
	is($node->safe_psql('shop',
		"SELECT product_id, reward FROM reward WHERE decision_id = $decision"),
		"$products[0]|1", "$name: the log has the click");
	return;
}

sub check_client
{
	my ($name, $member, $command) = @_;

	for my $page (1 .. $pages)
	{
		my $said = output_of("$command $member");

		like($said, qr/^\d+( \d+){5}\n$/, "$name: the program shows page $page") or return;
		check_page("$name, page $page", $member, $said);
	}
	is($node->safe_psql('shop', qq{
			SELECT d.profile = '{}', d.profile = (
			           SELECT dlints_profile(p.features)
			           FROM   decision old
			                  JOIN reward r ON r.decision_id = old.id
			                  JOIN product p ON p.id = r.product_id
			           WHERE  old.member_id = $member AND old.id < d.id)
			FROM   decision d WHERE d.member_id = $member ORDER BY d.id}),
		"t|t\nf|t", "$name: profiles are those of earlier clicks");
	return;
}

my $member = 0;
for my $client (@clients)
{
	my ($prepare, $page) = @$client;
	my ($run, $why_not) = $prepare->();

  SKIP:
	{
		diag("$page is skipped: $why_not") unless $run;
		skip $why_not, 1 unless $run;
		unlike(DlintsTest->slurp("$examples/$page"), qr/::|\bcast\b/i, "$page contains no cast");
		check_client($page, ++$member, $run->("$examples/$page"));
	}
}

# ---------- training ----------

$node->safe_psql('shop', q{UPDATE decision SET made_at = made_at - interval '2 hours'});
is(psql_file('learn.sql'), '', 'learn.sql is executed without messages');
is($node->safe_psql('shop', q{
		SELECT i.updates = (SELECT count(*) FROM impression), i.updates > 0,
		       (SELECT sum(trained) FROM impression) = (SELECT sum(reward) FROM reward)
		FROM   model m, dlints_info(m.state) i}),
	't|t|t', 'the model is trained on each impression with its reward');

done_testing();

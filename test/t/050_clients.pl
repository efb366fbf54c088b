# The programs in examples/clients show pages and report clicks, each with its
# driver, without a cast; what they leave is what they say, and can be learned.
#
# JDBC knows no Unix sockets: this server listens at 127.0.0.1, too, for one user
# with a password.
use strict;
use warnings;

use File::Copy qw(copy);
use File::Temp;
use FindBin;
use lib $FindBin::RealBin;
use DlintsTest;
use Test::More;

my $examples = "$FindBin::RealBin/../../examples/clients";
my $python = $ENV{PYTHON} || 'python3';
my $pg_config = $ENV{PG_CONFIG} || 'pg_config';
my $jar = '/usr/share/java/postgresql.jar';
my $work = File::Temp->newdir;

# Pages for a member; the first product of each is clicked.
my $pages = 2;

# What a command of the shell writes, all together; $? says how it ended
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

# ---------- the programs ----------

# Each makes ready what it needs, and returns how to run its page, or why not.

sub psycopg
{
	return (undef, 'psycopg 3 is not installed (python3-psycopg)')
	  unless succeeds("$python -c 'import psycopg'");
	return "$python -B $examples/page.py";
}

# Debian's package, or npm's from wherever npm is told to look
sub node_postgres
{
	my $script = "$work/page.js";

	return (undef, 'Node is not installed (nodejs)') unless succeeds('node --version');
	copy("$examples/$_", "$work/$_") or die "$_: $!" for 'page.js', 'package.json',
		'package-lock.json';
	$ENV{NODE_PATH} = '/usr/share/nodejs';
	return "node $script" if succeeds(q{node -e 'require("pg")'});

	my $npm = "cd $work && npm --cache $work/cache --loglevel error";
	return (undef,
		'node-postgres is not installed (node-pg), nor npm') unless succeeds('npm --version');
	return (undef,
		'npm does not reach its registry')
	  unless succeeds("$npm ping --fetch-retries 0 --fetch-timeout 10000");
	my $said = output_of("$npm ci --no-audit --no-fund --ignore-scripts");
	is($?, 0, 'npm ci') or diag($said);
	return "node $script";
}

sub jdbc
{
	return (undef, "there is no $jar (libpostgresql-jdbc-java)") unless -e $jar;
	return (undef, 'Java is not installed (default-jdk-headless)')
	  unless succeeds('java --list-modules | grep -q ^jdk.compiler');
	return "java -XX:TieredStopAtLevel=1 -cp $jar $examples/Page.java";
}

sub libpq
{
	my $compiler = $ENV{CC} || 'cc';
	my ($headers, $libraries) = map { `$pg_config --$_` } 'includedir', 'libdir';
	chomp($headers, $libraries);

	return (undef, 'libpq is not installed (libpq-dev)') unless -e "$headers/libpq-fe.h";
	my $said = output_of("$compiler -Wall -Wextra -Werror $examples/page.c -o $work/page"
		  . " -I$headers -L$libraries -Wl,-rpath,$libraries -lpq");
	is($said, '', 'page.c compiles');
	return "$work/page";
}

my @clients = (
	[ 'page.py', \&psycopg ],
	[ 'page.js', \&node_postgres ],
	[ 'Page.java', \&jdbc ],
	[ 'page.c', \&libpq ]);

# ---------- the shop ----------

open(my $random, '<:raw', '/dev/urandom') or die "/dev/urandom: $!";
read($random, my $bytes, 16) == 16 or die '/dev/urandom';
close($random);
my $password = unpack 'H*', $bytes;

my $node = DlintsTest->bare_node('main');
$node->init;
$node->append_conf('postgresql.conf',
	"log_statement = none\nlisten_addresses = '127.0.0.1'\n"
	  . "password_encryption = 'scram-sha-256'\n");
unlink($node->data_dir . '/pg_hba.conf');
$node->append_conf('pg_hba.conf',
	"local all all trust\nhost shop shop 127.0.0.1/32 scram-sha-256\n");
$node->start;

# An application is no superuser.
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

# Says what a file has psql say, which is nothing
sub psql_file
{
	my ($name) = @_;

	return output_of("psql -X -q -v ON_ERROR_STOP=1 -f $examples/$name 2>&1 | grep -v NOTICE:");
}

is(psql_file('schema.sql'), '', 'schema.sql');

# ---------- what they do ----------

# What one run is to have left, from what it printed: the decision and the products
sub check_page
{
	my ($name, $member, $printed) = @_;
	my ($decision, @products) = split ' ', $printed;

	is( $node->safe_psql('shop', qq{
			SELECT d.member_id, d.model, string_agg(s.product_id::text, ' ' ORDER BY s.rank),
			       bool_and(s.probability > 0 AND s.probability <= 1)
			FROM   decision d JOIN shown s ON s.decision_id = d.id
			WHERE  d.id = $decision GROUP BY d.id}),
		"$member|shop|@products|t", "$name: what is logged is what it shows");
	is( $node->safe_psql('shop',
		"SELECT product_id, reward FROM reward WHERE decision_id = $decision"),
		"$products[0]|1", "$name: the click is logged");
	return;
}

sub check_client
{
	my ($name, $member, $command) = @_;

	for my $page (1 .. $pages)
	{
		my $said = output_of("$command $member");

		like($said, qr/^\d+( \d+){5}\n$/, "$name: page $page") or return;
		check_page("$name, page $page", $member, $said);
	}
	is( $node->safe_psql('shop', qq{
			SELECT d.profile = '{}', d.profile = (
			           SELECT dlints_profile(p.features)
			           FROM   decision old
			                  JOIN reward r ON r.decision_id = old.id
			                  JOIN product p ON p.id = r.product_id
			           WHERE  old.member_id = $member AND old.id < d.id)
			FROM   decision d WHERE d.member_id = $member ORDER BY d.id}),
		"t|t\nf|t", "$name: the profile is that of the clicks before");
	return;
}

my $member = 0;
for my $client (@clients)
{
	my ($name, $prepare) = @$client;

	unlike(DlintsTest->slurp("$examples/$name"), qr/::|\bcast\b/i, "$name has no cast");
	my ($command, $why_not) = $prepare->();
	$member++;
  SKIP:
	{
		diag("$name is skipped: $why_not") unless $command;
		skip $why_not, 1 unless $command;
		check_client($name, $member, $command);
	}
}

# ---------- what is learned of it ----------

$node->safe_psql('shop', q{UPDATE decision SET made_at = made_at - interval '2 hours'});
is(psql_file('learn.sql'), '', 'learn.sql');
is( $node->safe_psql('shop', q{
		SELECT i.updates = (SELECT count(*) FROM shown), i.updates > 0,
		       (SELECT sum(learned) FROM shown) = (SELECT sum(reward) FROM reward)
		FROM   model m, dlints_info(m.state) i}),
	't|t|t', 'everything that was shown is learned, with its reward');

done_testing();

# Servers for the tests in this folder, and what several of them do there.
#
#   use DlintsTest;                            # or, for tests with background_psql:
#   use DlintsTest 'sessions';
#   my $node = DlintsTest->node('primary');    # running, Unix socket only
#
# The programs in the PATH have dlints in their own folders.
package DlintsTest;

use strict;
use warnings;

use File::Basename qw(dirname);
use Test::More;

my $class;

BEGIN
{
	plan skip_all => 'this PostgreSQL was built without --enable-tap-tests'
	  if !grep { -e "$_/PostgreSQL/Test/Cluster.pm" || -e "$_/PostgresNode.pm" } @INC;

	# Named otherwise before PostgreSQL 15
	$class = eval { require PostgreSQL::Test::Cluster; 1 }
	  ? 'PostgreSQL::Test::Cluster'
	  : do { require PostgresNode; 'PostgresNode' };
}

# Minor versions of PostgreSQL up to 15 brought the module for this.
sub import
{
	my ($self, @needs) = @_;

	plan skip_all => 'the test modules of this PostgreSQL have no BackgroundPsql'
	  if grep({ $_ eq 'sessions' } @needs)
	  && !eval { require PostgreSQL::Test::BackgroundPsql; 1 };
	return;
}

# A server that has not been initialized, for init_from_backup and the like
sub bare_node
{
	my ($self, $name, %params) = @_;

	return $class->can('get_new_node') && $class eq 'PostgresNode'
	  ? $class->get_new_node($name, %params)
	  : $class->new($name, %params);
}

# Initialize a server, with the parameters of its init().  It has the encoding that documents and
# clients are written for, whatever the environment's locale is.
sub init
{
	my ($self, $node, %params) = @_;

	$node->init(%params, extra => [ '-E', 'UTF8', '--no-locale', @{ $params{extra} // [] } ]);
	return;
}

# A server, initialized and started.  The parameters go to its init();
# "conf" is more text for postgresql.conf, "install_path" names an installation
# of PostgreSQL other than that in the PATH.
sub node
{
	my ($self, $name, %params) = @_;
	my $conf = delete $params{conf} // '';
	my $installation = delete $params{install_path};
	my $node = $self->bare_node($name, $installation ? (install_path => $installation) : ());

	$self->init($node, %params);
	$node->append_conf('postgresql.conf', "log_statement = none\n$conf");
	$node->start;
	return $node;
}

# A psql that stays connected.  PostgreSQL's time limit is for each query, not for all of them together.
sub session
{
	my ($self, $node, %params) = @_;
	my $session = $node->background_psql('postgres', %params);

	$session->set_query_timer_restart if $session->can('set_query_timer_restart');
	return $session;
}

# Run a file of this folder
sub run_file
{
	my ($self, $node, $file, $database) = @_;

	return $node->safe_psql($database // 'postgres', '\i ' . dirname(__FILE__) . "/$file");
}

# Models, and a queue of what they are to learn
our $tables = q{
	CREATE EXTENSION dlints;
	CREATE TABLE model (name text PRIMARY KEY, state dlints NOT NULL);
	CREATE TABLE feedback (id bigserial PRIMARY KEY, model text, features real[], reward float8);};

# The statement that folds the queue into the models
our $fold = q{
	WITH batch AS (DELETE FROM feedback RETURNING *)
	UPDATE model m SET state = m.state || e.evidence
	FROM  (SELECT p.name, dlints_evidence(p.state, b.features, b.reward ORDER BY b.id) AS evidence
	       FROM batch b JOIN model p ON p.name = b.model GROUP BY p.name) e
	WHERE m.name = e.name};

# Every stored byte of every model
sub stored
{
	my ($self, $node) = @_;

	return $node->safe_psql('postgres',
		q{SELECT name, encode(dlints_send(state), 'hex') FROM model ORDER BY name});
}

# What a model has seen
sub updates
{
	my ($self, $node, $name) = @_;

	return $node->safe_psql('postgres',
		"SELECT (dlints_info(state)).updates FROM model WHERE name = '$name'");
}

# Make one server known to another's postgres_fdw, which may send it what dlints
# computes
sub foreign_server
{
	my ($self, $node, $name, $remote) = @_;
	my ($host, $port) = ($remote->host, $remote->port);

	$node->safe_psql(
		'postgres', qq{
		CREATE SERVER $name FOREIGN DATA WRAPPER postgres_fdw
		OPTIONS (host '$host', port '$port', dbname 'postgres', extensions 'dlints');
		CREATE USER MAPPING FOR PUBLIC SERVER $name});
	return;
}

# Whether the server could have this extension
sub has_extension
{
	my ($self, $node, $name) = @_;

	return $node->safe_psql('postgres',
		"SELECT count(*) FROM pg_available_extensions WHERE name = '$name'") > 0;
}

# The bytes of a file
sub slurp
{
	my ($self, $path) = @_;

	open(my $file, '<:raw', $path) or die "could not open $path: $!";
	local $/;
	return scalar <$file>;
}

sub spew
{
	my ($self, $path, $bytes) = @_;

	open(my $file, '>:raw', $path) or die "could not open $path: $!";
	print $file $bytes;
	close($file) or die "could not write $path: $!";
	return;
}

# How often a server's log says something
sub count_in_log
{
	my ($self, $node, $pattern) = @_;

	return scalar grep { $_ =~ $pattern } split /^/, $self->slurp($node->logfile);
}

1;

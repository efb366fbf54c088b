# Servers for the tests in this folder, and functions that several tests share.
#
#   use DlintsTest;                            # or, for tests with background_psql:
#   use DlintsTest 'sessions';
#   my $node = DlintsTest->node('primary');    # running, Unix socket only
#
# The programs in the PATH have dlints in their own folders.
package DlintsTest;

use strict;
use warnings;

use Digest::MD5 qw(md5_hex);
use Fcntl qw(:flock);
use File::Basename qw(dirname);
use Test::More;

my $class;

BEGIN
{
	plan skip_all => 'this PostgreSQL was built without --enable-tap-tests'
	  if !grep { -e "$_/PostgreSQL/Test/Cluster.pm" || -e "$_/PostgresNode.pm" } @INC;

	# The module has another name before PostgreSQL 15
	$class = eval { require PostgreSQL::Test::Cluster; 1 }
	  ? 'PostgreSQL::Test::Cluster' : do { require PostgresNode; 'PostgresNode' };
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

# A server that has not been initialized, for init_from_backup and the like.  Its
# safe_psql() runs statements in sessions that stay connected.
sub bare_node
{
	my ($self, $name, %params) = @_;
	my $node = $class->can('get_new_node') && $class eq 'PostgresNode'
	  ? $class->get_new_node($name, %params)
	  : $class->new($name, %params);

	return ref $node eq $class
	  && eval { require PostgreSQL::Test::BackgroundPsql; 1 } ? DlintsTest::Node->keep($node) : $node;
}

# Initialize a server, with the parameters of its init().  It has the encoding that documents and
# clients are written for, whatever the environment's locale is.  Each run of initdb with the same
# options gives a copy of the first one's folder, which takes a tenth of its time.
sub init
{
	my ($self, $node, %params) = @_;
	my $run = \&PostgreSQL::Test::Utils::system_or_bail;
	my $copy = sub {
		my ($program, @options) = @_;
		my $folder = $node->data_dir;
		my $name = join ' ', $ENV{PATH}, grep { $_ ne $folder } @options;
		my $template = "$ENV{TESTDATADIR}/" . md5_hex($name);

		return $run->(@_) if $program ne 'initdb';
		open(my $lock, '>', "$template.lock") or die "$template.lock: $!";
		flock($lock, LOCK_EX) or die "$template.lock: $!";
		$run->($program, map { $_ eq $folder ? $template : $_ } @options) if !-e $template;
		close($lock) or die "$template.lock: $!";
		return $run->('cp', '-R', '-p', $template, $folder);
	};

	no warnings 'redefine';
	local *PostgreSQL::Test::Utils::system_or_bail = $copy;
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

	return $self->session_of($node, 'postgres', %params);
}

# A psql that stays connected to this database
sub session_of
{
	my ($self, $node, $database, %params) = @_;
	my $session = bless $node->background_psql($database, %params), 'DlintsTest::Psql';

	$session->set_query_timer_restart if $session->can('set_query_timer_restart');
	return $session;
}

# Run a file of this folder
sub run_file
{
	my ($self, $node, $file, $database) = @_;

	return $node->safe_psql($database // 'postgres', '\i ' . dirname(__FILE__) . "/$file");
}

# The statement that folds the queue into the models
our $fold = q{
	WITH batch AS (DELETE FROM feedback RETURNING *)
	UPDATE model m SET state = m.state || e.evidence
	FROM  (SELECT p.name, dlints_evidence(p.state, b.features, b.reward ORDER BY b.id) AS evidence
	       FROM batch b JOIN model p ON p.name = b.model GROUP BY p.name) e
	WHERE m.name = e.name};

# The statement that trains each model of kinds.sql
sub train_all
{
	return q{UPDATE model SET state = (
		SELECT dlints_update(state, array_fill(0.1, ARRAY[dim]), 1, array_fill(0.2, ARRAY[profile_dim]), '2026-02-01Z')
		FROM dlints_info(state)) WHERE state IS NOT NULL};
}

# Observations of a model
sub updates
{
	my ($self, $node, $name) = @_;

	return $node->safe_psql('postgres', "SELECT (dlints_info(state)).updates FROM model WHERE name = '$name'");
}

# Create a server of postgres_fdw for another node, with pushdown of dlints' functions
sub foreign_server
{
	my ($self, $node, $name, $remote) = @_;
	my ($host, $port) = ($remote->host, $remote->port);

	$node->safe_psql('postgres', qq{
		CREATE SERVER $name FOREIGN DATA WRAPPER postgres_fdw
		OPTIONS (host '$host', port '$port', dbname 'postgres', extensions 'dlints');
		CREATE USER MAPPING FOR PUBLIC SERVER $name});
	return;
}

# Is this extension available on the server?
sub has_extension
{
	my ($self, $node, $name) = @_;

	return $node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = '$name'") > 0;
}

# Run a script of pgbench in four sessions for three seconds.  With $is_crash, the server crashes after two of them and
# is started again.  Returns whether pgbench succeeded, and its messages.
sub run_random
{
	my ($self, $node, $script, $is_crash) = @_;
	my $bench = IPC::Run::start(
		[ 'pgbench', '-n', '-c', 4, '-j', 1, '-T', 3, '-f', $script, '-h', $node->host,
			'-p', $node->port, 'postgres' ],
		'>', \my $out, '2>', \my $messages);

	if ($is_crash)
	{
		sleep 2;
		$node->stop('immediate');
	}
	my $succeeds = $bench->finish;
	$node->start if $is_crash;
	return ($succeeds, $messages);
}

# The bytes of a file
sub slurp
{
	my ($self, $path) = @_;

	open(my $file, '<:raw', $path) or die "could not open $path: $!";
	local $/;
	return scalar <$file>;
}

# SQL of a file in test/pgtap/include, with the files that it includes
sub included
{
	my ($self, $name) = @_;
	my $sql = $self->slurp(dirname(__FILE__) . "/../pgtap/include/$name");

	return $sql =~ s/^\\ir (\S+)$/$self->included($1)/gemr;
}

sub spew
{
	my ($self, $path, $bytes) = @_;

	open(my $file, '>:raw', $path) or die "could not open $path: $!";
	print $file $bytes;
	close($file) or die "could not write $path: $!";
	return;
}

# A server whose safe_psql() keeps a session of each database, since a new process of psql with a
# new server process takes longer than most statements do.  Each call begins in the state of a new
# session.
package DlintsTest::Node;

our @ISA = ($class);

sub keep
{
	my ($self, $node) = @_;

	$node->{kept} = {};
	return bless $node, $self;
}

sub safe_psql
{
	my ($self, $database, $sql, %params) = @_;

	# A database cannot be copied while it has sessions, and only later ones have its new settings.
	my $is_of_all = $sql =~ /\b(?:CREATE|DROP|ALTER) (?:DATABASE|ROLE)\b/;

	$self->end_sessions if $is_of_all;
	return $self->SUPER::safe_psql($database, $sql, %params) if $is_of_all || %params;

	my $session = delete $self->{kept}{$database} // DlintsTest->session_of($self, $database);
	# A session that has ended, of a server that was restarted, is replaced.  The module of PostgreSQL 16.2 may return
	# an empty string then.
	$session = DlintsTest->session_of($self, $database) if !eval { $session->query("DISCARD ALL;\nSELECT 1") };
	$session->{stderr} = '';
	my $output = eval { $session->query($sql) } // die "error running SQL: '$session->{stderr}'\nwhile running '$sql'";

	$self->{kept}{$database} = $session;
	return $output;
}

# End the sessions, which a server that stops would otherwise wait for
sub end_sessions
{
	my ($self) = @_;

	for my $session (values %{ $self->{kept} })
	{
		eval { $session->quit };
	}
	$self->{kept} = {};
	return;
}

for my $name ('stop', 'restart', 'backup', 'promote', 'teardown_node', 'init')
{
	no strict 'refs';    ## no critic (ProhibitNoStrict): methods made by name
	*{$name} = sub {
		my ($self, @arguments) = @_;
		my $method = "SUPER::$name";

		$self->end_sessions;
		return $self->$method(@arguments);
	};
}

package DlintsTest::Psql;

our @ISA = 'PostgreSQL::Test::BackgroundPsql';

# The module of PostgreSQL 16.2 returns the last newline, and that of 17.0 its own marker if there is no output.
sub query
{
	my ($self, $statement) = @_;
	my ($output, $status) = $self->SUPER::query($statement);

	$output =~ s/^background_psql: QUERY_SEPARATOR\n?\z//;
	chomp $output;
	return wantarray ? ($output, $status) : $output;
}

1;

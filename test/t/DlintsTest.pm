# Servers for the tests in this folder.
#
#   my $node = DlintsTest->node('primary');    # running, Unix socket only
#
# The programs in the PATH have dlints in their own folders.
package DlintsTest;

use strict;
use warnings;

my $class;

BEGIN
{
	# Named otherwise before PostgreSQL 15
	$class = eval { require PostgreSQL::Test::Cluster; 1 }
	  ? 'PostgreSQL::Test::Cluster'
	  : do { require PostgresNode; 'PostgresNode' };
}

# A server that has not been initialized, for init_from_backup and the like
sub bare_node
{
	my ($self, $name) = @_;

	return $class->can('get_new_node') && $class eq 'PostgresNode'
	  ? $class->get_new_node($name)
	  : $class->new($name);
}

# A server, initialized and started.  The parameters go to its init();
# "conf" is more text for postgresql.conf.
sub node
{
	my ($self, $name, %params) = @_;
	my $more = delete $params{conf} // '';
	my $node = $self->bare_node($name);

	$node->init(%params);
	$node->append_conf('postgresql.conf', $more);
	$node->start;
	return $node;
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

# How often a server's log says something
sub count_in_log
{
	my ($self, $node, $pattern) = @_;

	return scalar grep { $_ =~ $pattern } split /^/, $self->slurp($node->logfile);
}

1;

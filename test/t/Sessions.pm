# Two sessions of which one may wait for the other.
#
#   my $sessions = Sessions->new($node);
#   $sessions->run(1, 'BEGIN', 'UPDATE ...');          # statements that succeed
#   $sessions->wait_with(2, 'UPDATE ...');             # one that waits for a lock
#   $sessions->run(1, 'COMMIT');
#   is($sessions->outcome(2), '00000', 'the second session continues');  # its SQLSTATE
package Sessions;

use strict;
use warnings;

use DlintsTest 'sessions';

sub new
{
	my ($class, $node) = @_;
	my $self = bless { node => $node }, $class;

	$self->{$_} = DlintsTest->session($node, on_error_stop => 0) for 1, 2;
	return $self;
}

sub run
{
	my ($self, $number, @statements) = @_;

	$self->{$number}->query_safe($_) for @statements;
	return;
}

# Send a statement that has to wait for a lock
sub wait_with
{
	my ($self, $number, $statement) = @_;

	$self->{$number}->query_until(qr/sent/, "\\echo sent\n$statement;\n");
	$self->{node}->poll_query_until('postgres',
		q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'})
	  or die 'the session does not wait';
	return;
}

# The SQLSTATE of a session's last statement, when it has ended
sub outcome
{
	my ($self, $number) = @_;

	# The module of PostgreSQL 13 removes the last newline together with its marker, and then waits forever for a
	# marker at the beginning of a line.
	$self->{$number}->{stderr} .= "\n";
	my $sqlstate = $self->{$number}->query('\echo :SQLSTATE');

	$self->{$number}->{stderr} = '';
	return $sqlstate;
}

# SQLSTATE of the last statement of this session
sub sqlstate
{
	my ($self, $number, $statement) = @_;

	$self->{$number}->query($statement);
	return $self->outcome($number);
}

# SQLSTATE of a statement in the second session that waits for the end of the first one's transaction
sub interleave
{
	my ($self, $first, $end, $second) = @_;

	$self->run(1, 'BEGIN', $first);
	$self->wait_with(2, $second);
	$self->run(1, $end);
	return $self->outcome(2);
}

sub quit
{
	my ($self) = @_;

	$self->{$_}->quit for 1, 2;
	return;
}

1;

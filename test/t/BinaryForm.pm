# The external binary form of models: where its fields are, and a way in for
# values that may not be as they should.
#
#   my $form = BinaryForm->new($node);       # table "arrival"
#   my $n = $form->add($bytes);              # the number of a file for COPY
#   $form->copy(1, $n);                      # each into "arrival" or "refusal"
package BinaryForm;

use strict;
use warnings;

use DlintsTest ();
use Exporter qw(import);

use constant {
	VERSION => 0,
	POLICY => 2,
	INTERCEPT => 3,
	MEMORIES => 4,
	MEMORY => 5,
	INTERACTIONS => 6,
	CONTEXT_DIM => 7,
	REDUCED_DIM => 11,
	SHARED_DIM => 15,
	DISCOUNT => 19,
	HALF_LIFE => 27,
	RIDGE => 35,
	EXPLORATION => 43,
	NOISE => 51,
	SCALE => 59,
	SEED => 67,
	UPDATES => 75,
	NEWEST => 83,
	REFERENCE => 91,
	SIGMA => 99,
	CHOSEN => 107,
	# the first memory: the sum of weights, of rewards, of their squares, then b
	WEIGHT_SUM => 115,
	REWARD_SUM => 123,
	REWARD_SQUARE_SUM => 131,
	VALUES => 139,
};

our @EXPORT = qw(VERSION POLICY INTERCEPT MEMORIES MEMORY INTERACTIONS CONTEXT_DIM
  REDUCED_DIM SHARED_DIM DISCOUNT HALF_LIFE RIDGE EXPLORATION NOISE SCALE SEED UPDATES NEWEST
  REFERENCE SIGMA CHOSEN WEIGHT_SUM REWARD_SUM REWARD_SQUARE_SUM VALUES replaced);

# The bytes with others put in their place, as many as before
sub replaced
{
	my ($value, $offset, $bytes) = @_;
	my $size = length($value);

	substr($value, $offset, length($bytes)) = $bytes;
	return substr($value, 0, $size);
}

sub new
{
	my ($class, $node) = @_;

	$node->safe_psql(
		'postgres', q{
		CREATE TABLE arrival (n integer, state dlints);
		CREATE TABLE refusal (n integer, sqlstate text, message text);
		CREATE PROCEDURE copy_files(folder text, first integer, last integer) LANGUAGE plpgsql AS $$
		DECLARE
			what text;
		BEGIN
			FOR n IN first .. last LOOP
				BEGIN
					EXECUTE format('COPY arrival FROM %L (FORMAT binary)', folder || '/' || n);
				EXCEPTION WHEN OTHERS THEN
					GET STACKED DIAGNOSTICS what = MESSAGE_TEXT;
					INSERT INTO refusal VALUES (n, SQLSTATE, what);
				END;
			END LOOP;
		END $$});
	return bless { node => $node, files => 0 }, $class;
}

# The bytes of a model, which SQL describes
sub of
{
	my ($self, $model) = @_;

	return pack 'H*',
	  $self->{node}->safe_psql('postgres', "SELECT encode(dlints_send($model), 'hex')");
}

sub path
{
	my ($self, $n) = @_;

	return $self->{node}->basedir . "/$n";
}

# Write a table of one row as binary COPY does
sub add
{
	my ($self, $value) = @_;
	my $n = ++$self->{files};

	DlintsTest->spew($self->path($n),
		"PGCOPY\n\377\r\n\0" . pack('NN n N N N/a* n', 0, 0, 2, 4, $n, $value, 0xFFFF));
	return $n;
}

# Whether the session has survived
sub copy
{
	my ($self, $first, $last) = @_;
	my $folder = $self->{node}->basedir;
	my ($status) = $self->{node}->psql('postgres', "CALL copy_files('$folder', $first, $last)");

	return $status == 0;
}

1;

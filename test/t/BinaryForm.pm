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
	CONTEXT_DIM => 4,
	REDUCED_DIM => 8,
	SHARED_DIM => 12,
	DISCOUNT => 16,
	RIDGE => 24,
	EXPLORATION => 32,
	SCALE => 40,
	SEED => 48,
	UPDATES => 56,
	WEIGHT_SUM => 64,
	REWARD_SUM => 72,
	REWARD_SQUARE_SUM => 80,
	VALUES => 88,
};

our @EXPORT = qw(VERSION POLICY INTERCEPT CONTEXT_DIM REDUCED_DIM SHARED_DIM
  DISCOUNT RIDGE EXPLORATION SCALE SEED UPDATES WEIGHT_SUM REWARD_SUM
  REWARD_SQUARE_SUM VALUES replaced);

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

# The external binary form of models: positions of its fields, and input of values that may be invalid.
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
	DIM => 7,
	REDUCED_DIM => 11,
	PROFILE_DIM => 15,
	DISCOUNT => 19,
	HALF_LIFE => 27,
	RIDGE => 35,
	LAMBDA => 43,
	EXPLORATION => 51,
	NOISE => 59,
	PRIOR_WEIGHT => 67,
	SCALE => 75,
	SEED => 83,
	UPDATES => 91,
	NEWEST => 99,
	REFERENCE => 107,
	SIGMA => 115,
	CHOSEN => 123,
	# totals over all observations
	WEIGHT_TOTAL => 131,
	REWARD_TOTAL => 139,
	REWARD_SQUARE_TOTAL => 147,
	REWARD_SQUARE_PEAK => 155,
	# the first memory: the sum of weights, of rewards, of their squares, then b, behind the
	# sum of squared weights where there are several
	WEIGHT_SUM => 163,
	REWARD_SUM => 171,
	REWARD_SQUARE_SUM => 179,
	VALUES => 187,
};

our @EXPORT = qw(VERSION POLICY INTERCEPT MEMORIES MEMORY INTERACTIONS DIM
  REDUCED_DIM PROFILE_DIM DISCOUNT HALF_LIFE RIDGE LAMBDA EXPLORATION NOISE PRIOR_WEIGHT SCALE
  SEED UPDATES NEWEST REFERENCE SIGMA CHOSEN WEIGHT_TOTAL REWARD_TOTAL REWARD_SQUARE_TOTAL
  REWARD_SQUARE_PEAK WEIGHT_SUM REWARD_SUM REWARD_SQUARE_SUM VALUES replaced);

# Replace bytes by as many others
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

	$node->safe_psql('postgres', q{
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

# Bytes of a model, given as SQL
sub of
{
	my ($self, $model) = @_;

	return pack 'H*', $self->{node}->safe_psql('postgres', "SELECT encode(dlints_send($model), 'hex')");
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

	DlintsTest->spew($self->path($n), "PGCOPY\n\377\r\n\0" . pack('NN n N N N/a* n', 0, 0, 2, 4, $n, $value, 0xFFFF));
	return $n;
}

# Does the session still exist?
sub copy
{
	my ($self, $first, $last) = @_;
	my $folder = $self->{node}->basedir;
	my ($status) = $self->{node}->psql('postgres', "CALL copy_files('$folder', $first, $last)");

	return $status == 0;
}

1;

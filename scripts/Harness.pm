# What "prove --harness Harness" adds to prove: failures are shown with what the
# test says of them, the results are counted, and tests that share a server run one
# after another.
#
# Each run adds a line to the file that DLINTS_TALLY names: how many checks
# passed, and how many failed.
package Harness;

use strict;
use warnings;

use parent 'TAP::Harness';

# Of several jobs one has those that share a server, from the beginning on; the
# others have those with servers of their own.
sub make_scheduler
{
	my ($self, @tests) = @_;

	$self->rules({ par => [ { seq => 'test/{pgtap/*,*.sh}' }, { par => '**' } ] });
	return $self->SUPER::make_scheduler(@tests);
}

sub make_parser
{
	my ($self, @job) = @_;
	my ($parser, $session) = $self->SUPER::make_parser(@job);
	my $is_ok = 1;

	$parser->callback(
		test => sub {
			$is_ok = $_[0]->is_ok;
			print "\n", $_[0]->as_string, "\n" if !$is_ok;
		});
	$parser->callback(comment => sub { print $_[0]->as_string, "\n" if !$is_ok });
	return ($parser, $session);
}

# A skipped check has not passed.  A program that ended badly without a failed
# check has failed.
sub summary
{
	my ($self, $aggregate, @arguments) = @_;
	my @broken = grep { $_->has_problems && !$_->failed } $aggregate->parsers;

	$self->SUPER::summary($aggregate, @arguments);
	open(my $tally, '>>', $ENV{DLINTS_TALLY}) or die "$ENV{DLINTS_TALLY}: $!";
	printf {$tally} "%d %d\n", $aggregate->passed - $aggregate->skipped,
	  $aggregate->failed + @broken;
	close($tally) or die "$ENV{DLINTS_TALLY}: $!";
	return;
}

1;

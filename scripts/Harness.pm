# prove --harness Harness prints the diagnostics of failures, counts results, runs
# Python programs, and runs tests that share a server one after another.
#
# Each run adds a line to the file that DLINTS_TALLY names: how many checks
# passed, and how many failed.
package Harness;

use strict;
use warnings;

use Cwd 'getcwd';

use parent 'TAP::Harness';

# pgTAP's handler, where it is installed, takes each source for a file.
if (eval { require TAP::Parser::SourceHandler::pgTAP; 1 })
{
	no warnings 'redefine';
	my $can_handle = \&TAP::Parser::SourceHandler::pgTAP::can_handle;

	*TAP::Parser::SourceHandler::pgTAP::can_handle =
	  sub { return ref $_[1]->raw eq 'SCALAR' ? $can_handle->(@_) : 0 };
}

sub new
{
	my ($class, $options) = @_;

	return $class->SUPER::new({ %$options, exec => \&_program_of });
}

# Return the command for a Python program, undef for any other test.
sub _program_of
{
	my ($self, $test) = @_;
	my $top = getcwd();

	return $test !~ /\.py$/ ? undef :
	  [ 'env', "PYTHONPATH=$top:$top/test/python", $ENV{PYTHON} // 'python3', '-B', $test ];
}

# Of several jobs one has those that share a server, from the beginning on; the
# others have those with servers of their own.
sub make_scheduler
{
	my ($self, @tests) = @_;

	$self->rules({ par => [ { seq => 'test/{pgtap/*,*.sh,*.py,*/*.py}' }, { par => '**' } ] });
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

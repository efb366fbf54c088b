# A copy of the extension's files that a test may change, and servers on it.
#
#   my $scratch = ScratchStage->new or plan skip_all => ScratchStage->why_not;
#   $scratch->control(default_version => '2.0');
#   $scratch->write('dlints--2.0.sql', $scratch->read('dlints--1.0.sql'));
#   my $node = $scratch->node('name');
package ScratchStage;

use strict;
use warnings;

use DlintsTest;
use File::Temp;

sub why_not
{
	return 'this server loads extensions from its own folders only';
}

# Nothing where the server cannot be told where to look for extensions
sub new
{
	my ($class) = @_;

	return if DlintsTest->conf() eq '';

	my $copy = File::Temp->newdir(DIR => $ENV{TESTDATADIR} // '/tmp');
	system('cp', '-R', "$ENV{DLINTS_STAGE}/.", "$copy") == 0
	  or die "could not copy $ENV{DLINTS_STAGE}";
	system('chmod', '-R', 'u+rwX', "$copy") == 0 or die 'chmod failed';
	return bless { copy => $copy }, $class;
}

# A server that loads the extension from here
sub node
{
	my ($self, @arguments) = @_;

	local $ENV{DLINTS_STAGE} = "$self->{copy}";
	return DlintsTest->node(@arguments);
}

# Control file and scripts are all in one folder
sub path
{
	my ($self, $file) = @_;

	return "$self->{copy}$ENV{DLINTS_SHAREDIR}/extension/$file";
}

sub read
{
	my ($self, $file) = @_;

	open(my $handle, '<', $self->path($file))
	  or die "could not open $file: $!";
	local $/;
	return scalar <$handle>;
}

sub write
{
	my ($self, $file, $text) = @_;

	open(my $handle, '>', $self->path($file))
	  or die "could not create $file: $!";
	print $handle $text;
	close($handle) or die "could not write $file: $!";
	return;
}

# Versions that have an install script, oldest first.  PostgreSQL's own views
# show the extensions of the server's folder only.
sub versions
{
	my ($self) = @_;
	my %sort_key;

	for my $script (glob $self->path('dlints--*.sql'))
	{
		$sort_key{$1} = join '.', map { sprintf '%06d', $_ } split /\./, $1
		  if $script =~ /dlints--([\d.]+)\.sql$/;
	}
	my @versions = sort { $sort_key{$a} cmp $sort_key{$b} } keys %sort_key;
	return @versions;
}

# Change or add a setting of the control file
sub control
{
	my ($self, $setting, $value) = @_;
	my $text = $self->read('dlints.control');

	$text =~ s/^$setting\s*=.*\n//m;
	$self->write('dlints.control', "$text$setting = $value\n");
	return;
}

1;

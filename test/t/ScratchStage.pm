# The extension's files, which a test may change: they are put back at its end.
#
#   my $scratch = ScratchStage->new;
#   $scratch->control(default_version => '2.0');
#   $scratch->write('dlints--2.0.sql', $scratch->read('dlints--1.0.sql'));
#
# The PostgreSQL in the PATH is a private copy ("make test" sees to that).
package ScratchStage;

use strict;
use warnings;

use File::Basename qw(basename);

sub new
{
	my ($class) = @_;
	my $self = bless {}, $class;

	chomp(my $share = `pg_config --sharedir`);
	$self->{folder} = "$share/extension";
	$self->{saved} = { map { $_ => $self->read($_) } map { basename($_) } glob $self->path('dlints*') };
	return $self;
}

sub DESTROY
{
	my ($self) = @_;

	unlink glob $self->path('dlints*');
	$self->write($_, $self->{saved}{$_}) for keys %{ $self->{saved} };
	return;
}

# Control file and scripts are all in one folder
sub path
{
	my ($self, $file) = @_;

	return "$self->{folder}/$file";
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

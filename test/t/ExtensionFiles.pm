# Changes of the files that CREATE EXTENSION reads, which are undone at the end of the test.
#
#   my $files = ExtensionFiles->new;
#   $files->control(default_version => "'2.0'");
#   $files->write('dlints--2.0.sql', $files->read('dlints--1.0.sql'));
#
# The PostgreSQL in the PATH is a private copy, whose files may be changed.
package ExtensionFiles;

use strict;
use warnings;

use DlintsTest ();
use File::Basename qw(basename);

sub new
{
	my ($class) = @_;

	chomp(my $share = `pg_config --sharedir`);
	my $self = bless { folder => "$share/extension" }, $class;
	die "no right to write to $self->{folder}" if !-w $self->{folder};
	$self->{saved} = {
		map { $_ => $self->read($_) } map { basename($_) } glob $self->path('dlints*') };
	return $self;
}

sub DESTROY
{
	my ($self) = @_;

	return if !$self->{saved};
	unlink glob $self->path('dlints*');
	$self->write($_, $self->{saved}{$_}) for keys %{ $self->{saved} };
	return;
}

sub path
{
	my ($self, $file) = @_;

	return "$self->{folder}/$file";
}

sub read
{
	my ($self, $file) = @_;

	return DlintsTest->slurp($self->path($file));
}

sub write
{
	my ($self, $file, $text) = @_;

	DlintsTest->spew($self->path($file), $text);
	return;
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

# Drivers of other languages.  Each function returns the command of a program, or undef and the reason that the
# driver cannot be used.
#
#   my ($command, $why_not) = Clients::node_postgres('page.js', $folder);
package Clients;

use strict;
use warnings;

use File::Copy qw(copy);
use FindBin;

my $examples = "$FindBin::RealBin/../../examples/clients";

# Return the output and errors of a shell command, and set $?.
sub output_of
{
	my ($command) = @_;

	return scalar `( $command ) 2>&1 </dev/null`;
}

sub succeeds
{
	output_of(@_);
	return $? == 0;
}

sub psycopg2
{
	my ($program) = @_;
	my $python = $ENV{PYTHON} || 'python3';

	return (undef, 'psycopg2 is not installed (python3-psycopg2)')
	  unless succeeds("$python -c 'import psycopg2'");
	return "$python -B $program";
}

# Debian's package, or that of npm's registry
sub node_postgres
{
	my ($program, $work) = @_;

	return (undef, 'Node is not installed (nodejs)') unless succeeds('node --version');
	local $ENV{NODE_PATH} = '/usr/share/nodejs';
	return "NODE_PATH=$ENV{NODE_PATH} node $program" if succeeds(q{node -e 'require("pg")'});

	my $npm = "cd $work && npm --cache $work/cache --loglevel error";
	return (undef, 'node-postgres is not installed (node-pg), nor npm')
	  unless succeeds('npm --version');
	return (undef, 'npm does not reach its registry')
	  unless succeeds("$npm ping --fetch-retries 0 --fetch-timeout 10000");
	copy("$examples/$_", "$work/$_") or die "$_: $!" for 'package.json', 'package-lock.json';
	my $said = output_of("$npm ci --no-audit --no-fund --ignore-scripts");
	die $said if $? != 0;
	return "NODE_PATH=$work/node_modules node $program";
}

1;

# Objects of dlints in the catalogs of a database, for comparisons
package Catalogue;

use strict;
use warnings;

use File::Basename qw(dirname);

sub lines
{
	my ($node, $database) = @_;

	return split /\n/, $node->safe_psql($database, '\i ' . dirname(__FILE__) . '/catalogue.sql');
}

# Lines that only one of two databases has, marked "- " and "+ "
sub differences
{
	my ($node, $left, $right) = @_;
	my %count;

	$count{$_}-- for lines($node, $left);
	$count{$_}++ for lines($node, $right);
	return join "\n", map { ($count{$_} < 0 ? '- ' : '+ ') . $_ } grep { $count{$_} != 0 } sort keys %count;
}

# Definitions and comments of functions and views of a schema
sub definition
{
	my ($node, $database, $schema) = @_;

	return $node->safe_psql($database, qq{
		SELECT pg_get_functiondef(oid), obj_description(oid, 'pg_proc') FROM pg_proc
		WHERE pronamespace = '$schema'::regnamespace ORDER BY proname;
		SELECT relname, pg_get_viewdef(oid), obj_description(oid, 'pg_class') FROM pg_class
		WHERE relnamespace = '$schema'::regnamespace AND relkind = 'v' ORDER BY 1});
}

1;

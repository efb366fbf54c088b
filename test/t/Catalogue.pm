# What dlints has put into the catalogue of a database, to be compared.
package Catalogue;

use strict;
use warnings;

use FindBin;

sub lines
{
	my ($node, $database) = @_;

	return split /\n/,
	  $node->safe_psql($database, "\\i $FindBin::RealBin/catalogue.sql");
}

# Lines that only one of two databases has, marked "- " and "+ "
sub differences
{
	my ($node, $left, $right) = @_;
	my %count;

	$count{$_}-- for lines($node, $left);
	$count{$_}++ for lines($node, $right);
	return join "\n", map { ($count{$_} < 0 ? '- ' : '+ ') . $_ }
	  grep { $count{$_} != 0 } sort keys %count;
}

1;

# Test examples/frameworks: migrations make a table and a recommender and drop the recommender, pages show lists,
# and clicks are reported.  The application's role is not a superuser and does not own the extension.
#
# This takes over 20 s, since an interpreter loads its framework for each of 18 commands.
use strict;
use warnings;

use File::Temp;
use FindBin;
use DlintsTest;
use Test::More;

my $examples = "$FindBin::RealBin/../../examples/frameworks";
my $programs = "$FindBin::RealBin/frameworks";
my $python = ($ENV{PYTHON} || 'python3') . ' -B';

# Commands of each framework: whether it is installed, and its migrations
my %framework = (
	django => {
		needs => "$python -c 'import django, psycopg2'",
		package => 'python3-django',
		run => "$python $programs/try_django.py",
		table => 'migrate 0001',
		lists => 'migrate 0002',
		undo => 'migrate 0001' },
	sqlalchemy => {
		needs => "$python -c 'import alembic, psycopg2, sqlalchemy.future'",
		package => 'alembic, or SQLAlchemy 1.4',
		run => "$python $programs/try_sqlalchemy.py",
		table => 'upgrade product',
		lists => 'upgrade recommender',
		undo => 'downgrade product' },
	activerecord => {
		needs => q{ruby -e 'require "active_record"; require "pg"'},
		package => 'ruby-activerecord, ruby-pg',
		run => "ruby $programs/try_activerecord.rb",
		table => 'up product CreateProduct',
		lists => 'up recommender CreateRecommender',
		undo => 'down recommender CreateRecommender' });

# Return the output and errors of a shell command, and set $?.
sub output_of
{
	my ($command) = @_;

	return scalar `( $command ) 2>&1 </dev/null`;
}

my $node = DlintsTest->node('main');
$node->safe_psql('postgres', 'CREATE ROLE application LOGIN');

for my $name (sort keys %framework)
{
	my $it = $framework{$name};

  SKIP:
	{
		output_of($it->{needs});
		if ($? != 0)
		{
			diag("$name is skipped: $it->{package} is not installed");
			skip "$it->{package} is not installed", 1;
		}
		my $work = File::Temp->newdir;
		$node->safe_psql('postgres', "CREATE DATABASE $name");
		$node->safe_psql($name, "CREATE EXTENSION dlints; GRANT CREATE ON DATABASE $name TO application;"
			  . 'GRANT CREATE ON SCHEMA public TO application');
		local @ENV{ 'PGHOST', 'PGPORT', 'PGUSER', 'PGDATABASE', 'PGOPTIONS' } =
		  ($node->host, $node->port, 'application', $name, '-c client_min_messages=warning');
		my $run = sub { return output_of("cd $work && $it->{run} $_[0]") };

		is(output_of("cp -r $examples/$name/. $work"), '', "$name: the example can be copied");
		is($run->($it->{table}), '', "$name: the migration of the table succeeds");
		is($run->($it->{lists}), '', "$name: the migration of the recommender succeeds without products");
		is($run->($it->{undo}), '', "$name: this migration can be undone");
		is($node->safe_psql($name, q{SELECT to_regnamespace('lists') IS NULL}),
			't', "$name: an empty table has no recommender");
		$node->safe_psql($name, q{INSERT INTO product (id, category, brand, price, in_stock)
			SELECT i, 'category ' || i % 4, 'brand ' || i % 7, i, true FROM generate_series(1, 100) i});
		is($run->($it->{lists}), '', "$name: the migration of the recommender succeeds with products");
		my ($decision, @items) = split ' ', $run->('page 42');
		is($node->safe_psql($name, q{SELECT d.id, d.user_id, array_to_string(d.items, ' '), r.item, r.value
				FROM lists.decision d JOIN lists.reward r ON r.decision = d.id}),
			"$decision|42|@items|$items[0]|1", "$name: the log has the page and the click on its first item");
		is($run->($it->{undo}), '', "$name: the recommender can be dropped");
		is($node->safe_psql($name, q{SELECT to_regnamespace('lists') IS NULL, to_regclass('product')}),
			't|product', "$name: dropping the recommender leaves the table");
	}
}

done_testing();

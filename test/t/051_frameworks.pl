# The programs in examples/frameworks: migrations make a table and a recommender, and undo that;
# a page shows a list, and a click is a reward.  The program owns neither the server nor the
# extension.
use strict;
use warnings;

use File::Temp;
use FindBin;
use lib $FindBin::RealBin;
use Clients;
use DlintsTest;
use Test::More;

my $examples = "$FindBin::RealBin/../../examples/frameworks";
my $programs = "$FindBin::RealBin/frameworks";
my $python = ($ENV{PYTHON} || 'python3') . ' -B';

# What it needs; how it makes the table and the recommender, and undoes the latter; the place of
# what the scaffold says
my %framework = (
	django => {
		needs => "$python -c 'import django, psycopg2'",
		package => 'python3-django',
		run => "$python $programs/try_django.py",
		table => 'migrate 0001',
		lists => 'migrate 0002',
		undo => 'migrate 0001',
		place => 'shop/migrations' },
	sqlalchemy => {
		needs => "$python -c 'import alembic, psycopg2, sqlalchemy.future'",
		package => 'alembic, or SQLAlchemy 1.4',
		run => "$python $programs/try_sqlalchemy.py",
		table => 'upgrade product',
		lists => 'upgrade recommender',
		undo => 'downgrade product',
		place => 'versions' },
	activerecord => {
		needs => q{ruby -e 'require "active_record"; require "pg"'},
		package => 'ruby-activerecord, ruby-pg',
		run => "ruby $programs/try_activerecord.rb",
		table => 'up product CreateProduct',
		lists => 'up recommender CreateRecommender',
		undo => 'down recommender CreateRecommender',
		place => '.' });

my $node = DlintsTest->node('main');
$node->safe_psql('postgres', 'CREATE ROLE application LOGIN');

for my $name (sort keys %framework)
{
	my $it = $framework{$name};

  SKIP:
	{
		unless (Clients::succeeds($it->{needs}))
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
		my $run = sub { return Clients::output_of("cd $work && $it->{run} $_[0]") };

		# Django reads all migrations each time.
		is(Clients::output_of("cp -r $examples/$name/. $work && : >$work/$it->{place}/make_lists.sql"),
			'', "$name: the example");
		is($run->($it->{table}), '', "$name: the table");
		$node->safe_psql($name, q{INSERT INTO product (id, category, brand, price, in_stock)
			SELECT i, 'category ' || i % 4, 'brand ' || i % 7, i, true FROM generate_series(1, 100) i});
		is( Clients::output_of("psql -X -At -f $examples/recommender.sql -o $work/$it->{place}/make_lists.sql"),
			'', "$name: the scaffold");
		is($run->($it->{lists}), '', "$name: the recommender");
		my ($decision, @items) = split ' ', $run->('page 42');
		is( $node->safe_psql($name, q{SELECT d.id, d.person, array_to_string(d.items, ' '), r.item, r.value
				FROM lists.decision d JOIN lists.reward r ON r.decision = d.id}),
			"$decision|42|@items|$items[0]|1", "$name: a page and its click");
		is($run->($it->{undo}), '', "$name: undone");
		is($node->safe_psql($name, q{SELECT to_regnamespace('lists') IS NULL, to_regclass('product')}),
			't|product', "$name: and the table is left");
	}
}

done_testing();

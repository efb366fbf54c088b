# Test a recommender from CREATE EXTENSION to erase(), with eight statements of an application: jobs with psycopg2,
# articles with node-postgres.  The application's role owns neither the tables nor the extension.
use strict;
use warnings;

use File::Temp;
use FindBin;
use JSON::PP;
use lib $FindBin::RealBin;
use Clients;
use DlintsTest;
use Test::More;

my $programs = "$FindBin::RealBin/transcript";
my $work = File::Temp->newdir;
my $json = JSON::PP->new->allow_nonref->canonical;

my %world = (
	jobs => {
		tables => q{
			CREATE TABLE job (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), title text, field text,
			                  town text,
			                  pay numeric, remote boolean, posted date, filled boolean DEFAULT false);
			INSERT INTO job (title, field, town, pay, remote, posted)
			SELECT 'Wanted: number ' || i, 'field ' || i % 4, 'town ' || i % 9, 1000 + i * 7,
			       i % 3 = 0, current_date - i % 50
			FROM   generate_series(1, 300) i;
			CREATE TABLE looked (member bigint, job uuid REFERENCES job, at timestamptz);
			INSERT INTO looked
			SELECT m, j.id, now() - random() * interval '20 days' FROM generate_series(1, 80) m, job j
			WHERE  random() < CASE WHEN field = 'field ' || m % 4 THEN 0.1 ELSE 0.01 END},
		create => [
			'SELECT dlints_create_recommender($1, $2, $3, clicks => $4, candidates => $5)', 'jobs', 'job',
			[ 'field', 'town', 'pay', 'remote', 'posted' ], 'SELECT member, job, at FROM looked',
			'NOT i.filled' ],
		user => 42,
		run => [ \&Clients::psycopg2, 'run.py' ] },
	articles => {
		tables => q{
			CREATE TABLE article (slug text PRIMARY KEY, headline text, section text, tags text[],
			                      facts jsonb, at timestamptz);
			INSERT INTO article
			SELECT 'article-' || i, 'What everybody ought to know of matter number ' || i || ' and more',
			       'section ' || i % 6, ARRAY['tag ' || i % 5, 'tag ' || i % 7],
			       jsonb_build_object('minutes', i % 9), now() - i * interval '2 hours'
			FROM   generate_series(1, 300) i;
			CREATE TABLE reading (reader text, slug text, at timestamptz);
			INSERT INTO reading
			SELECT 'reader ' || m, slug, now() - random() * interval '20 days'
			FROM   generate_series(1, 80) m, article
			WHERE  random() < CASE WHEN section = 'section ' || m % 6 THEN 0.1 ELSE 0.01 END},
		create => [
			'SELECT dlints_create_recommender($1, $2, $3, clicks => $4, outcomes => $5)', 'articles',
			'article', [ 'headline', 'section', 'tags', 'facts', 'at' ],
			'SELECT reader, slug, at FROM reading', '{"click": 1, "share": 5}' ],
		user => q{reader "it's" 42},
		run => [ \&Clients::node_postgres, 'run.js' ] });

my $node = DlintsTest->node('main');
$node->safe_psql('postgres', 'CREATE ROLE application LOGIN');

for my $name (sort keys %world)
{
	my $world = $world{$name};
	my ($prepare, $program) = @{ $world->{run} };
	my ($command, $why_not) = $prepare->("$programs/$program", $work);

  SKIP:
	{
		diag("$name is skipped: $why_not") unless $command;
		skip $why_not, 1 unless $command;
		$node->safe_psql('postgres', "CREATE DATABASE $name");
		$node->safe_psql($name, "CREATE EXTENSION dlints; GRANT CREATE ON DATABASE $name TO application;"
			  . "$world->{tables}; GRANT SELECT ON ALL TABLES IN SCHEMA public TO application");
		my @statements = (
			$world->{create},
			[ "SELECT * FROM $name.recommend(\$1)", $world->{user} ],
			[ "SELECT $name.reward(\$1, \$2)", '=decision', '=item' ],
			[ "SELECT $name.learn(\$1)", '0' ],
			[ "SELECT * FROM $name.recommend(\$1, \$2, \$3, \$4)", undef, 5, [], '{"device": "phone"}' ],
			[ "CALL $name.run()" ],
			[ "SELECT * FROM $name.report()" ],
			[ "SELECT $name.erase(\$1)", $world->{user} ]);
		open my $file, '>', "$work/$name" or die $!;
		print {$file} $json->encode({ sql => shift @$_, parameters => $_ }), "\n" for @statements;
		close $file or die $!;

		local @ENV{ 'PGHOST', 'PGPORT', 'PGUSER', 'PGDATABASE' } =
		  ($node->host, $node->port, 'application', $name);
		my $said = scalar `$command < $work/$name 2>$work/error`;
		is($?, 0, "$name: the program succeeds") or diag(DlintsTest->slurp("$work/error"));
		my @answers = map { $json->decode($_) } split /\n/, $said;
		is(scalar @answers, 8, "$name: the program executes eight statements");
		is(scalar @{ $answers[1] }, 10, "$name: a list has ten items");
		is($answers[3][0]{learn}, 1, "$name: learn() trains on the decision");
		is(scalar @{ $answers[4] }, 5, "$name: a list without a user has the requested length");
		my %report = map { $_->{measure} => $_->{value} } @{ $answers[6] };
		is($report{decisions}, 2, "$name: the report counts the decisions");
		is($answers[7][0]{erase}, 1, "$name: erase() returns the number of erased decisions");
		is($node->safe_psql($name, "SELECT count(*) FROM $name.impression"),
			5, "$name: erase() removes the user's impressions");
	}
}

done_testing();

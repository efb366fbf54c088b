# Run the SQL of README.md and doc/, in a new database for each file, and compare its output with the text.  Every
# function must have an example, and every link a target.  The documents mark blocks with:
#
#   ```sql                   a block that runs, after all those above it
#   <!-- sql ... -->         one that the reader does not see
#   ```text                  right after a block: what psql prints for it
#   <!-- fails 22023 -->     before a block: its last statement ends in this error
#   <!-- needs NAME 1.0 -->  before a block: skipped without that extension, or
#                            "postgresql", of that version or later
#   <!-- skip: why -->       before a block: does not run here
#
# This takes over 20 s, since the documents make recommenders with 64 factors, as their readers do.
use strict;
use warnings;

use File::Basename qw(dirname);
use File::Temp;
use FindBin;
use DlintsTest;
use Test::More;

my $root = "$FindBin::RealBin/../..";
my %text;
for my $path ("$root/README.md", "$root/CHANGELOG.md", "$root/CONTRIBUTING.md", "$root/SECURITY.md",
	glob "$root/doc/*.md")
{
	my $name = substr $path, 1 + length $root;

	$text{$name} = DlintsTest->slurp($path);
}

# Parse a document: its blocks with first line, SQL and marks, and the expected output.
sub blocks
{
	my ($name) = @_;
	my @lines = split /\n/, $text{$name};
	my (@blocks, %marks, $follows);

	for (my $i = 0; $i < @lines; $i++)
	{
		my $line = $lines[$i];

		next if $line eq '';
		if ($line =~ /^<!-- (fails|needs|skip:) (.+) -->$/)
		{
			$marks{$1} = $2;
		}
		elsif ($line =~ /^(?:(<!-- sql)|```(\w*))$/)
		{
			my ($end, $kind) = $1 ? ('-->', 'sql') : ('```', $2);
			my $first = $i;

			$i++ until $i == @lines || $lines[$i] eq $end;
			my $body = join '', map { "$_\n" } @lines[ $first + 1 .. $i - 1 ];
			if ($kind eq 'sql')
			{
				push @blocks, { line => $first + 1, sql => $body, %marks };
				%marks = ();
			}
			$blocks[-1]{output} = $body if $kind eq 'text' && $follows;
			$follows = $kind eq 'sql';
		}
		else
		{
			$follows = 0;
		}
	}
	fail("$name: marks at its end") if %marks;
	return @blocks;
}

# Reason why a block cannot run, or nothing
sub why_not
{
	my ($node, $block) = @_;

	return $block->{'skip:'} if $block->{'skip:'};
	return unless $block->{needs};

	my ($what, $version) = split / /, $block->{needs};
	my (undef, $has) = $node->psql('postgres', $what eq 'postgresql'
		? 'SHOW server_version'
		: "BEGIN; CREATE EXTENSION $what;
		   SELECT extversion FROM pg_extension WHERE extname = '$what'; ROLLBACK");
	my ($have, $want) = map { join '.', map { sprintf '%06d', $_ } /(\d+)/g } $has // '', $version;
	return $have lt $want ? "needs $what $version" : ();
}

# psql script with each line at its line number in the document, for messages
sub script
{
	my @script;

	for my $block (@_)
	{
		my $stop = $block->{fails} ? 'off' : 'on';
		my @lines = split /\n/, $block->{sql};

		@script[ $block->{line} - 1 .. $block->{line} + @lines ] = (
			"\\set ON_ERROR_STOP $stop \\\\ \\echo '=== $block->{line}'",
			@lines, "\\echo '=== end' :SQLSTATE");
	}
	return join '', map { ($_ // '') . "\n" } @script;
}

# Output without column widths
sub tidy
{
	my ($output) = @_;

	$output =~ s/[ \t]+/ /g;
	$output =~ s/--+/-/g;
	$output =~ s/^ | $//gm;
	$output =~ s/\n+/\n/g;
	return $output;
}

# Run blocks of a document in a separate database, under options of the server; returns output and messages of psql
sub run_blocks
{
	my ($node, $name, $database, $options, @blocks) = @_;
	my $folder = File::Temp->newdir;
	my ($base) = $name =~ m{([^/]+)$};

	DlintsTest->spew("$folder/$base", script(@blocks));
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	my $connection = $node->connstr($database);
	local $ENV{PGOPTIONS} = "-c client_min_messages=warning -c statement_timeout=600s $options";
	system("cd '$folder' && psql -X -q -d \"$connection\" -f '$base' >out 2>messages");
	return map { DlintsTest->slurp("$folder/$_") } 'out', 'messages';
}

# Run a document, and make one check of each block
sub run_document
{
	my ($node, $name, $options) = @_;
	my @blocks = blocks($name);
	my %why_not = map { $_->{line} => why_not($node, $_) // '' } @blocks;
	my ($database) = lc($name) =~ /(\w+)\.md$/;
	my ($out, $messages) = run_blocks($node, $name, $database, $options, grep { !$why_not{ $_->{line} } } @blocks);

	my %result;
	$result{$1} = { output => $2, sqlstate => $3 } while $out =~ /^=== (\d+)\n(.*?)^=== end (\w+)\n/msg;
	for my $block (@blocks)
	{
		my $line = $block->{line};
		my $check = "$name, line $line";
		my $result = $result{$line};

	  SKIP:
		{
			if ($why_not{$line})
			{
				diag("$check is skipped: $why_not{$line}");
				skip $check, 1;
			}
			if (!$result)
			{
				fail($check);
				diag($messages);
				return;
			}
			like($block->{sql}, qr/;\s*(--.*)?\n\z|^\\\w.*\n\z/m, "$check ends its statement")
			  if $block->{sql} !~ /;\n\z/;
			is($result->{sqlstate}, $block->{fails} // '00000', $check) or diag($messages);
			is(tidy($result->{output}), tidy($block->{output}), "$check shows this") if defined $block->{output};
		}
	}
	return;
}

# Test that no statement of a document that called dlints with at most 5,000 rows was compiled, which takes longer
# than it saves.  jit_above_cost is a twentieth of its default and documents have 1,000 items, so this is a test of
# 20,000 items.  Statements of less than 2 ms, in which nothing is compiled, are not logged.
sub check_compiled
{
	my ($name, $log) = @_;
	my @called = grep { /dlints_/ } split /^(?=\d{4}-)/m, $log;

	cmp_ok(scalar(grep { $_->{sql} =~ /generate_series\(1, 1000\) i\b/ } blocks($name)),
		'>', 0, "$name makes 1,000 items");
	cmp_ok(scalar @called, '>', 5, "$name: statements called dlints");
	is(join("\n", grep { /^\tJIT:/m && !grep { $_ > 5000 } /rows=(\d+) width/g } @called),
		'', "$name: none is compiled");
	return;
}

# Link targets that GitHub makes of a document's headings
sub anchors
{
	my ($name) = @_;

	return map { s/[^\w\- ]//gr =~ tr/ /-/r } map { lc } $text{$name} =~ /^#+ (.+)$/mg;
}

# Broken links of a document
sub dead_links
{
	my ($name) = @_;
	my @dead;

	for my $link ($text{$name} =~ /\]\(([^)\s]+)\)/g)
	{
		next if $link =~ /^https?:/;
		my ($path, $anchor) = $link =~ /^([^#]*)#?(.*)$/;
		my $target = $path eq '' ? $name : dirname($name) . "/$path";

		$target =~ s{^\./}{};
		1 while $target =~ s{[^/]+/\.\./}{};
		push @dead, $link unless -e "$root/$target" && ($anchor eq '' || grep { $_ eq $anchor } anchors($target));
	}
	return @dead;
}

my $node = DlintsTest->node('main', conf => "autovacuum = off\n");
my ($status, $has_jit) = $node->psql('postgres', "LOAD 'auto_explain'; SELECT pg_jit_available()");
my $explain = join ' ', map { "-c $_" } 'session_preload_libraries=auto_explain', 'jit_above_cost=5000',
  map { "auto_explain.$_" } 'log_min_duration=2', 'log_nested_statements=on', 'log_analyze=on', 'log_timing=off';

for my $name (sort keys %text)
{
	my $is_explained = $name =~ m{^doc/(?:guide|sql)\.md$} && !$status && $has_jit eq 't';
	my $from = -s $node->logfile;

	run_document($node, $name, $is_explained ? $explain : '');
	check_compiled($name, substr DlintsTest->slurp($node->logfile), $from) if $is_explained;
	is(join(' ', dead_links($name)), '', "$name has no dead link");
}

# Functions that no other object of the catalogs uses, and settings.  Objects named after others are excluded.
$node->safe_psql('postgres', 'CREATE EXTENSION dlints');
my @names = split /\n/, $node->safe_psql(
	'postgres', q{
	SELECT DISTINCT p.proname
	FROM   pg_extension e
	JOIN   pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
		AND d.deptype = 'e'
	JOIN   pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
	WHERE  e.extname = 'dlints' AND p.proname !~ '^_'
	AND    NOT EXISTS (SELECT FROM pg_depend u
		WHERE u.refclassid = 'pg_proc'::regclass AND u.refobjid = p.oid)
	ORDER  BY 1});
my @settings = split /\n/, $node->safe_psql('postgres',
	q{DO 'BEGIN PERFORM dlints_new(1); END';
	  SELECT name FROM pg_settings WHERE name LIKE 'dlints.%' ORDER BY 1});
my $examples = join '', map { $_->{sql} } blocks('doc/reference.md');
my @missing = grep { $examples !~ /\b\Q$_\E\b/ } @names, @settings;
is("@missing", '', 'doc/reference.md has an example of each function and setting');

# Other names in the documents that look like functions
my %known = map { $_ => 1 } split /\n/,
  $node->safe_psql('postgres', q{SELECT proname FROM pg_proc WHERE proname LIKE 'dlints%'});
my @unknown = grep { !$known{$_} } map { /\b(dlints_\w+)\(/g } values %text;
is("@unknown", '', 'no document names a function that does not exist');

$node->stop;
done_testing();

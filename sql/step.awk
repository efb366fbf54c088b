# The step from a released version: what the script that creates the new one has and the released one
# has not.  What both create in other words is replaced: it is the extension's, and nobody else's.
# Functions are known by what stands before the first ")", but for defaults, which hold no comma.  What is no
# longer created, or was changed and is no function, has to be printed at the end of this file.
function statement_ends() {
	name = text
	sub(/^([ \t]*(--[^\n]*)?\n)*/, "", name)
	code = name
	sub(/\).*/, "", name)
	gsub(/ DEFAULT [^,]*/, "", name)
	if (FILENAME == ARGV[1]) {
		released[code]
		if (code ~ /^CREATE FUNCTION/)
			created[name]
	} else if (code != "" && !(code in released)) {
		if (name in created)
			sub(/^CREATE/, "CREATE OR REPLACE", code)
		else if (code ~ /^DO /)		# which creates functions
			gsub(/CREATE FUNCTION/, "CREATE OR REPLACE FUNCTION", code)
		printf "\n%s", code
	}
	text = ""
}
BEGIN {
	print "-- complain if script is sourced in psql, rather than via ALTER EXTENSION"
	print "\\echo Use \"ALTER EXTENSION dlints UPDATE TO '" version "'\" to load this file. \\quit"
}
/^\\echo/ { next }
{ text = text $0 "\n" }
quote == "" && /^[ \t]*--/ { next }
{
	for (rest = $0; match(rest, /\$[a-z]*\$/); rest = substr(rest, RSTART + RLENGTH))
		if (quote == "")
			quote = substr(rest, RSTART, RLENGTH)
		else if (quote == substr(rest, RSTART, RLENGTH))
			quote = ""
}
quote == "" && /^BEGIN ATOMIC/ { atomic = 1 }
/^END;/ { atomic = 0 }
quote == "" && !atomic && /;[ \t]*(--.*)?$/ { statement_ends() }
END { print "\nSELECT _dlints_say_outdated();" }

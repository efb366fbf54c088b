# The templates of the layer as rows of a VALUES list, in place of the line "@templates@" of
# statements.sql, which comes last.  A statement ends with a semicolon at the end of a line
# that is in no body.
function flush_statement() {
	if (text !~ /[^ \t\n]/)
		return
	sub(/^\n+/, "", text)
	sub(/\n+$/, "", text)
	rows = rows (rows == "" ? "" : ",\n") "\t\t('" part "', " ++n ", $t$" text "$t$)"
	text = ""
}
FNR == 1 {
	flush_statement()
	part = FILENAME
	sub(/^sql\/layer\//, "", part)
	sub(/\.sql$/, "", part)
	n = 0
	inside = 0
}
part == "statements" {
	print $0 == "@templates@" ? rows : $0
	next
}
{ text = text $0 "\n" }
/^BEGIN ATOMIC/ { inside = 1 }
gsub(/\$body\$/, "&") == 1 { inside = !inside }
/^END;/ { inside = 0 }
!inside && !/^--/ && /;[ \t]*(--.*)?$/ { flush_statement() }

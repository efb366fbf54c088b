#!/bin/sh
# No object file may hold a fused multiply-add, not even in a clone for CPUs that
# this one is not: the answer would depend on the CPU.
#
#   unfused.t FILE ...
LC_ALL=C
export LC_ALL

# fused instructions of x86, ARM, Power and RISC-V; and of z/Architecture
fused='[[:space:]]((v?f|x[sv])n?m(add|sub|la|ls)|[vw]fm[as][ds]b|m[as][de]br?[[:space:]])'
number=0
echo "1..$#"
for file; do
	number=$((number + 1))
	if ! code=$(objdump -d "$file"); then
		echo "not ok $number - $file can be disassembled"
	elif echo "$code" | grep -E "$fused" >&2; then
		echo "not ok $number - $file has fused multiply-adds"
	else
		echo "ok $number - $file has no fused multiply-add"
	fi
done

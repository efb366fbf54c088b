-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION dlints" to load this file. \quit

-- COST is what a call takes in units of cpu_operator_cost, but for functions of
-- many rows no more than 20: of a table that nobody has analyzed the planner
-- expects a thousand rows, of the product of two of them a million, and would have
-- a choice among three items compiled first.

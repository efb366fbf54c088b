-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION dlints_pgvector UPDATE TO '0.2.0'" to load this file. \quit

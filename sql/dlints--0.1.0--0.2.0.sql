-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION dlints UPDATE TO '0.2.0'" to load this file. \quit

SELECT _dlints_say_outdated();

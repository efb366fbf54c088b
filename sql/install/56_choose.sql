-- Choose ----------------------------------------------------------------------

CREATE TYPE dlints_choice AS (
	rank integer,
	score double precision,
	probability double precision
);
COMMENT ON TYPE dlints_choice
	IS 'what dlints_choose says of a candidate: its place among the chosen ones, its score, and the probability that it is chosen';

CREATE FUNCTION dlints_choose(
	model dlints,
	features dlints_vector,
	k bigint DEFAULT 1,
	profile dlints_vector DEFAULT '{}',
	draws integer DEFAULT 100,
	epsilon double precision DEFAULT 0,
	bonus double precision DEFAULT 0,
	cap_group text DEFAULT NULL,
	cap integer DEFAULT NULL
) RETURNS dlints_choice
	AS 'MODULE_PATHNAME' LANGUAGE C WINDOW STABLE PARALLEL RESTRICTED COST 10;
COMMENT ON FUNCTION dlints_choose(
	dlints, dlints_vector, bigint, dlints_vector, integer, double precision,
	double precision, text, integer)
	IS 'choose k candidates of a partition by the model''s policy, each with its probability';

CREATE FUNCTION dlints_decide(
	model dlints,
	items anyarray,
	features dlints_vector,
	k bigint DEFAULT 1,
	profile dlints_vector DEFAULT '{}',
	draws integer DEFAULT 100,
	epsilon double precision DEFAULT 0,
	bonus double precision[] DEFAULT NULL,
	cap_group text[] DEFAULT NULL,
	cap integer DEFAULT NULL,
	similar_by dlints_vector DEFAULT NULL,
	diversity double precision DEFAULT NULL,
	seed bigint DEFAULT NULL,
	OUT item anyelement,
	OUT rank integer,
	OUT score double precision,
	OUT probability double precision
) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION dlints_decide(
	dlints, anyarray, dlints_vector, bigint, dlints_vector, integer,
	double precision, double precision[], text[], integer, dlints_vector, double precision, bigint)
	IS 'choose k of the items by the model''s policy, with variety if wanted, and return them, best first, each with its probability';

CREATE FUNCTION dlints_choose_arms(
	model dlints,
	features dlints_vector,
	k bigint DEFAULT 1,
	profile dlints_vector DEFAULT '{}',
	draws integer DEFAULT 100,
	epsilon double precision DEFAULT 0,
	bonus double precision DEFAULT 0,
	cap_group text DEFAULT NULL,
	cap integer DEFAULT NULL
) RETURNS dlints_choice
	AS 'MODULE_PATHNAME' LANGUAGE C WINDOW STABLE PARALLEL RESTRICTED COST 20;
COMMENT ON FUNCTION dlints_choose_arms(
	dlints, dlints_vector, bigint, dlints_vector, integer, double precision,
	double precision, text, integer)
	IS 'choose k arms of a partition, each by the policy of its own model, with their probabilities';

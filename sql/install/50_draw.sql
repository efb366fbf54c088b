-- Draw ------------------------------------------------------------------------

CREATE FUNCTION dlints_draw(model dlints, seed bigint DEFAULT NULL) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 100;
COMMENT ON FUNCTION dlints_draw(dlints, bigint)
	IS 'one perturbed estimate from the posterior, as many numbers as dlints_mean has; with a seed a repeatable one';

CREATE FUNCTION dlints_draw_weights(
	model dlints,
	profile dlints_vector DEFAULT '{}',
	seed bigint DEFAULT NULL
) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 100;
COMMENT ON FUNCTION dlints_draw_weights(dlints, dlints_vector, bigint)
	IS 'a draw carried back to feature space: its dot product with features is the score';

CREATE FUNCTION dlints_draw_weights(
	model dlints,
	profile dlints_vector,
	seed bigint,
	draws integer
) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 1000;
COMMENT ON FUNCTION dlints_draw_weights(dlints, dlints_vector, bigint, integer)
	IS 'so many draws carried back to feature space, a row each: those by which dlints_decide decides under the seed';

CREATE FUNCTION dlints_dot(
	weights double precision[], features dlints_vector) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_dot(double precision[], dlints_vector)
	IS 'score of features under a weight vector';

-- Why it can recommend nothing any more, or NULL: what its views and functions are bound to was dropped with
-- CASCADE, and these with it.  The texts can be given again; the rows and their columns cannot.
CREATE OR REPLACE FUNCTION {s}.dropped() RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    gone text := (
        SELECT string_agg(b.name, ', ' ORDER BY b.n)
        FROM   unnest('{item,encoded_item,encode_document,click,allowed,bonus,cap_group,promised_text}'::text[])
                   WITH ORDINALITY b (name, n)
        WHERE  to_regclass(format('%I.%I', {name}, b.name)) IS NULL
        AND    NOT EXISTS (SELECT FROM pg_proc p JOIN pg_namespace s ON s.oid = p.pronamespace
                           WHERE s.nspname = {name} AND p.proname = b.name));
BEGIN
    RETURN 'what it reads was dropped, and with it ' || gone     -- keep_fresh() knows it by its first words
        || CASE gone WHEN 'promised_text' THEN ': nothing is refreshed, and costs are what they were. '
                     ELSE ': it can recommend nothing any more. ' END
        || CASE WHEN gone ~ 'item|encode' THEN 'Its log and models are kept; create another recommender'
                ELSE 'Give the texts again: dlints_alter_recommender does' END;
END
$body$;

CREATE OR REPLACE FUNCTION {s}.say_dropped() RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    problem text := {s}.dropped();
BEGIN
    IF problem IS NOT NULL THEN
        RAISE '%', problem USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END
$body$;

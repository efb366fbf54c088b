-- What is for callers, as common/99_comments says
COMMENT ON FUNCTION {s}.rank IS 'orders actions for an event, an array of ids or of objects with an "id", logs and '
    'returns them with their probabilities, the choice first; an event that was ranked before gets the same answer; '
    'what is deferred counts from activate() on';
COMMENT ON FUNCTION {s}.activate IS 'a deferred event counts from now on; false if there is none';
COMMENT ON FUNCTION {s}.reward IS 'what the first action of an event earned, in any order, and perhaps what it '
    'really cost of what is promised';
COMMENT ON FUNCTION {s}.erase IS 'takes a person out of models and log; how many decisions these were';
COMMENT ON FUNCTION {s}.go_live IS 'the share of events that it decides, 0 to 1; the others get the first action';
COMMENT ON FUNCTION {s}.winner IS 'which action would earn most if it were always chosen: its mean reward, bounds '
    'that hold at any look, the chance to be best, and a verdict';
COMMENT ON VIEW {s}.ranked IS 'all answers, an action a row';
COMMENT ON TABLE {s}.paid IS 'what events really cost of what is promised';
COMMENT ON TABLE {s}.estimate IS 'what actions cost, for what is told of them';

-- What is for callers, as common/99_comments says
COMMENT ON FUNCTION {s}.recommend IS 'chooses 1 to 1000 items for a person, logs and returns them, best first, with '
    'the probability of each choice and the reward to be expected; "recent" are items that the session clicked; '
    '"context" is for candidates, bonus, and what the person likes; no person is a stranger';
COMMENT ON FUNCTION {s}.more_like IS 'items like one, as recommend(): scored by the item, logged for the person';
COMMENT ON FUNCTION {s}.next IS 'the next page of a decision, without what the pages before it have shown; 22023 if '
    'there is no such decision, 42501 if it is somebody else''s';
COMMENT ON FUNCTION {s}.trending IS 'items that get more of the clicks lately than they usually do, as recommend()';
COMMENT ON FUNCTION {s}.reward IS 'what came of an item of a decision, in any order, the last value of each outcome '
    'counts; 22023 for an unknown outcome, 22003 for a value beyond "value_limit", 42501 if a person is given and '
    'the decision is somebody else''s';
COMMENT ON FUNCTION {s}.why IS 'what each column of the items of a decision adds to what is expected of them, with '
    'its standard deviation, by the models of today';
COMMENT ON FUNCTION {s}.places IS 'how likely each place of a list is looked at, beside the first, with its standard '
    'error, from lists by chance';
COMMENT ON FUNCTION {s}.backtest IS 'hides the last clicks of so many people, and compares lists that are made of '
    'the rest with what a few lines of SQL find';
COMMENT ON FUNCTION {s}.erase IS 'takes a person, a session, or both out of models and log; how many decisions these '
    'were';
COMMENT ON FUNCTION {s}.refresh IS 'vectors of new and changed rows, and ages of dates; how many';
COMMENT ON FUNCTION {s}.refit IS 'vectors from clicks anew; how many';
COMMENT ON FUNCTION {s}.forget_gone IS 'no more vectors of rows that are gone, however many these are';
COMMENT ON FUNCTION {s}.set_beginning IS 'what the click log says beforehand, anew; of how many clicks it made '
    'examples';
COMMENT ON VIEW {s}.shown IS 'the log, an item of a list a row';
COMMENT ON VIEW {s}.listed IS 'the log, an item of a list a row, with whose list it is';
COMMENT ON VIEW {s}.item IS 'the rows that are recommended';
COMMENT ON VIEW {s}.click IS 'who clicked what, and when';
COMMENT ON TABLE {s}.contrast IS 'whether lists are learned by contrast, and since when, unless that was always so';
COMMENT ON TABLE {s}.item_vector IS 'items as numbers';
COMMENT ON TABLE {s}.block IS 'items as numbers, in blocks, of which shortlists are made';
COMMENT ON TABLE {s}.trend IS 'what trending() shows first';
COMMENT ON TABLE {s}.likeness IS 'what it is worth to be like what a person clicked, and after how many days a click '
    'counts half';

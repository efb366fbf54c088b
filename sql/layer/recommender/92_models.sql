UPDATE {s}.model SET state = CASE name WHEN 'control' THEN {dlints}.dlints_set({s}.empty(), policy => 'greedy')
                                       ELSE {s}.empty() END,
                     learns = CASE name WHEN 'later' THEN {many} ELSE learns END;

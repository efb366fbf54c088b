SELECT {s}.refresh(), {s}.refit(), {s}.set_beginning();

-- Who clicked what, and when
CREATE OR REPLACE VIEW {s}.click AS
{clicks};

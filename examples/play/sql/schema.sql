-- Films, their history with other people, the model, and the log of decisions.

CREATE TABLE movie (
    id       integer PRIMARY KEY,
    title    text NOT NULL,
    genres   text[] NOT NULL,
    factors  real[],                                -- what the same people liked points the same way
    features real[] NOT NULL GENERATED ALWAYS AS (
        coalesce(factors, array_fill(0::real, '{32}'))
        || dlints_encode(32, 'genre', genres, 'decade',
               substring(title from '\((\d{3})\d\)') || '0s')) STORED
);
-- what others liked before: vectors are made of it, the model never sees it
CREATE TABLE history (person_id integer NOT NULL, movie_id integer NOT NULL);

CREATE TABLE model (name text PRIMARY KEY, state dlints NOT NULL);
INSERT INTO model VALUES ('home', dlints_new(64, interactions => 'matched'));

CREATE TABLE visitor (
    id    integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model text NOT NULL REFERENCES model,           -- that chooses for this visitor
    robot boolean NOT NULL DEFAULT false
);
CREATE TABLE decision (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model      text NOT NULL REFERENCES model,
    visitor_id integer NOT NULL REFERENCES visitor,
    profile    real[] NOT NULL,                     -- the visitor as known then
    made_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON decision (visitor_id, id);
CREATE TABLE shown (
    decision_id bigint REFERENCES decision,
    movie_id    integer REFERENCES movie,
    rank        integer NOT NULL,                   -- 1: the first place
    probability float8 NOT NULL CHECK (probability > 0 AND probability <= 1),
    learned     float8,                             -- the reward that the model has learned
    PRIMARY KEY (decision_id, movie_id)
);
CREATE TABLE reward (
    decision_id bigint,
    movie_id    integer,
    reward      float8 NOT NULL,
    given_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (decision_id, movie_id),
    FOREIGN KEY (decision_id, movie_id) REFERENCES shown
);
CREATE INDEX ON reward (given_at);

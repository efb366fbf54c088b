CREATE SCHEMA {s};

-- What it was made with, and by which version of dlints: dlints_renew reads it.  Decisions before
-- "known_from" are older than is kept: the models know nothing of them any more.  Decisions are
-- numbered under the secret, so that nobody can tell the number of another one.
CREATE TABLE {s}.setting (
    single     boolean PRIMARY KEY DEFAULT true CHECK (single),
    kind       text NOT NULL,
    version    text NOT NULL,
    arguments  jsonb NOT NULL,          -- "bound": the search_path under which each text was bound
    known_from bigint NOT NULL DEFAULT 0,
    secret     bigint NOT NULL DEFAULT ('x' || left(md5(gen_random_uuid()::text), 16))::bit(64)::bigint);

INSERT INTO {s}.setting (kind, version, arguments) VALUES ({kind}, {version}, {arguments});

COMMENT ON TABLE {s}.setting IS {written};

-- When run() was last called, and last did each of its parts that are not due at each call; and why it
-- could not
CREATE TABLE {s}.job (name text PRIMARY KEY, done_at timestamptz NOT NULL, problem text);

INSERT INTO {s}.job (name, done_at)
SELECT unnest(ARRAY['run', 'refresh', 'items', 'refit', 'learn', 'rebuild', 'months']), now();

-- A number within a second; 4,194,304 of them
CREATE SEQUENCE {s}.decision_number MINVALUE 0 MAXVALUE 4194303 START 0 CYCLE;

-- What could not be learned, or not be corrected ("known": the models know it as it was before)
CREATE TABLE {s}.set_aside (
    decision bigint PRIMARY KEY,
    known    boolean NOT NULL,
    problem  text NOT NULL,
    at       timestamptz NOT NULL DEFAULT now());

-- With "archive" it has what the models learned from decisions that are no longer kept
CREATE TABLE {s}.archive (
    name  text PRIMARY KEY,
    state {dlints}.dlints NOT NULL);

-- What was learned.  A state is large: look at the view "models".
CREATE TABLE {s}.model (
    name   text PRIMARY KEY,
    learns boolean NOT NULL,
    state  {model_type} NOT NULL);

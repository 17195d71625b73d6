-- The answers to requests that came with an Idempotency-Key, kept for a day.
CREATE TABLE idempotency_keys (
    key         text COLLATE "C" NOT NULL,
    -- Whose key it is: two callers may use the same.
    caller      text COLLATE "C" NOT NULL,
    -- SHA-256 of the request's method, address and body.
    fingerprint bytea NOT NULL,
    status      bigint,
    headers     text[] NOT NULL,
    body        bytea,
    -- Random, by which a request recognises its own row.
    change      bigint NOT NULL,
    -- Grows with each replay, so that a replay is a write and waits for what every write waits for.
    replays     bigint NOT NULL,
    taken_at    timestamptz NOT NULL,
    until       timestamptz NOT NULL,

    PRIMARY KEY (key, caller)
);

CREATE INDEX idempotency_keys_until ON idempotency_keys (until);

-- The whole schema. Names are compared byte by byte, whatever the locale of the database: COLLATE "C". No moment is infinite,
-- or outside of the years that RFC 3339 has, so all of it can be exported and imported.

-- One row for each name that was ever held, claimed or reserved. The primary key decides which caller gets a name. The
-- columns are in an order without gaps.
CREATE TABLE handles (
    changed_at  timestamptz NOT NULL,
    -- When the state ends by itself; the name counts as free from then on.
    until       timestamptz,
    -- A random number made by the service for each change, by which a statement recognises its own.
    change      bigint NOT NULL,
    -- Counts the changes of state; it only grows.
    version     integer NOT NULL,
    -- The state's first letter: free, held, claimed, reserved, quarantined.
    state       "char" NOT NULL,
    handle      text COLLATE "C" PRIMARY KEY,
    -- NULL for a display handle without capitals.
    display     text COLLATE "C",
    -- The caller's id for a person or team.
    owner       text,
    -- The mark of the former owner of a quarantined name.
    former      bytea,
    -- The secret of a hold, while it lasts.
    hold        text,
    -- Why an admin keeps the name.
    reason      text,

    -- A bounded repetition in the regular expression would be slower.
    CONSTRAINT handles_handle CHECK (
        octet_length(handle) BETWEEN 3 AND 15 AND handle ~ '^[0-9]*[a-z_][a-z0-9_]*$' AND NOT starts_with(handle, '_')
    ),
    CONSTRAINT handles_display CHECK (display <> handle AND lower(display) = handle),
    CONSTRAINT handles_version CHECK (version > 0),
    CONSTRAINT handles_state CHECK (
        CASE state
            WHEN 'f' THEN owner IS NULL AND hold IS NULL AND until IS NULL AND former IS NULL
            WHEN 'h' THEN owner IS NOT NULL AND hold IS NOT NULL AND until IS NOT NULL AND former IS NULL
            WHEN 'c' THEN owner IS NOT NULL AND hold IS NULL AND until IS NULL AND former IS NULL
            WHEN 'r' THEN reason IS NOT NULL AND hold IS NULL AND former IS NULL
            WHEN 'q' THEN owner IS NULL AND hold IS NULL AND until IS NOT NULL AND former IS NOT NULL
            ELSE false
        END
    ),
    CONSTRAINT handles_moments CHECK (
        until BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
        AND changed_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
    )
);

CREATE INDEX handles_owner ON handles (owner) WHERE owner IS NOT NULL;
-- For the sweeper, which finds the states that have ended by themselves.
CREATE INDEX handles_until ON handles (until) WHERE until IS NOT NULL;

-- One row for each look-alike key that a name in use has or had. A change locks the row of its key first, so that of two
-- names that look alike only one is taken. With a ninth column, the header of each row that has a NULL would take eight
-- bytes more.
CREATE TABLE lookalike_keys (
    -- When the protection ends by itself; NULL for no end.
    protected_until  timestamptz,
    changed_at       timestamptz NOT NULL,
    key              text COLLATE "C" PRIMARY KEY,
    -- The name that the key is kept for: one that is reserved or was when it was claimed.
    protector        text COLLATE "C",
    -- The names that the key is kept for after its protector, one after the other: reserved in spite of the key, and in
    -- `names` for as long as they are in use. NULL for none.
    next_protectors  text[] COLLATE "C",
    -- The held, claimed and quarantined names with this key; NULL for none.
    names            text[] COLLATE "C",
    -- When each of `names` ends by itself; NULL if none does.
    ends             timestamptz[],
    -- The names that an admin has allowed in spite of the key; NULL for none.
    exempt           text[] COLLATE "C",

    CONSTRAINT lookalike_keys_names CHECK (
        cardinality(names) > 0 AND (
            ends IS NULL
            OR names IS NOT NULL AND cardinality(ends) = cardinality(names) AND array_remove(ends, NULL) <> '{}'
        )
    ),
    CONSTRAINT lookalike_keys_lists CHECK (cardinality(next_protectors) > 0 AND cardinality(exempt) > 0),
    CONSTRAINT lookalike_keys_moments CHECK (
        protected_until BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
        AND '0001-01-01 00:00:00+00' <= ALL (ends) AND '9999-12-31 23:59:59+00' >= ALL (ends)
    )
);

-- Names that are reserved, held or in quarantine have no look-alikes, so checks of many names need only their keys.
CREATE INDEX lookalike_keys_kept ON lookalike_keys (key) WHERE protector IS NOT NULL OR ends IS NOT NULL;

-- What is mixed into the hashes of owners, so that an owner can't be found by hashing guesses. One row, made here.
CREATE TABLE registry_salt (
    id    bigint PRIMARY KEY,
    salt  bytea NOT NULL,

    CONSTRAINT registry_salt_id CHECK (id = 1),
    CONSTRAINT registry_salt_salt CHECK (length(salt) = 32)
);

INSERT INTO registry_salt (id, salt) VALUES (1, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- One row for each owner that ever held or claimed a name. Each change of what the owner has locks it, so that limits of an
-- owner can be counted.
CREATE TABLE owners (
    -- The owner's mark: SHA-256 of the salt and the caller's id. It is all that is kept of an owner that was deleted.
    owner        bytea PRIMARY KEY,
    -- The caller's id; NULL once the owner was deleted.
    id           text COLLATE "C",
    -- How many names the owner has claimed.
    claimed      bigint NOT NULL,
    -- The names that were given up and are kept for the owner, oldest first.
    quarantined  text[] COLLATE "C" NOT NULL,
    -- The name that the owner holds, and when the hold ends. A hold that ended by itself stays until the next one.
    holds        text[] COLLATE "C" NOT NULL,
    hold_ends    timestamptz[] NOT NULL,
    changed_at   timestamptz NOT NULL,

    CONSTRAINT owners_owner CHECK (length(owner) = 32),
    CONSTRAINT owners_claimed CHECK (claimed >= 0),
    CONSTRAINT owners_holds CHECK (cardinality(holds) = cardinality(hold_ends)),
    CONSTRAINT owners_moments CHECK (
        '0001-01-01 00:00:00+00' <= ALL (hold_ends) AND '9999-12-31 23:59:59+00' >= ALL (hold_ends)
    )
);

-- The history of each name: one row for each version, appended in the commit that made it, never changed.
CREATE TABLE handle_events (
    at          timestamptz NOT NULL,
    until       timestamptz,
    version     integer NOT NULL,
    -- A letter for each action, as `Event.Action.code` has it, and the first letters of the states.
    action      "char" NOT NULL,
    from_state  "char" NOT NULL,
    to_state    "char" NOT NULL,
    handle      text COLLATE "C" NOT NULL,
    -- NULL for a display handle without capitals.
    display     text COLLATE "C",
    -- SHA-256 of the hash of the version before and of this row, with whole words for the letters; the chain starts with
    -- nothing.
    hash        bytea NOT NULL,
    -- The cause: a key, a person at the command line, or the registry itself.
    actor       text NOT NULL,
    reason      text,
    -- The mark of the name's owner after the event, or before the quarantine.
    owner       bytea,
    -- The other name of a rename, or the protected name that an exception was made for.
    related     text,

    PRIMARY KEY (handle, version),
    CONSTRAINT handle_events_display CHECK (display <> handle),
    CONSTRAINT handle_events_version CHECK (version > 0),
    CONSTRAINT handle_events_hash CHECK (length(hash) = 32),
    CONSTRAINT handle_events_moments CHECK (
        until BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
        AND at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
    )
);

-- The answers to requests that came with an Idempotency-Key, kept for a day.
CREATE TABLE idempotency_keys (
    key          text COLLATE "C" NOT NULL,
    -- Two callers may use the same key.
    caller       text COLLATE "C" NOT NULL,
    -- SHA-256 of the request's method, address and body.
    fingerprint  bytea NOT NULL,
    status       bigint,
    headers      text[] NOT NULL,
    body         bytea,
    -- Random, by which a request recognises its own row.
    change       bigint NOT NULL,
    -- Grows with each replay, so that a replay is a write and waits for what every write waits for.
    replays      bigint NOT NULL,
    taken_at     timestamptz NOT NULL,
    until        timestamptz NOT NULL,

    PRIMARY KEY (key, caller)
);

CREATE INDEX idempotency_keys_until ON idempotency_keys (until);

-- The changes of the words that the program carries: words that were added, and words that were taken off. Rows are changed
-- and never deleted, so the sum of their versions tells whether anything has changed.
CREATE TABLE reserved_words (
    word        text COLLATE "C" PRIMARY KEY,
    category    text NOT NULL,
    -- How far the word reaches; 'none' takes a word off that the program carries or that was added before.
    kind        text NOT NULL,
    -- Where the word comes from: 'admin', or the name of an imported list.
    source      text NOT NULL,
    comment     text NOT NULL,
    -- The cause of the last change.
    actor       text NOT NULL,
    changed_at  timestamptz NOT NULL,
    -- When the change ends by itself; NULL for no end.
    until       timestamptz,
    version     bigint NOT NULL,

    CONSTRAINT reserved_words_word CHECK (word ~ '^[a-z0-9_]{2,15}$'),
    CONSTRAINT reserved_words_kind CHECK (
        kind IN ('exact', 'lookalike', 'authority', 'affix', 'whole', 'inside', 'innocent', 'none')
    ),
    CONSTRAINT reserved_words_version CHECK (version > 0),
    CONSTRAINT reserved_words_moments CHECK (
        until BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
        AND changed_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
    )
);

-- One row, counted up by every change of the words: by it a claim knows at its commit whether they are still those that it
-- was decided by.
CREATE TABLE words_version (
    id       bigint PRIMARY KEY,
    version  bigint NOT NULL,

    CONSTRAINT words_version_id CHECK (id = 1)
);

INSERT INTO words_version (id, version) VALUES (1, 0);

-- The keys of callers. Rows are changed and never deleted, so the sum of their versions tells whether a key was made or
-- revoked since; a note of its last use is no new version.
CREATE TABLE access_keys (
    -- The beginning of the hash, in base 32: the key's name for people, which opens nothing.
    id            text COLLATE "C" PRIMARY KEY,
    -- What it is for; two keys may have the same name.
    name          text NOT NULL,
    -- SHA-256 of the key, which itself is kept nowhere.
    hash          bytea NOT NULL,
    scopes        text[] NOT NULL,
    -- How many names may be asked for in how many seconds; both NULL for no limit.
    quota         integer,
    quota_window  integer,
    -- The cause of the last change.
    actor         text NOT NULL,
    created_at    timestamptz NOT NULL,
    -- When it ends by itself; NULL for no end.
    until         timestamptz,
    revoked_at    timestamptz,
    -- To the minute.
    last_used_at  timestamptz,
    version       bigint NOT NULL,

    CONSTRAINT access_keys_hash CHECK (length(hash) = 32),
    CONSTRAINT access_keys_scopes CHECK (cardinality(scopes) > 0),
    CONSTRAINT access_keys_quota CHECK (quota > 0 AND quota_window > 0 OR quota IS NULL AND quota_window IS NULL),
    CONSTRAINT access_keys_version CHECK (version > 0),
    CONSTRAINT access_keys_moments CHECK (
        until BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
        AND created_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
        AND revoked_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
        AND last_used_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
    )
);

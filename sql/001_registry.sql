-- The whole schema. Names are compared byte by byte, whatever the locale of the database: COLLATE "C". No moment is infinite,
-- or outside of the years that RFC 3339 has, so all of it can be exported and imported.

-- One row for each name that was ever held, claimed or reserved. Rows are changed and never deleted. The columns are in an
-- order without gaps.
--
-- The first row of a look-alike key, the one at place 0, is the lock of all names with that key. Of two transactions that
-- add the first name of a key, or the same name, the primary key lets only one through. So each name has one row; the
-- primary key of its history makes that certain once more, because each row is written together with its event.
CREATE TABLE names (
    changed_at  timestamptz NOT NULL,
    -- When the state ends by itself; the name counts as free from then on.
    until       timestamptz,
    -- When the owner's offer of the name to others ends.
    offer_end   timestamptz,
    -- A random number made by the service for each change, by which a statement recognises its own.
    change      bigint NOT NULL,
    -- Counts the changes of state; it only grows.
    version     integer NOT NULL,
    -- Counts the names of the key, from 0.
    place       integer NOT NULL,
    -- The place among the names of the key whose look-alikes are refused because they are reserved, or were when they were
    -- claimed. NULL for other names.
    protection  integer,
    -- The state's first letter: free, held, claimed, reserved, quarantined.
    state       "char" NOT NULL,
    -- Whether an admin has allowed the name in spite of its look-alikes.
    exempt      boolean NOT NULL,
    -- Whether a renamed name leads to its former owner's present one, while it is in quarantine.
    forward     boolean NOT NULL DEFAULT false,
    -- The look-alike key, which follows from the handle.
    key         text COLLATE "C" NOT NULL,
    handle      text COLLATE "C" NOT NULL,
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
    -- The secret with which another owner can claim the name, while its owner offers it.
    offer       text,
    -- The hash of the last event, to which the next one is chained.
    last_hash   bytea NOT NULL,

    PRIMARY KEY (key, place),
    -- A bounded repetition in the regular expression would be slower.
    CONSTRAINT names_handle CHECK (
        octet_length(handle) BETWEEN 3 AND 15 AND handle ~ '^[0-9]*[a-z_][a-z0-9_]*$' AND NOT starts_with(handle, '_')
    ),
    CONSTRAINT names_display CHECK (display <> handle AND lower(display) = handle),
    CONSTRAINT names_version CHECK (version > 0),
    CONSTRAINT names_state CHECK (
        CASE state
            WHEN 'f' THEN owner IS NULL AND hold IS NULL AND until IS NULL AND former IS NULL AND protection IS NULL
            WHEN 'h' THEN owner IS NOT NULL AND hold IS NOT NULL AND until IS NOT NULL AND former IS NULL
            WHEN 'c' THEN owner IS NOT NULL AND hold IS NULL AND until IS NULL AND former IS NULL
            WHEN 'r' THEN reason IS NOT NULL AND hold IS NULL AND former IS NULL AND protection IS NOT NULL
            WHEN 'q' THEN owner IS NULL AND hold IS NULL AND until IS NOT NULL AND former IS NOT NULL
            ELSE false
        END
    ),
    CONSTRAINT names_offer CHECK (
        state = 'c' AND offer IS NOT NULL AND offer_end IS NOT NULL OR offer IS NULL AND offer_end IS NULL
    ),
    CONSTRAINT names_forward CHECK (state = 'q' OR NOT forward),
    CONSTRAINT names_moments CHECK (
        until BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
        AND offer_end BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
        AND changed_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
    )
);

CREATE INDEX names_owner ON names (owner) WHERE owner IS NOT NULL;
-- For the sweeper, which finds the states that have ended by themselves.
CREATE INDEX names_until ON names (until) WHERE until IS NOT NULL;

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
    owner            bytea PRIMARY KEY,
    -- The caller's id; NULL once the owner was deleted.
    id               text COLLATE "C",
    -- How many names the owner has claimed.
    claimed          bigint NOT NULL,
    -- The names that were given up and are kept for the owner, and until when. Those that are free again by themselves
    -- stay until the next one.
    quarantined      text[] COLLATE "C" NOT NULL,
    quarantine_ends  timestamptz[] NOT NULL,
    -- The name that the owner holds, and when the hold ends. A hold that ended by itself stays until the next one.
    holds            text[] COLLATE "C" NOT NULL,
    hold_ends        timestamptz[] NOT NULL,
    -- Until when the owner is locked: the end of the year 9999 for a lock without an end. NULL for an owner that is not.
    lock_end         timestamptz,
    changed_at       timestamptz NOT NULL,

    CONSTRAINT owners_owner CHECK (length(owner) = 32),
    CONSTRAINT owners_claimed CHECK (claimed >= 0),
    CONSTRAINT owners_quarantined CHECK (cardinality(quarantined) = cardinality(quarantine_ends)),
    CONSTRAINT owners_holds CHECK (cardinality(holds) = cardinality(hold_ends)),
    CONSTRAINT owners_moments CHECK (
        '0001-01-01 00:00:00+00' <= ALL (hold_ends) AND '9999-12-31 23:59:59+00' >= ALL (hold_ends)
        AND '0001-01-01 00:00:00+00' <= ALL (quarantine_ends) AND '9999-12-31 23:59:59+00' >= ALL (quarantine_ends)
        AND coalesce(lock_end BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00', true)
    )
);

CREATE INDEX owners_lock_end ON owners (lock_end) WHERE lock_end IS NOT NULL;

-- The history of each owner's locks: appended in the commit that locks or unlocks the owner, never changed.
CREATE TABLE owner_events (
    at       timestamptz NOT NULL,
    -- When the lock ends by itself; NULL for no end, and for the end of a lock.
    until    timestamptz,
    -- Counts the events of the owner, from 1.
    version  integer NOT NULL,
    -- 'l' if the owner was locked, 'u' if it was unlocked.
    action   "char" NOT NULL,
    owner    bytea NOT NULL,
    -- SHA-256 of the hash of the version before and of this row, with whole words for the letters.
    hash     bytea NOT NULL,
    actor    text NOT NULL,
    reason   text,

    PRIMARY KEY (owner, version),
    CONSTRAINT owner_events_action CHECK (action IN ('l', 'u')),
    CONSTRAINT owner_events_version CHECK (version > 0),
    CONSTRAINT owner_events_hash CHECK (length(hash) = 32),
    CONSTRAINT owner_events_moments CHECK (
        until BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
        AND at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
    )
);

-- The history of each name: one row for each version, appended in the commit that made it, never changed. Its primary key
-- also gives the names in alphabetical order: each has an event of version 1.
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

-- The changes that the feed has not numbered yet: while the feed is on, each event is noted here in its own commit. A number
-- that was given before the commit could become visible after a later one, and a reader would skip it.
CREATE TABLE feed_outbox (
    at       timestamptz NOT NULL,
    version  integer NOT NULL,
    key      text COLLATE "C" NOT NULL,
    handle   text COLLATE "C" NOT NULL,

    PRIMARY KEY (at, key, handle, version)
);

-- The feed: the number of each event, in the order in which they became visible. The event itself is in `handle_events`.
CREATE TABLE feed (
    seq          bigint PRIMARY KEY,
    numbered_at  timestamptz NOT NULL,
    version      integer NOT NULL,
    handle       text COLLATE "C" NOT NULL
);

-- The state of the feed. One row; its lock lets one service at a time give numbers.
CREATE TABLE feed_state (
    id         bigint PRIMARY KEY,
    -- The last number that was given.
    seq        bigint NOT NULL,
    -- Events up to this number are not kept any more.
    floor      bigint NOT NULL,
    -- For how many seconds events are kept; 0 if the feed is off.
    kept       bigint NOT NULL,
    -- The service that gives the numbers, and until when no other one does.
    leader     text,
    lease_end  timestamptz,

    CONSTRAINT feed_state_id CHECK (id = 1),
    CONSTRAINT feed_state_seq CHECK (0 <= floor AND floor <= seq),
    CONSTRAINT feed_state_kept CHECK (kept >= 0)
);

INSERT INTO feed_state (id, seq, floor, kept) VALUES (1, 0, 0, 0);

-- How far the feed was delivered to each receiver.
CREATE TABLE feed_cursors (
    receiver   text COLLATE "C" PRIMARY KEY,
    -- The last event that the receiver has accepted.
    seq        bigint NOT NULL,
    -- The program that delivers, and until when no other one does.
    holder     text NOT NULL,
    lease_end  timestamptz NOT NULL,

    CONSTRAINT feed_cursors_seq CHECK (seq >= 0)
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

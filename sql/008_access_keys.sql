-- The keys that callers show. Rows are changed and never deleted, so the sum of their versions tells whether a key was
-- made or revoked since; a note of its last use is no new version.
CREATE TABLE access_keys (
    -- The beginning of the hash, in base 32: the key's name for people, which opens nothing.
    id           text COLLATE "C" NOT NULL,
    -- What it is for; two keys may be called alike.
    name         text NOT NULL,
    -- SHA-256 of the key, which itself is kept nowhere.
    hash         bytea NOT NULL,
    scopes       text[] NOT NULL,
    -- How much may be asked with it in how many seconds; both NULL for as much as its holder likes.
    quota        integer,
    quota_window integer,
    -- Who made the last change.
    actor        text NOT NULL,
    created_at   timestamptz NOT NULL,
    -- When it ends by itself; NULL for no end.
    until        timestamptz,
    revoked_at   timestamptz,
    -- To the minute.
    last_used_at timestamptz,
    version      bigint NOT NULL,

    PRIMARY KEY (id),
    CONSTRAINT access_keys_hash CHECK (length(hash) = 32),
    CONSTRAINT access_keys_scopes CHECK (cardinality(scopes) > 0),
    CONSTRAINT access_keys_quota CHECK (quota > 0 AND quota_window > 0 OR quota IS NULL AND quota_window IS NULL),
    CONSTRAINT access_keys_until CHECK (isfinite(until)),
    CONSTRAINT access_keys_version CHECK (version > 0)
);

-- What is mixed into the hashes of owners, so that nobody finds an owner by hashing guesses. One row, made here.
CREATE TABLE registry_salt (
    id          bigint NOT NULL,
    salt        bytea NOT NULL,

    PRIMARY KEY (id),
    CONSTRAINT registry_salt_id CHECK (id = 1),
    CONSTRAINT registry_salt_salt CHECK (length(salt) = 32)
);

INSERT INTO registry_salt (id, salt) VALUES (1, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- One row for each owner that ever held or claimed a name. It is locked by whatever changes what the owner has, so
-- that what an owner may have can be counted.
CREATE TABLE owners (
    -- The owner's mark: SHA-256 of the salt and the caller's id. It is all that is kept of an owner who was deleted.
    owner       bytea NOT NULL,
    -- The caller's id; NULL once the owner was deleted.
    id          text COLLATE "C",
    -- How many names they have claimed.
    claimed     bigint NOT NULL,
    -- The names they have given up that are kept for them, oldest first.
    quarantined text[] COLLATE "C" NOT NULL,
    -- The name they hold, and when the hold ends. A hold that ended by itself stays until the next one.
    holds       text[] COLLATE "C" NOT NULL,
    hold_ends   timestamptz[] NOT NULL,
    changed_at  timestamptz NOT NULL,

    PRIMARY KEY (owner),
    CONSTRAINT owners_owner CHECK (length(owner) = 32),
    CONSTRAINT owners_claimed CHECK (claimed >= 0),
    CONSTRAINT owners_holds CHECK (cardinality(holds) = cardinality(hold_ends))
);

-- A quarantined name keeps its former owner's mark, not the owner.
ALTER TABLE handles ADD COLUMN former bytea;
ALTER TABLE handles DROP CONSTRAINT handles_state;
UPDATE handles SET former = sha256(s.salt || convert_to(coalesce(handles.owner, ''), 'UTF8')), owner = NULL
    FROM registry_salt AS s WHERE handles.state = 'quarantined';
ALTER TABLE handles ADD CONSTRAINT handles_state CHECK (
    CASE state
        WHEN 'free' THEN owner IS NULL AND hold IS NULL AND until IS NULL AND former IS NULL
        WHEN 'held' THEN owner IS NOT NULL AND hold IS NOT NULL AND until IS NOT NULL AND former IS NULL
        WHEN 'claimed' THEN owner IS NOT NULL AND hold IS NULL AND until IS NULL AND former IS NULL
        WHEN 'reserved' THEN reason IS NOT NULL AND hold IS NULL AND former IS NULL
        WHEN 'quarantined' THEN owner IS NULL AND hold IS NULL AND until IS NOT NULL AND former IS NOT NULL
        ELSE false
    END
);

-- For the sweeper, which finds what has ended by itself.
CREATE INDEX handles_until ON handles (until) WHERE until IS NOT NULL;

INSERT INTO owners (owner, id, claimed, quarantined, holds, hold_ends, changed_at)
SELECT h.mark, max(h.owner), count(*) FILTER (WHERE h.state = 'claimed'),
    coalesce(array_agg(h.handle ORDER BY h.changed_at) FILTER (WHERE h.state = 'quarantined'), '{}'),
    coalesce(array_agg(h.handle) FILTER (WHERE h.state = 'held'), '{}'),
    coalesce(array_agg(h.until) FILTER (WHERE h.state = 'held'), '{}'), now()
FROM (
    SELECT coalesce(n.former, sha256(s.salt || convert_to(n.owner, 'UTF8'))) AS mark, n.*
    FROM handles AS n, registry_salt AS s WHERE n.state IN ('held', 'claimed', 'quarantined')
) AS h GROUP BY h.mark;

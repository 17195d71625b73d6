-- Slimmer rows of the three large tables: nothing for a display handle without capitals and for empty lists, one letter for
-- a state or an action, and columns in an order without gaps. The columns of the codes have new names, because an earlier
-- program would take the letters for states that it doesn't know: it stops at the columns that it misses.
--
-- The rows are copied in batches, each in its own transaction, while programs use the tables of before. Triggers copy what
-- changes meanwhile (017_slim_rows_triggers.sql). At the end the new tables take the names of the others
-- (017_slim_rows_end.sql).
--
-- Until then autovacuum leaves the new tables alone. Otherwise the ANALYZE after each table and the exchange at the end would
-- wait for it, longer than they may.
-- The tables of before are dropped at the end. What would stop that stops the beginning.
DO $$
DECLARE
    replaced CONSTANT oid[] := ARRAY['handles'::regclass, 'lookalike_keys'::regclass, 'handle_events'::regclass];
BEGIN
    IF EXISTS (
        SELECT FROM pg_depend AS d JOIN pg_rewrite AS r ON r.oid = d.objid
        WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = ANY (replaced)
    ) OR EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND confrelid = ANY (replaced)) THEN
        RAISE dependent_objects_still_exist;
    END IF;
END
$$;

CREATE TABLE handles_slim (
    changed_at  timestamptz NOT NULL,
    -- When the state ends by itself; the name counts as free from then on.
    until       timestamptz,
    -- A random number made by the service for each change, by which a statement recognises its own.
    change      bigint NOT NULL,
    -- Counts the changes of state; it only grows.
    version     integer NOT NULL,
    -- The state's first letter: free, held, claimed, reserved, quarantined.
    state_code  "char" NOT NULL,
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

    PRIMARY KEY (handle)
) WITH (autovacuum_enabled = off);

CREATE INDEX handles_slim_owner ON handles_slim (owner) WHERE owner IS NOT NULL;
CREATE INDEX handles_slim_until ON handles_slim (until) WHERE until IS NOT NULL;

-- With a ninth column, the header of each row that has a NULL would take eight bytes more.
CREATE TABLE lookalike_keys_slim (
    -- When the protection ends by itself; NULL for no end.
    protected_until  timestamptz,
    changed_at       timestamptz NOT NULL,
    key              text COLLATE "C" NOT NULL,
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

    PRIMARY KEY (key)
) WITH (autovacuum_enabled = off);

-- Names that are reserved, held or in quarantine have no look-alikes, so checks of many names need only their keys.
CREATE INDEX lookalike_keys_slim_kept ON lookalike_keys_slim (key) WHERE protector IS NOT NULL OR ends IS NOT NULL;

CREATE TABLE handle_events_slim (
    at          timestamptz NOT NULL,
    until       timestamptz,
    version     integer NOT NULL,
    -- A letter for each action, as `Event.Action.code` has it.
    action_code "char" NOT NULL,
    from_code   "char" NOT NULL,
    to_code     "char" NOT NULL,
    handle      text COLLATE "C" NOT NULL,
    -- NULL for a display handle without capitals.
    display     text COLLATE "C",
    -- SHA-256 of the hash of the version before and of this row, with whole words for the letters; the chain starts with
    -- nothing.
    hash        bytea NOT NULL,
    -- Who did it: a key, a person at the command line, or the registry itself.
    actor       text NOT NULL,
    reason      text,
    -- The mark of whoever has the name after the event, or had it before the quarantine.
    owner       bytea,
    -- The other name of a rename, or the protected name that an exception was made for.
    related     text,

    PRIMARY KEY (handle, version)
) WITH (autovacuum_enabled = off);

-- The tables of before as rows of the new ones.
CREATE VIEW handles_as_slim AS
    SELECT handle, nullif(display, handle) AS display, left(state, 1)::"char" AS state_code, owner, former, hold, reason,
        version::integer AS version, change, until, changed_at
    FROM handles;

CREATE VIEW lookalike_keys_as_slim AS
    SELECT key, protector, protected_until, nullif(next_protectors, '{}') AS next_protectors, nullif(names, '{}') AS names,
        CASE WHEN array_remove(ends, NULL) <> '{}' THEN ends END AS ends, nullif(exempt, '{}') AS exempt,
        changed_at
    FROM lookalike_keys;

CREATE VIEW handle_events_as_slim AS
    SELECT handle, version::integer AS version, at, actor,
        CASE
            WHEN action = 'held' THEN 'h' WHEN action = 'claimed' THEN 'c' WHEN action = 'reserved' THEN 'r'
            WHEN action = 'recased' THEN 'd' WHEN action = 'released' THEN 'l' WHEN action = 'renamed' THEN 'n'
            WHEN action = 'moved' THEN 'm' WHEN action = 'displaced' THEN 'p' WHEN action = 'expired' THEN 'e'
            WHEN action = 'orphaned' THEN 'o' WHEN action = 'adopted' THEN 'a' WHEN action = 'imported' THEN 'i'
        END::"char" AS action_code,
        left(from_state, 1)::"char" AS from_code, left(to_state, 1)::"char" AS to_code, nullif(display, handle) AS display,
        owner, reason, related, until, hash
    FROM handle_events;

-- How far the rows are copied. One row. As long as the table exists, the migration is under way.
CREATE TABLE slim_rows_progress (
    id           bigint NOT NULL,
    -- The table that is copied: 1 for handles, 2 for lookalike_keys, 3 for handle_events, 4 after the last.
    table_number bigint NOT NULL,
    -- The last key of it that is copied.
    last         text COLLATE "C" NOT NULL,
    -- The number of rows that are copied, of all tables, and the server's estimate of how many there are.
    copied       bigint NOT NULL,
    total        bigint NOT NULL,

    PRIMARY KEY (id),
    CONSTRAINT slim_rows_progress_id CHECK (id = 1)
);

INSERT INTO slim_rows_progress (id, table_number, last, copied, total)
SELECT 1, 1, '', 0, sum(greatest(reltuples, 0))::bigint FROM pg_class
WHERE oid IN ('handles'::regclass, 'lookalike_keys'::regclass, 'handle_events'::regclass);

-- Copies the next rows. It returns a line about the progress, which is empty most times; NULL once all rows are copied.
CREATE FUNCTION copy_next_rows() RETURNS text LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    size     CONSTANT bigint := 5000;
    -- A line is returned whenever so many more rows are copied.
    rows     CONSTANT bigint := 100000;
    number   bigint;
    start    text;
    finish   text;
    before   bigint;
    added    bigint;
    done     bigint;
    estimate bigint;
BEGIN
    SELECT table_number, last, copied, total INTO number, start, before, estimate
    FROM slim_rows_progress WHERE id = 1 FOR UPDATE;
    IF number = 1 THEN
        SELECT max(p.handle) INTO finish FROM (
            SELECT handle FROM handles WHERE handle > start ORDER BY handle LIMIT size
        ) AS p;
        INSERT INTO handles_slim
            (handle, display, state_code, owner, former, hold, reason, version, change, until, changed_at)
        SELECT handle, display, state_code, owner, former, hold, reason, version, change, until, changed_at
        FROM handles_as_slim WHERE handle > start AND handle <= finish ORDER BY handle
        ON CONFLICT (handle) DO NOTHING;
    ELSIF number = 2 THEN
        SELECT max(p.key) INTO finish FROM (
            SELECT key FROM lookalike_keys WHERE key > start ORDER BY key LIMIT size
        ) AS p;
        INSERT INTO lookalike_keys_slim
            (key, protector, protected_until, next_protectors, names, ends, exempt, changed_at)
        SELECT key, protector, protected_until, next_protectors, names, ends, exempt, changed_at
        FROM lookalike_keys_as_slim WHERE key > start AND key <= finish ORDER BY key
        ON CONFLICT (key) DO NOTHING;
    ELSIF number = 3 THEN
        SELECT max(p.handle) INTO finish FROM (
            SELECT handle FROM handle_events WHERE handle > start ORDER BY handle, version LIMIT size
        ) AS p;
        INSERT INTO handle_events_slim
            (handle, version, at, actor, action_code, from_code, to_code, display, owner, reason, related, until, hash)
        SELECT handle, version, at, actor, action_code, from_code, to_code, display, owner, reason, related, until, hash
        FROM handle_events_as_slim WHERE handle > start AND handle <= finish ORDER BY handle, version
        ON CONFLICT (handle, version) DO NOTHING;
    ELSE
        RETURN NULL;
    END IF;
    GET DIAGNOSTICS added = ROW_COUNT;
    done := before + added;
    IF finish IS NULL THEN
        IF start <> '' THEN
            EXECUTE format('ANALYZE %I', (ARRAY['handles_slim', 'lookalike_keys_slim', 'handle_events_slim'])[number]);
        END IF;
        UPDATE slim_rows_progress SET table_number = number + 1, last = '' WHERE id = 1;
    ELSE
        UPDATE slim_rows_progress SET last = finish, copied = done WHERE id = 1;
    END IF;
    IF done / rows = before / rows THEN
        RETURN '';
    END IF;
    RETURN format('slim rows: %s of about %s rows',
        to_char(done, 'FM999,999,999,999'), to_char(greatest(done, estimate), 'FM999,999,999,999'));
END
$$;

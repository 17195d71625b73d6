-- One row for each name that was ever held, claimed or reserved. The primary key decides who has a name.
--
-- Names are compared byte by byte, whatever the locale of the database: COLLATE "C".
CREATE TABLE handles (
    handle      text COLLATE "C" NOT NULL,
    display     text COLLATE "C" NOT NULL,
    state       text NOT NULL,
    -- The caller's id for a person or team. A quarantined name keeps its former owner, who may take it back.
    owner       text,
    -- The secret of a hold, while it lasts.
    hold        text,
    -- Why an admin keeps the name.
    reason      text,
    -- Counts the changes of state; it only grows.
    version     bigint NOT NULL,
    -- A random number made by the service for each change, by which a statement recognises its own.
    change      bigint NOT NULL,
    -- When the state ends by itself; the name counts as free from then on.
    until       timestamptz,
    changed_at  timestamptz NOT NULL,

    PRIMARY KEY (handle),
    CONSTRAINT handles_handle CHECK (handle ~ '^[a-z0-9][a-z0-9_]{2,14}$' AND handle ~ '[a-z_]'),
    CONSTRAINT handles_display CHECK (lower(display) = handle),
    CONSTRAINT handles_version CHECK (version > 0),
    CONSTRAINT handles_state CHECK (
        CASE state
            WHEN 'free' THEN owner IS NULL AND hold IS NULL AND until IS NULL
            WHEN 'held' THEN owner IS NOT NULL AND hold IS NOT NULL AND until IS NOT NULL
            WHEN 'claimed' THEN owner IS NOT NULL AND hold IS NULL AND until IS NULL
            WHEN 'reserved' THEN reason IS NOT NULL AND hold IS NULL
            WHEN 'quarantined' THEN hold IS NULL AND until IS NOT NULL
            ELSE false
        END
    )
);

CREATE INDEX handles_owner ON handles (owner) WHERE owner IS NOT NULL;

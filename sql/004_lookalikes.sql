-- One row for each look-alike key that a name in use has or had. The primary key decides between two names that look
-- alike: whoever takes one of them locks the row first.
CREATE TABLE lookalikes (
    key             text COLLATE "C" NOT NULL,
    -- The name that the key is kept for: one that is reserved or was when it was claimed.
    protector       text COLLATE "C",
    -- When that ends by itself; NULL for no end.
    protected_until timestamptz,
    -- The held, claimed and quarantined names with this key, and when each ends by itself; NULL for no end.
    names           text[] COLLATE "C" NOT NULL,
    ends            timestamptz[] NOT NULL,
    -- The names that an admin has allowed in spite of the key.
    exempt          text[] COLLATE "C" NOT NULL,
    version         bigint NOT NULL,
    changed_at      timestamptz NOT NULL,

    PRIMARY KEY (key),
    CONSTRAINT lookalikes_names CHECK (cardinality(names) = cardinality(ends)),
    CONSTRAINT lookalikes_version CHECK (version > 0)
);

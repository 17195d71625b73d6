-- Look-alike keys by the rule of `LookalikeKey` in HandleCore. Earlier programs computed keys that more names share, so the
-- rows of `lookalikes` are split by the new keys. The table has a new name, because an earlier program must not write its
-- keys into it: it stops at the name that it misses.
CREATE TABLE lookalike_keys (
    key             text COLLATE "C" NOT NULL,
    -- The name that the key is kept for: one that is reserved or was when it was claimed.
    protector       text COLLATE "C",
    -- When that ends by itself; NULL for no end.
    protected_until timestamptz,
    -- The names that the key is kept for after its protector, one after the other: reserved in spite of the key, and in
    -- `names` for as long as they are in use.
    next_protectors text[] COLLATE "C" NOT NULL DEFAULT '{}',
    -- The held, claimed and quarantined names with this key, and when each ends by itself; NULL for no end.
    names           text[] COLLATE "C" NOT NULL,
    ends            timestamptz[] NOT NULL,
    -- The names that an admin has allowed in spite of the key.
    exempt          text[] COLLATE "C" NOT NULL,
    version         bigint NOT NULL,
    changed_at      timestamptz NOT NULL,

    PRIMARY KEY (key),
    CONSTRAINT lookalike_keys_names CHECK (cardinality(names) = cardinality(ends)),
    CONSTRAINT lookalike_keys_version CHECK (version > 0)
);

-- Waits for those that read the table for long, such as an export, before the work instead of after it.
DO $$
BEGIN
    LOCK TABLE lookalikes IN ACCESS EXCLUSIVE MODE;
    RAISE EXCEPTION 'locked';
EXCEPTION WHEN raise_exception THEN
    -- The lock is released: checks go on reading the table while it is copied.
END
$$;

DO $$
DECLARE
    size   CONSTANT bigint := 50000;
    total  bigint;
    done   bigint := 0;
    last   text := '';
BEGIN
    LOCK TABLE lookalikes IN EXCLUSIVE MODE;
    SELECT count(*) INTO total FROM lookalikes;
    LOOP
        WITH page AS MATERIALIZED (
            SELECT protector, protected_until, next_protectors, names, ends, exempt, version, changed_at
            FROM lookalikes WHERE key > last ORDER BY key LIMIT size
        ), handles AS (
            SELECT p.version, p.changed_at, h.name, h.until, h.place,
                -- The four steps of the key, from the inside out. A run of v and w is written as v first.
                replace(replace(replace(replace(translate(
                    regexp_replace(replace(h.name, '_', ''), '([a-hjkm-ux-z])\1{2,}', '\1\1', 'g'),
                    'l10582439q7', 'iiosbzaeggt'), 'rn', 'm'), 'ci', 'd'), 'w', 'vv'), 'vv', 'w') AS new_key,
                array_position(p.next_protectors, h.name) AS turn, h.name = ANY (p.exempt) AS is_exempt
            FROM page AS p CROSS JOIN LATERAL (
                SELECT p.protector AS name, p.protected_until AS until, 0 AS place WHERE p.protector IS NOT NULL
                UNION ALL
                SELECT n.name, n.until, n.place FROM unnest(p.names, p.ends) WITH ORDINALITY AS n (name, until, place)
            ) AS h
        ), split AS (
            SELECT new_key, max(version) AS version, max(changed_at) AS changed_at,
                count(DISTINCT name) AS handles,
                min(name) FILTER (WHERE place = 0) AS protector, min(until) FILTER (WHERE place = 0) AS protected_until,
                coalesce(array_agg(name ORDER BY place) FILTER (WHERE place > 0), '{}') AS names,
                coalesce(array_agg(until ORDER BY place) FILTER (WHERE place > 0), '{}') AS ends,
                coalesce(array_agg(name ORDER BY turn) FILTER (WHERE place > 0 AND turn > 0), '{}') AS next,
                coalesce(array_agg(name ORDER BY place) FILTER (WHERE place > 0 AND is_exempt), '{}') AS exempt
            FROM handles GROUP BY new_key
        )
        INSERT INTO lookalike_keys AS l
            (key, protector, protected_until, next_protectors, names, ends, exempt, version, changed_at)
        SELECT new_key,
            coalesce(protector, next[1]),
            CASE WHEN protector IS NULL THEN ends[array_position(names, next[1])] ELSE protected_until END,
            CASE WHEN protector IS NULL THEN coalesce(next[2:], '{}') ELSE next END,
            names, ends,
            CASE WHEN handles = 1 THEN '{}' WHEN protector IS NULL THEN array_remove(exempt, next[1]) ELSE exempt END,
            version, changed_at
        FROM split
        -- Only where rows had names with other keys, a fault that `handles verify` reports, before and after.
        ON CONFLICT (key) DO UPDATE SET
            protector = coalesce(l.protector, EXCLUDED.protector),
            protected_until = CASE WHEN l.protector IS NULL THEN EXCLUDED.protected_until ELSE l.protected_until END,
            next_protectors = l.next_protectors || EXCLUDED.next_protectors,
            names = l.names || EXCLUDED.names, ends = l.ends || EXCLUDED.ends, exempt = l.exempt || EXCLUDED.exempt;
        SELECT max(key) INTO last FROM (SELECT key FROM lookalikes WHERE key > last ORDER BY key LIMIT size) AS p;
        EXIT WHEN last IS NULL;
        done := least(done + size, total);
        IF total > size THEN
            RAISE INFO 'look-alike keys: % of % rows',
                to_char(done, 'FM999,999,999,999'), to_char(total, 'FM999,999,999,999');
        END IF;
    END LOOP;
END
$$;

ALTER TABLE lookalike_keys ADD CONSTRAINT lookalike_keys_moments CHECK (
    protected_until BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
    AND '0001-01-01 00:00:00+00' <= ALL (ends) AND '9999-12-31 23:59:59+00' >= ALL (ends)
) NOT VALID;
-- Names that are reserved, held or in quarantine have no look-alikes, so checks of many names need only their keys.
CREATE INDEX lookalike_keys_kept ON lookalike_keys (key) WHERE protector IS NOT NULL OR array_remove(ends, NULL) <> '{}';

DROP TABLE lookalikes;

-- The names that a key is kept for after its protector, one after the other: reserved in spite of the key, and in `names`
-- for as long as they are in use.
ALTER TABLE lookalikes ADD COLUMN next_protectors text[] COLLATE "C" NOT NULL DEFAULT '{}';

-- Exceptions that are reserved protected nothing once the name was gone that they were an exception to. One row at a
-- time, as the tables may be distributed differently.
DO $$
DECLARE
    entry record;
    next  text[];
BEGIN
    FOR entry IN SELECT key, protector, names, ends, exempt FROM lookalikes WHERE cardinality(exempt) > 0 LOOP
        SELECT array_agg(handle ORDER BY handle) INTO next FROM handles
            WHERE handle = ANY(entry.exempt) AND handle = ANY(entry.names) AND state = 'reserved'
                AND (until IS NULL OR until > now());
        CONTINUE WHEN next IS NULL;
        IF entry.protector IS NULL THEN
            UPDATE lookalikes SET
                protector = next[1], protected_until = entry.ends[array_position(entry.names, next[1])],
                exempt = array_remove(exempt, next[1]), next_protectors = next[2:]
                WHERE key = entry.key;
        ELSE
            UPDATE lookalikes SET next_protectors = next WHERE key = entry.key;
        END IF;
    END LOOP;
END
$$;

-- An index in the order of a locale is broken when the locale changes, as with a new release of the system.
ALTER TABLE handles ALTER COLUMN owner TYPE text COLLATE "C";

-- The names that a key is kept for after its protector, one after the other: reserved in spite of the key, and in `names`
-- for as long as they are in use.
ALTER TABLE lookalikes ADD COLUMN next_protectors text[] COLLATE "C" NOT NULL DEFAULT '{}';

-- Exceptions that are reserved, or were when they were claimed, protected nothing once the name was gone that they were an
-- exception to. One name at a time, as the tables may be distributed differently.
DO $$
DECLARE
    entry  record;
    name   text;
    next   text[];
    stand  text;
    origin text;
BEGIN
    FOR entry IN SELECT key, protector, names, ends, exempt FROM lookalikes WHERE cardinality(exempt) > 0 LOOP
        next := '{}';
        FOREACH name IN ARRAY entry.exempt LOOP
            CONTINUE WHEN name <> ALL (entry.names);
            SELECT state INTO stand FROM handles WHERE handle = name AND (until IS NULL OR until > now());
            -- From which state its owner got it: the first of them, as long as nobody else has had it since.
            SELECT CASE WHEN p.until <= e.at THEN 'free' ELSE e.from_state END INTO origin
                FROM handle_events AS e
                LEFT JOIN handle_events AS p ON p.handle = e.handle AND p.version = e.version - 1
                WHERE e.handle = name AND e.to_state = 'claimed'
                    AND (e.from_state NOT IN ('claimed', 'quarantined') OR p.until <= e.at)
                ORDER BY e.version DESC LIMIT 1;
            IF stand = 'reserved' OR (stand IN ('claimed', 'quarantined') AND origin = 'reserved') THEN
                next := next || name;
            END IF;
        END LOOP;
        CONTINUE WHEN next = '{}';
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

-- The new tables take the names of the others. The constraints are not valid at first, so the lock is short, and a row that
-- breaks one of them stops no upgrade.
--
-- An autovacuum gives way to the first lock, unless it is one against wraparound. No program waits for that lock. The second one
-- waits for programs that write, in the order in which they write the tables; the third for those that read, in the order in
-- which checks read them.
LOCK TABLE lookalike_keys, handles, handle_events IN SHARE UPDATE EXCLUSIVE MODE;
SET LOCAL lock_timeout = '500ms';
LOCK TABLE lookalike_keys, handles, handle_events IN SHARE ROW EXCLUSIVE MODE;
LOCK TABLE handles, lookalike_keys, handle_events IN ACCESS EXCLUSIVE MODE;
DROP VIEW handles_as_slim, lookalike_keys_as_slim, handle_events_as_slim;
DROP TABLE handles, lookalike_keys, handle_events, slim_rows_progress;
DROP FUNCTION copy_next_rows();
DROP FUNCTION IF EXISTS write_slim_handle(), write_slim_key(), write_slim_event(), refuse_slim_deletion();

ALTER TABLE handles_slim RENAME TO handles;
ALTER TABLE handles RESET (autovacuum_enabled);
ALTER INDEX handles_slim_pkey RENAME TO handles_pkey;
ALTER INDEX handles_slim_owner RENAME TO handles_owner;
ALTER INDEX handles_slim_until RENAME TO handles_until;
ALTER TABLE handles ADD CONSTRAINT handles_handle CHECK (
    octet_length(handle) BETWEEN 3 AND 15 AND handle ~ '^[0-9]*[a-z_][a-z0-9_]*$' AND NOT starts_with(handle, '_')
) NOT VALID;
ALTER TABLE handles ADD CONSTRAINT handles_display CHECK (display <> handle AND lower(display) = handle) NOT VALID;
ALTER TABLE handles ADD CONSTRAINT handles_version CHECK (version > 0) NOT VALID;
ALTER TABLE handles ADD CONSTRAINT handles_state CHECK (
    CASE state_code
        WHEN 'f' THEN owner IS NULL AND hold IS NULL AND until IS NULL AND former IS NULL
        WHEN 'h' THEN owner IS NOT NULL AND hold IS NOT NULL AND until IS NOT NULL AND former IS NULL
        WHEN 'c' THEN owner IS NOT NULL AND hold IS NULL AND until IS NULL AND former IS NULL
        WHEN 'r' THEN reason IS NOT NULL AND hold IS NULL AND former IS NULL
        WHEN 'q' THEN owner IS NULL AND hold IS NULL AND until IS NOT NULL AND former IS NOT NULL
        ELSE false
    END
) NOT VALID;
ALTER TABLE handles ADD CONSTRAINT handles_moments CHECK (
    until BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
    AND changed_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
) NOT VALID;

ALTER TABLE lookalike_keys_slim RENAME TO lookalike_keys;
ALTER TABLE lookalike_keys RESET (autovacuum_enabled);
ALTER INDEX lookalike_keys_slim_pkey RENAME TO lookalike_keys_pkey;
ALTER INDEX lookalike_keys_slim_kept RENAME TO lookalike_keys_kept;
ALTER TABLE lookalike_keys ADD CONSTRAINT lookalike_keys_names CHECK (
    cardinality(names) > 0 AND (
        ends IS NULL
        OR names IS NOT NULL AND cardinality(ends) = cardinality(names) AND array_remove(ends, NULL) <> '{}'
    )
) NOT VALID;
ALTER TABLE lookalike_keys ADD CONSTRAINT lookalike_keys_lists CHECK (
    cardinality(next_protectors) > 0 AND cardinality(exempt) > 0
) NOT VALID;
ALTER TABLE lookalike_keys ADD CONSTRAINT lookalike_keys_moments CHECK (
    protected_until BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
    AND '0001-01-01 00:00:00+00' <= ALL (ends) AND '9999-12-31 23:59:59+00' >= ALL (ends)
) NOT VALID;

ALTER TABLE handle_events_slim RENAME TO handle_events;
ALTER TABLE handle_events RESET (autovacuum_enabled);
ALTER INDEX handle_events_slim_pkey RENAME TO handle_events_pkey;
ALTER TABLE handle_events ADD CONSTRAINT handle_events_display CHECK (display <> handle) NOT VALID;
ALTER TABLE handle_events ADD CONSTRAINT handle_events_version CHECK (version > 0) NOT VALID;
ALTER TABLE handle_events ADD CONSTRAINT handle_events_hash CHECK (length(hash) = 32) NOT VALID;
ALTER TABLE handle_events ADD CONSTRAINT handle_events_moments CHECK (
    until BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
    AND at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
) NOT VALID;

-- Copies what programs write into the tables of before while their rows are copied. Not on a Citus cluster, where tables
-- have no triggers: there the tables are locked instead.
--
-- An autovacuum gives way to the first lock, unless it is one against wraparound. No program waits for that lock. For the second,
-- the tables are in the order in which programs write them.
LOCK TABLE lookalike_keys, handles, handle_events IN SHARE UPDATE EXCLUSIVE MODE;
SET LOCAL lock_timeout = '500ms';
LOCK TABLE lookalike_keys, handles, handle_events IN SHARE ROW EXCLUSIVE MODE;

-- The functions have the rights of their owner, because the service has none on the new tables.
CREATE FUNCTION write_slim_handle() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO handles_slim (handle, display, state_code, owner, former, hold, reason, version, change, until, changed_at)
    SELECT handle, display, state_code, owner, former, hold, reason, version, change, until, changed_at
    FROM handles_as_slim WHERE handle = NEW.handle
    ON CONFLICT (handle) DO UPDATE SET
        display = EXCLUDED.display, state_code = EXCLUDED.state_code, owner = EXCLUDED.owner, former = EXCLUDED.former,
        hold = EXCLUDED.hold, reason = EXCLUDED.reason, version = EXCLUDED.version, change = EXCLUDED.change,
        until = EXCLUDED.until, changed_at = EXCLUDED.changed_at;
    RETURN NULL;
END
$$;

CREATE FUNCTION write_slim_key() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO lookalike_keys_slim (key, protector, protected_until, next_protectors, names, ends, exempt, changed_at)
    SELECT key, protector, protected_until, next_protectors, names, ends, exempt, changed_at
    FROM lookalike_keys_as_slim WHERE key = NEW.key
    ON CONFLICT (key) DO UPDATE SET
        protector = EXCLUDED.protector, protected_until = EXCLUDED.protected_until,
        next_protectors = EXCLUDED.next_protectors, names = EXCLUDED.names, ends = EXCLUDED.ends,
        exempt = EXCLUDED.exempt, changed_at = EXCLUDED.changed_at;
    RETURN NULL;
END
$$;

CREATE FUNCTION write_slim_event() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO handle_events_slim
        (handle, version, at, actor, action_code, from_code, to_code, display, owner, reason, related, until, hash)
    SELECT handle, version, at, actor, action_code, from_code, to_code, display, owner, reason, related, until, hash
    FROM handle_events_as_slim WHERE handle = NEW.handle AND version = NEW.version
    ON CONFLICT (handle, version) DO UPDATE SET
        at = EXCLUDED.at, actor = EXCLUDED.actor, action_code = EXCLUDED.action_code, from_code = EXCLUDED.from_code,
        to_code = EXCLUDED.to_code, display = EXCLUDED.display, owner = EXCLUDED.owner, reason = EXCLUDED.reason,
        related = EXCLUDED.related, until = EXCLUDED.until, hash = EXCLUDED.hash;
    RETURN NULL;
END
$$;

-- A function with other rights finds no objects that its caller has made.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['write_slim_handle', 'write_slim_key', 'write_slim_event'] LOOP
        EXECUTE format('ALTER FUNCTION %I() SET search_path = %I, pg_temp', name, current_schema());
    END LOOP;
END
$$;

-- No program deletes rows of these tables. A row that was deleted by hand meanwhile could come back with a batch.
CREATE FUNCTION refuse_slim_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows can''t be deleted before the migration slim_rows has ended; run: handles migrate';
END
$$;

CREATE TRIGGER slim_rows AFTER INSERT OR UPDATE ON handles FOR EACH ROW EXECUTE FUNCTION write_slim_handle();
CREATE TRIGGER slim_rows AFTER INSERT OR UPDATE ON lookalike_keys FOR EACH ROW EXECUTE FUNCTION write_slim_key();
CREATE TRIGGER slim_rows AFTER INSERT OR UPDATE ON handle_events FOR EACH ROW EXECUTE FUNCTION write_slim_event();
CREATE TRIGGER slim_rows_deletion BEFORE DELETE OR TRUNCATE ON handles EXECUTE FUNCTION refuse_slim_deletion();
CREATE TRIGGER slim_rows_deletion BEFORE DELETE OR TRUNCATE ON lookalike_keys EXECUTE FUNCTION refuse_slim_deletion();
CREATE TRIGGER slim_rows_deletion BEFORE DELETE OR TRUNCATE ON handle_events EXECUTE FUNCTION refuse_slim_deletion();

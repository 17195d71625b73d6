-- What the service may do, and no more: it appends to the history of names and can't change it. Run after migrations, as
-- the owner of the tables; to run it again changes nothing.
DO $$
DECLARE
    -- The right to take the role. Since PostgreSQL 16 a role's creator is a member without it.
    membership CONSTANT text :=
        CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'handles_service') THEN
        IF NOT (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) THEN
            -- Then everything is done as the owner of the tables.
            RETURN;
        END IF;
        BEGIN
            CREATE ROLE handles_service NOLOGIN;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            -- Made for another database of this server at the same moment.
        END;
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO handles_service', current_schema());
    GRANT SELECT ON schema_migrations, registry_salt TO handles_service;
    GRANT SELECT, INSERT, UPDATE ON names, owners, reserved_words TO handles_service;
    GRANT SELECT, UPDATE ON words_version TO handles_service;
    GRANT SELECT, INSERT, UPDATE ON access_keys TO handles_service;
    GRANT SELECT, INSERT ON handle_events, owner_events TO handles_service;
    GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO handles_service;
    GRANT SELECT, INSERT, DELETE ON feed_outbox, feed TO handles_service;
    GRANT SELECT, UPDATE ON feed_state TO handles_service;
    GRANT SELECT, INSERT, UPDATE ON feed_cursors TO handles_service;
    IF NOT pg_has_role(current_user, 'handles_service', membership) THEN
        BEGIN
            EXECUTE format('GRANT handles_service TO %I', current_user)
                || CASE membership WHEN 'SET' THEN ' WITH SET TRUE' ELSE '' END;
        EXCEPTION WHEN insufficient_privilege THEN
            -- Somebody else's role: an admin may grant it.
        END;
    END IF;
END
$$;

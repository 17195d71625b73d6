-- The same tables spread over the nodes of a Citus cluster, each by what its rows are found by. Run after migrations; a
-- table that is distributed already stays as it is.

-- The coordinator works on the other nodes as the role that it works as itself, so that role must be able to log in. It
-- has no password: let the nodes in by address or certificate (pg_hba.conf), and nobody else as this role.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'handles_service' AND NOT rolcanlogin) THEN
        ALTER ROLE handles_service LOGIN;
    END IF;
END
$$;

SELECT create_reference_table('registry_salt')
    WHERE 'registry_salt'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition);
SELECT create_reference_table('reserved_words')
    WHERE 'reserved_words'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition);
SELECT create_reference_table('words_version')
    WHERE 'words_version'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition);
SELECT create_reference_table('feed_state')
    WHERE 'feed_state'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition);
SELECT create_reference_table('access_keys')
    WHERE 'access_keys'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition);
SELECT create_distributed_table('names', 'key', colocate_with => 'none')
    WHERE 'names'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition);
SELECT create_distributed_table('feed_outbox', 'key', colocate_with => 'names')
    WHERE 'feed_outbox'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition);
SELECT create_distributed_table('handle_events', 'handle', colocate_with => 'none')
    WHERE 'handle_events'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition);
SELECT create_distributed_table('owners', 'owner', colocate_with => 'none')
    WHERE 'owners'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition);
SELECT create_distributed_table('owner_events', 'owner', colocate_with => 'owners')
    WHERE 'owner_events'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition);
SELECT create_distributed_table('idempotency_keys', 'key', colocate_with => 'none')
    WHERE 'idempotency_keys'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition);

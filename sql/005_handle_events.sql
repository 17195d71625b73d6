-- What has happened to each name: one row for each version, appended in the commit that made it, never changed.
CREATE TABLE handle_events (
    handle      text COLLATE "C" NOT NULL,
    version     bigint NOT NULL,
    at          timestamptz NOT NULL,
    -- Who did it: a key, a person at the command line, or the registry itself.
    actor       text NOT NULL,
    action      text NOT NULL,
    from_state  text NOT NULL,
    to_state    text NOT NULL,
    display     text COLLATE "C" NOT NULL,
    -- The mark of whoever has the name after the event, or had it before the quarantine.
    owner       bytea,
    reason      text,
    -- The other name of a rename, or the protected name that an exception was made for.
    related     text,
    until       timestamptz,
    -- SHA-256 of the hash of the version before and of this row; the chain starts with nothing.
    hash        bytea NOT NULL,

    PRIMARY KEY (handle, version),
    CONSTRAINT handle_events_version CHECK (version > 0),
    CONSTRAINT handle_events_hash CHECK (length(hash) = 32)
);

-- Names that were there before their history was kept begin it with what they are.
INSERT INTO handle_events
    (handle, version, at, actor, action, from_state, to_state, display, owner, reason, related, until, hash)
SELECT e.handle, e.version, e.at, e.actor, e.action, e.from_state, e.to_state, e.display, e.owner, e.reason, e.related,
    e.until,
    sha256(convert_to(json_build_array(
        e.handle, e.version, (extract(epoch FROM e.at) * 1000000)::bigint, e.actor, e.action, e.from_state, e.to_state,
        e.display, encode(e.owner, 'hex'), e.reason, e.related, (extract(epoch FROM e.until) * 1000000)::bigint
    )::text, 'UTF8'))
FROM (
    SELECT h.handle, h.version, h.changed_at AS at, 'registry' AS actor, 'adopted' AS action, h.state AS from_state,
        h.state AS to_state, h.display,
        coalesce(h.former, sha256(s.salt || convert_to(h.owner, 'UTF8'))) AS owner, h.reason, NULL::text AS related,
        h.until
    FROM handles AS h, registry_salt AS s
) AS e;

-- What is stored can be written down and read again: no moment is infinite, or outside of the years that RFC 3339 has. Not
-- valid at first, so that a row which others have written stops no upgrade; `migrate` validates what it can, and `doctor`
-- tells of the rest.
ALTER TABLE handles ADD CONSTRAINT handles_moments CHECK (
    until BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
    AND changed_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
) NOT VALID;
ALTER TABLE handle_events ADD CONSTRAINT handle_events_moments CHECK (
    until BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
    AND at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
) NOT VALID;
ALTER TABLE lookalikes ADD CONSTRAINT lookalikes_moments CHECK (
    protected_until BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
    AND '0001-01-01 00:00:00+00' <= ALL (ends) AND '9999-12-31 23:59:59+00' >= ALL (ends)
) NOT VALID;
ALTER TABLE owners ADD CONSTRAINT owners_moments CHECK (
    '0001-01-01 00:00:00+00' <= ALL (hold_ends) AND '9999-12-31 23:59:59+00' >= ALL (hold_ends)
) NOT VALID;
ALTER TABLE reserved_words ADD CONSTRAINT reserved_words_moments CHECK (
    until BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
    AND changed_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
) NOT VALID;
ALTER TABLE access_keys ADD CONSTRAINT access_keys_moments CHECK (
    until BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
    AND created_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
    AND revoked_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
    AND last_used_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
) NOT VALID;

-- One row, counted up by every change of the reserved words: by it a claim knows at its commit whether they are still those
-- that it was decided by.
CREATE TABLE words_version (
    id          bigint NOT NULL,
    version     bigint NOT NULL,

    PRIMARY KEY (id),
    CONSTRAINT words_version_id CHECK (id = 1)
);

INSERT INTO words_version (id, version) VALUES (1, 0);

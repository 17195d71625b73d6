-- What has been changed about the reserved words that the program carries: words that were added, and words that were
-- taken off. Rows are changed and never deleted, so the sum of their versions tells whether anything has changed.
CREATE TABLE reserved_words (
    word        text COLLATE "C" NOT NULL,
    category    text NOT NULL,
    -- How far the word reaches; 'none' takes a word off that the program carries or that was added before.
    match       text NOT NULL,
    -- Where the word comes from: 'admin', or the name of an imported list.
    source      text NOT NULL,
    comment     text NOT NULL,
    -- Who made the last change, and when.
    actor       text NOT NULL,
    changed_at  timestamptz NOT NULL,
    -- When the change ends by itself; NULL for no end.
    until       timestamptz,
    version     bigint NOT NULL,

    PRIMARY KEY (word),
    CONSTRAINT reserved_words_word CHECK (word ~ '^[a-z0-9_]{2,15}$'),
    CONSTRAINT reserved_words_match CHECK (match IN ('exact', 'lookalike', 'affix', 'none')),
    CONSTRAINT reserved_words_version CHECK (version > 0)
);

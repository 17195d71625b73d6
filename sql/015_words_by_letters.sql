-- Two more kinds of rows: words that match letter by letter, as the whole name or inside it. An earlier program stops at such a
-- row. Not valid at first, so that a row which others have written stops no upgrade.
ALTER TABLE reserved_words DROP CONSTRAINT reserved_words_kind;
ALTER TABLE reserved_words ADD CONSTRAINT reserved_words_kind CHECK (
    kind IN ('exact', 'lookalike', 'authority', 'affix', 'whole', 'inside', 'innocent', 'none')
) NOT VALID;

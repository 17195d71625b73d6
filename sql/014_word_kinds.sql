-- Two more kinds of rows: words that also match with an affix that claims authority, and innocent names, which are refused
-- only if they are a word themselves. The column has a new name, because an earlier program takes a kind that it doesn't
-- know for a word that was taken off: it stops at the column that it misses. Not valid at first, so that a row which others
-- have written stops no upgrade.
ALTER TABLE reserved_words DROP CONSTRAINT reserved_words_match;
ALTER TABLE reserved_words RENAME COLUMN match TO kind;
ALTER TABLE reserved_words ADD CONSTRAINT reserved_words_kind CHECK (
    kind IN ('exact', 'lookalike', 'authority', 'affix', 'innocent', 'none')
) NOT VALID;

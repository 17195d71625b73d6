-- Names that are held or in quarantine have no look-alikes either, so checks of many names need their keys too. Claimed
-- names have no end.
CREATE INDEX lookalikes_kept ON lookalikes (key) WHERE protector IS NOT NULL OR array_remove(ends, NULL) <> '{}';
DROP INDEX lookalikes_protected;

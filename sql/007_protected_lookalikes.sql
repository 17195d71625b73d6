-- Most keys are kept for no name. Checks of many names need only those that are, and find them here.
CREATE INDEX lookalikes_protected ON lookalikes (key) WHERE protector IS NOT NULL;

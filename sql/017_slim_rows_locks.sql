-- In place of the triggers, if all rows are copied in one transaction: no program reads or writes meanwhile.
LOCK TABLE lookalike_keys, handles, handle_events IN ACCESS EXCLUSIVE MODE;

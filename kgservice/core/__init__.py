"""What everything rests on: records, errors, keys, settings, the relation schema, files of the data folder."""

"""From settings to an open database, model and linker, and checks of what they stand on."""

"""A parsed English sentence: its clauses and names, and which statements it makes."""

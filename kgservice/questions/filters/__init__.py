"""What keeps a question from being asked: one filter a module, each rejection with its reason."""

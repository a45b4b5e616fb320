"""Where a question's evidence stands in its documents, and whether what anybody's retriever found covers it."""

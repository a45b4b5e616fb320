"""Names in texts: where one is mentioned, how it is spelled, and which names mean the same in a document."""

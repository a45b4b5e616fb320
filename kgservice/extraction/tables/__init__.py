"""Tables of documents: from rows and captions to facts."""

"""How a question reads: relations, classes and figures in English, and the templates of the patterns."""

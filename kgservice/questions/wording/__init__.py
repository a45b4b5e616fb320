"""The wording of questions: relations, classes and figures in English, and the templates of the patterns."""

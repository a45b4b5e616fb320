"""FRAMES' questions (Krishna et al., 2024), each over several Wikipedia articles."""

from __future__ import annotations

import ast
from typing import ClassVar

from loaders.benchmarks.question_set import QuestionSetLoader
from loaders.shared.fields import Json, Refused, string


class FramesLoader(QuestionSetLoader):
    """A loader of questions with answer, reasoning types and the articles' addresses.

    It reads test.tsv as published, or JSONL with the fields id, question, answer, reasoning_types and wiki_links.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".tsv", ".jsonl", ".ndjson")
    domain = "frames"
    key = "id"
    question = ("question",)
    kept = ("answer", "reasoning_types", "wiki_links")

    def record(self, row: Json) -> Json:
        """Return a row of test.tsv with the fields of JSONL. Raises Refused if it is another table."""
        named = {"question": "Prompt", "answer": "Answer", "id": ""}
        known = {name: row[column] for name, column in named.items() if column in row}
        try:
            links = ast.literal_eval(string(row, "wiki_links"))  # written as Python prints a list
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            links = None
        if not isinstance(links, list):
            raise Refused("unknown shape", 'the column "wiki_links" holds no list: is this a file of frames?')
        types = [kind.strip() for kind in string(row, "reasoning_types").split("|")]
        return known | {"reasoning_types": types, "wiki_links": [str(link) for link in links]}

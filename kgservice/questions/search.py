"""Questions by what they say, rest on and are about; those of most facts first, if wanted."""

from __future__ import annotations

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.core.records import Question, Record
from kgservice.graph.store import Graph
from kgservice.questions.question_store import Stored

MOST = 10_000  # facts of one question, in a cursor


class Wanted(Record):
    """Which questions; None and "" take all. `document` and `entity` are keys, `review` may be "none".

    `difficulty` is how many facts a reader has to join: "one", "two" or "more".
    """

    pattern: str | None = None
    state: str | None = None
    difficulty: str | None = None
    text: str = ""
    document: str | None = None
    entity: str | None = None
    review: str | None = None
    sort: str = "key"


def search(graph: Graph, corpus: str, wanted: Wanted, after: str, limit: int) -> list[Question]:
    """Return at most so many questions after a cursor, "" for the first ones (BadRequest for no cursor of ours)."""
    code = keys.corpus_code(corpus)
    steps, key = _place(after) if wanted.sort == "steps" else (None, keys.cursor(corpus, after))
    asked = wanted.model_dump() | {"text": wanted.text.lower().split(), "after": key, "steps": steps, "limit": limit}
    return [Stored(row).question for row in graph.read("questions/search", code=code, until=code + "~", **asked)]


def cursor(last: Question, sort: str) -> str:
    """Return the cursor behind a question."""
    return f"{len(last.facts)}:{last.id}" if sort == "steps" else last.id


def _place(after: str) -> tuple[int, str]:
    """How many facts the last question had, and its id."""
    if not after:
        return MOST, ""
    steps, _, key = after.partition(":")
    if not (steps.isascii() and steps.isdigit() and len(steps) < 6 and key):
        raise BadRequest(f"{after[:80]!r} is no `next` of a page before")
    return int(steps), key

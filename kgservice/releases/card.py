"""The data card of a release in Markdown: what is in it, where it comes from, and what was left out, why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import neo4j

from kgservice.core import keys
from kgservice.graph.store import Graph
from kgservice.releases.archive import Making

PAGE = 1_000
LICENCES = ("metadata_licence", "metadata_license")
HEAD = """\
# {corpus} {version}

{texts:,} passages of {documents:,} documents, {test:,} questions to be answered, each with exactly one answer in the
corpus. At most {per_pattern} questions a pattern, drawn with seed {seed}. The release before this one: {previous}.

| set | files | access |
|---|---|---|
| texts and questions | `public_texts.jsonl`, `public_questions.jsonl`; in BEIR's formats `beir/` | public |
| where the texts stand in their documents | `public_places.jsonl` | public |
| answers and evidence | `private/`, known to the service alone | private |
| train: questions with answers, no fact of which is asked about | `train.jsonl`, `beir/train/` | public |
| sandbox: some of them in the form of the whole benchmark | `sandbox/` | public |
| what changed | `changes.jsonl` | public |
| what the answers are, sealed, and a program that checks it | `commitments.jsonl`, `check_release.py` | public |

This is a benchmark: it should be in no training data. Its canary is {canary}
"""


def reasons(found: Iterable[str]) -> dict[str, int]:
    """Count reasons, most frequent first."""
    return dict(sorted(Counter(found).items(), key=lambda pair: (-pair[1], pair[0])))


def lines(graph: Graph, version: str, making: Making, canary: str) -> Iterator[str]:
    """Yield the lines of the card."""
    counts = making.counts
    known = making.model_dump() | {"version": version, "previous": making.previous or "none"}
    known |= {"texts": counts.texts, "documents": counts.documents, "test": sum(counts.test.values())}
    yield from HEAD.format(**known, canary=canary).splitlines()
    yield from _title("Questions", "pattern", "test", "train", "sandbox")
    for pattern in sorted(counts.test.keys() | counts.train.keys() | counts.sandbox.keys()):
        yield _row(pattern, *(part.get(pattern, 0) for part in (counts.test, counts.train, counts.sandbox)))
    yield from _documents(graph, making.corpus)
    yield from _title("Left out of the release", "reason", "questions")
    yield from (_row(*pair) for pair in counts.left_out.items())
    yield f"\n{counts.given:,} active questions = test + train + left out."
    yield from _title("Rejected and retired before", "pattern", "state", "reason", "questions")
    code = keys.corpus_code(making.corpus)
    for row in graph.read("questions/counts", code=code, until=code + "~"):
        if row["state"] != "active":
            yield _row(*row.values())


def _documents(graph: Graph, corpus: str) -> Iterator[str]:
    kinds, sources, licences = Counter[str](), Counter[str](), Counter[str]()
    days: list[str] = []
    for row in _stored(graph, corpus):
        known = row["document"]
        kinds[known["doc_type"]] += 1
        sources[known.get("domain") or "not stated"] += 1
        licences[next((str(known[name]) for name in LICENCES if known.get(name)), "not stated")] += 1
        days += [known["published"].iso_format()] if known.get("published") else []
    yield from _title("Sources", "", "documents")
    for what, found in (("type", kinds), ("domain", sources), ("licence", licences)):
        yield from (_row(f"{what}: {name}", number) for name, number in found.most_common())
    if days:
        yield f"\nPublished from {min(days)} to {max(days)}."


def _stored(graph: Graph, corpus: str) -> Iterator[neo4j.Record]:
    after = code = keys.corpus_code(corpus)
    while rows := graph.read("read/documents", after=after, until=code + "~", limit=PAGE):
        yield from rows
        after = rows[-1]["document"]["key"]


def _title(name: str, *columns: str) -> Iterator[str]:
    yield f"\n## {name}\n"
    yield _row(*columns)
    yield "|" + "---|" * len(columns)


def _row(*cells: object) -> str:
    told = (
        f"{cell:,}" if isinstance(cell, int) else str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells
    )
    return f"| {' | '.join(told)} |"

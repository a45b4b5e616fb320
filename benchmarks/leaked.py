"""How many copies of a release `kgservice leaked` finds, and how many clean pages it takes for one.

    .venv/bin/python benchmarks/leaked.py [--pages 1000] [--seed 0]

The release has half of the passages of 2WikiMultihopQA's corpus and half of its questions (those of odd places). A copy
stands in a page between two passages that the release does not have, verbatim or lightly edited: one word in ten is
dropped, doubled or replaced, a third is in lower case, a third without commas. Clean pages are of other sources
(MuSiQue's passages, news). Siblings are the other passages and questions of the same sources, of which some differ from
one of the release by a name and a year.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import time
from pathlib import Path
from typing import Any

from kgservice.releases.leaks import ForeignPage, Leak, Traces

DATA = Path(os.environ.get("KGS_TEST_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
CORPUS, QUESTIONS = "hipporag/2wikimultihopqa_corpus.jsonl.gz", "multihop-qa/2wiki_qa500_no_context.jsonl.gz"
OTHERS = "hipporag/musique_train100_corpus.jsonl.gz"
NEWS = "multihop-rag/passages_partial.jsonl.gz"
EDITED = 0.1  # of the words


def rows(name: str) -> list[dict[str, Any]]:
    """Return the records of a data file."""
    with gzip.open(DATA / name, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def edited(text: str, luck: random.Random) -> str:
    """Return a text with one word in ten changed, a third of them in lower case, a third without commas."""
    words: list[str] = []
    for word in text.split():
        if luck.random() < EDITED:
            words += luck.choice(([], [word, word], [luck.choice(("quite", "some", "indeed"))]))
        else:
            words.append(word)
    out = " ".join(words)
    return luck.choice((out, out.lower(), out.replace(",", "")))


def main() -> None:
    """Print the shares of copies that are found, and the number of clean pages, as one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if not (DATA / CORPUS).is_file():
        print(json.dumps({"skip": f"no {DATA / CORPUS}: KGS_TEST_DATA names the folder of public data"}))
        return
    luck = random.Random(given.seed)
    texts = [row["text"] for row in rows(CORPUS)]
    asked = [row["Question"] for row in rows(QUESTIONS)]
    held, clean = list(enumerate(texts))[1::2], texts[::2]
    questions, others = list(enumerate(asked))[1::2], asked[::2]
    start = time.perf_counter()
    traces = Traces(questions, held)
    made = time.perf_counter() - start

    def found(text: str, *, among: bool = True) -> Leak | None:
        first, last = luck.sample(clean, 2)
        return traces.find(ForeignPage("page", f"{first} {text} {last}" if among else text))

    out: dict[str, Any] = {"texts": len(held), "questions": len(questions), "seconds_index": round(made, 2)}
    start = time.perf_counter()
    for kind, pieces in (("texts", held), ("questions", questions)):
        chosen = luck.sample(pieces, min(given.pages, len(pieces)))
        for way in ("verbatim", "edited"):
            leaks = [(n, found(text if way == "verbatim" else edited(text, luck))) for n, text in chosen]
            right = sum(leak is not None and n in getattr(leak, kind) for n, leak in leaks)
            out[f"{kind}_{way}"] = round(right / len(chosen), 4)
    news = [row["text"] for row in rows(NEWS)]
    for kind, pages in (("clean", [row["text"] for row in rows(OTHERS)] + news), ("sibling", clean + others)):
        chosen = luck.sample(pages, min(given.pages, len(pages)))
        out[f"{kind}_pages"], out[f"{kind}_found"] = (
            len(chosen),
            sum(found(one, among=False) is not None for one in chosen),
        )
    out["seconds"] = round(time.perf_counter() - start, 2)
    print(json.dumps(out))


if __name__ == "__main__":
    main()

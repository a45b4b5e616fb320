"""What `ask` answers to public questions over their passages, which the default load has read: exact match and F1.

Beside it the same reader over BM25's passages. Questions asked of the passages of the other set have no answer there:
of these the share that is refused. The sets chose none of the reader's weights.
"""

from __future__ import annotations

import argparse
import json
import re
import string
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

from own_graph import own_graph
from reader import DATA, rows

from kgservice import Corpus, Settings

SETS = {
    "hotpotqa-train": "hipporag/hotpotqa_train100_queries.jsonl.gz",
    "2wiki-dev": "multihop-qa/2wikimultihopqa_dev200.jsonl.gz",
}
RETRIEVERS = ("graph", "bm25")


class PublicSet(NamedTuple):
    """Questions with their answers, and the passages of all, by title."""

    questions: list[tuple[str, str]]
    passages: dict[str, str]


def main() -> None:
    """Load both sets, ask, print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, help="only so many questions of each set")
    first = parser.parse_args().first
    if not (DATA / "multihop-qa").is_dir():
        print(json.dumps({"skip": f"no public data at {DATA}: KGS_TEST_DATA names its folder"}))
        return
    sets = {name: public_set(file, first) for name, file in SETS.items()}
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, own_graph(Path(folder)) as graph:
        corpora = {name: Corpus(name, graph, Settings(home=Path(folder))) for name in sets}
        for name, one in sets.items():
            texts = Path(folder) / name
            texts.mkdir()
            for at, (title, text) in enumerate(one.passages.items()):
                (texts / f"{at}.txt").write_text(f"{title}\n\n{text}\n", encoding="utf-8")
            corpora[name].load(texts)
        for name, one in sets.items():
            (other,) = (questions.questions for key, questions in sets.items() if key != name)
            found[name] = {"questions": len(one.questions), "passages": len(one.passages)}
            found[name] |= {way: answered(corpora[name], one.questions, way) for way in RETRIEVERS}
            unanswerable = [bool(corpora[name].ask(question).answer) for question, _ in other]
            found[name]["refused of what is not there"] = round(1 - sum(unanswerable) / len(unanswerable), 3)
    print(json.dumps(found))


def public_set(file: str, first: int | None) -> PublicSet:
    """Return the questions for a name, and the passages of all questions."""
    given = [row for row in rows(file) if row["context"]]
    wanted = [row for row in given if row["answer"] not in ("yes", "no") and "comparison" not in row["type"]]
    passages = {title: " ".join(one.strip() for one in said) for row in given for title, said in row["context"]}
    return PublicSet([(row["question"], row["answer"]) for row in wanted[:first]], passages)


def answered(corpus: Corpus, questions: list[tuple[str, str]], retriever: str) -> dict[str, float]:
    """Return exact match, F1, and the share of questions that got an answer."""
    said = [(corpus.ask(question, retriever).answer, answer) for question, answer in questions]
    exact = [words(one) == words(other) for one, other in said]
    return {
        "exact": round(sum(exact) / len(said), 3),
        "f1": round(sum(f1(one, other) for one, other in said) / len(said), 3),
        "answered": round(sum(bool(one) for one, _ in said) / len(said), 3),
    }


def words(answer: str) -> list[str]:
    """Return an answer's words as SQuAD compares them: without case, punctuation and articles."""
    plain = "".join(sign for sign in answer.lower() if sign not in string.punctuation)
    return re.sub(r"\b(?:a|an|the)\b", " ", plain).split()


def f1(one: str, other: str) -> float:
    """Return the F1 of the words of two answers."""
    shared = sum((Counter(words(one)) & Counter(words(other))).values())
    return 2 * shared / (len(words(one)) + len(words(other))) if shared else 0.0


if __name__ == "__main__":
    main()

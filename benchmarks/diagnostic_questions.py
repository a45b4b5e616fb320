"""What `ask` says to questions that test a system: nothing is stated, or something false is said by the way.

400 passages of HotpotQA (looked at while these patterns were made), read by the default load; beside them the questions
about one fact of the same passages. Right is a refusal where nothing is stated, and else what is stated.
"""

from __future__ import annotations

import json
import tempfile
from itertools import islice
from pathlib import Path
from typing import Any

from own_graph import own_graph
from reader import DATA, rows

from kgservice import Corpus, Settings
from kgservice.metrics.accuracy import accuracy
from kgservice.questions.patterns import DIAGNOSTIC
from kgservice.questions.selection import Plan
from kgservice.text.matching import matches

FILE, PASSAGES, QUESTIONS = "hipporag/hotpotqa_train100_corpus.jsonl.gz", 400, 100
REFUSAL = "not in these documents"


def main() -> None:
    """Load, generate, ask, print one JSON object."""
    if not (DATA / FILE).is_file():
        print(json.dumps({"skip": f"no public data at {DATA}: KGS_TEST_DATA names its folder"}))
        return
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, own_graph(Path(folder)) as graph:
        corpus = Corpus("hotpotqa", graph, Settings(home=Path(folder)))
        texts = Path(folder) / "texts"
        texts.mkdir()
        for at, row in enumerate(islice(rows(FILE), PASSAGES)):
            (texts / f"{at}.txt").write_text(f"{row['title']}\n{' '.join(row['sentences'])}\n", encoding="utf-8")
        corpus.load(texts)
        corpus.generate(Plan(patterns=("single", *DIAGNOSTIC)))
        for pattern in ("single", *DIAGNOSTIC):
            questions = corpus.questions(pattern)[:QUESTIONS]
            right = accuracy(matches(corpus.ask(one.question).answer or REFUSAL, one.answers) for one in questions)
            low, high = round(right.low, 3), round(right.high, 3)
            found[pattern] = {"right": right.correct, "of": right.of, "low": low, "high": high}
    print(json.dumps(found))


if __name__ == "__main__":
    main()

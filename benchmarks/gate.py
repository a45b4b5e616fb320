"""The gate's figures: equal verdicts under five chunkings, equal bytes, false alarms, power, and the demo's time.

    .venv/bin/python benchmarks/gate.py [--trials 1000] [--keep]

The corpus is the demo's, with its questions; the database is a managed one of its own (`--keep`: that of the settings).

- `same_text`: one ranker (BM25 over whole documents, the first three) hands over the text of its documents cut in five
  ways, 200, 500 and 2,000 characters, sentences, pages, as quotes with the title before each. The share of questions
  whose verdict (all evidence is there) is the same under all five.
- `own_chunks`: for information, a ranker that does depend on chunks: BM25 over sentences, and the chunk of each hit,
  best first until 4,000 characters are full. Other chunks then are another text, so verdicts may differ in truth.
- `bytes`: two runs of `kgservice gate --save` of another system (BM25 over chunks of its own, quotes) are compared.
- `false_alarms`: two runs of one system, each question's outcome turned round with a chance (a model's whims) in each
  run by itself, questions drawn anew with replacement; how often the gate fails of so many trials.
- `power`: the same with ten points of the questions, right ones, made wrong in the second run.
- `seconds`: `kgservice gate` of that system on the demo corpus, embedder and database warm, with wall and CPU seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

from langchain_text_splitters import RecursiveCharacterTextSplitter
from own_graph import Remembering, Silent

from kgservice.cli.tour import BASE
from kgservice.core.settings import Settings
from kgservice.gate.cases import QUESTIONS, Cases, of_corpus
from kgservice.gate.run import ALPHA, drop_tests, dropped
from kgservice.gate.verdict import CaseVerdict
from kgservice.gold.coverage import found
from kgservice.gold.found_passage import FoundPassage
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.ingest.sources import read
from kgservice.managed_neo4j import server
from kgservice.questions.selection import Plan, generate
from kgservice.releases.best_sentence import BestSentence
from kgservice.text.sentences import sentences

CORPUS, DOCUMENTS, BUDGET, DROP = "gate-benchmark", 3, 4_000, 0.1
WHIMS = (0.0, 0.02, 0.05)
Cut = Callable[[str], list[str]]
CUTS: dict[str, Cut] = {
    **{
        f"{size} characters": RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=size // 10).split_text
        for size in (200, 500, 2_000)
    },
    "sentences": lambda text: [text[start:end] for start, end in sentences(text)],
    "pages": lambda text: text.split("\f"),
}

RAG = '''"""A system of another make: BM25 over chunks of its own, quotes, and the best sentence as its answer."""
import json
from pathlib import Path

from kgservice.releases.best_sentence import BestSentence

_ROWS = map(json.loads, Path("texts.jsonl").read_text().splitlines())
_TEXTS = [(row["number"], row["title"], row["text"]) for row in _ROWS]
_SYSTEM = BestSentence(_TEXTS)


def answer(question):
    said, numbers = _SYSTEM(question)
    return {"answer": said, "passages": [_TEXTS[number][2] for number in numbers]}
'''


def main() -> None:
    """Load the demo corpus, measure, print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1_000)
    parser.add_argument("--keep", action="store_true", help="use the database of the settings")
    options = parser.parse_args()
    with _graph(options.keep) as (graph, known), TemporaryDirectory() as folder:
        asked = _loaded(graph)
        texts = {row["source"]: (row["title"] or "", "\n\n".join(row["texts"])) for row in _documents(graph)}
        figures = {"questions": len(asked.cases), "documents": len(texts), **chunkings(asked, texts)}
        figures |= whole(Path(folder), texts, known)
        figures |= trials([CaseVerdict.model_validate_json(line) for line in figures.pop("lines")], options.trials)
    print(json.dumps(figures))


def chunkings(asked: Cases, texts: dict[str, tuple[str, str]]) -> dict[str, Any]:
    """Return how often the verdicts under five chunkings agree."""
    names = list(texts)
    ranker = BestSentence(((at, texts[name][0], texts[name][1]) for at, name in enumerate(names)), k=DOCUMENTS)
    parts = {how: {name: cut(text) for name, (_, text) in texts.items()} for how, cut in CUTS.items()}
    same, own = dict[str, list[bool]](), dict[str, list[bool]]()
    chunks = {how: [(name, part) for name in names for part in parts[how][name]] for how in CUTS}
    finder = BestSentence(((at, texts[name][0], part) for at, (name, part) in enumerate(chunks["sentences"])), k=200)
    for how in CUTS:
        for one in asked.cases:
            best = [names[at] for at in ranker(one.question)[1]]
            quotes = [f"{texts[name][0]}\n\n{part}" for name in best for part in parts[how][name]]
            same.setdefault(how, []).append(_all(asked, one, quotes))
            hits = [chunks["sentences"][at] for at in finder(one.question)[1]]
            own.setdefault(how, []).append(_all(asked, one, _filled(hits, chunks[how])))
    pairs = [(a, b) for at, a in enumerate(CUTS) for b in list(CUTS)[at + 1 :]]
    return {
        "same_text": {
            "equal_under_all_five": _share(len({*row}) == 1 for row in zip(*same.values(), strict=True)),
            "found": {how: _share(row) for how, row in same.items()},
        },
        "own_chunks": {
            "least_equal_of_two": min(_share(x == y for x, y in zip(own[a], own[b], strict=True)) for a, b in pairs),
            "found": {how: _share(row) for how, row in own.items()},
        },
    }


def whole(folder: Path, texts: dict[str, tuple[str, str]], known: dict[str, str]) -> dict[str, Any]:
    """Run the command twice and compare the bytes; of the second run the time, when everything is warm."""
    rows, cut = [], CUTS["500 characters"]
    for title, text in texts.values():
        rows += [{"number": len(rows) + at, "title": title, "text": part} for at, part in enumerate(cut(text))]
    (folder / "texts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "rag.py").write_text(RAG)
    start = [sys.executable, "-c", "from kgservice.cli import app; app()"]
    command = [*start, "gate", "rag:answer", "-c", CORPUS, "--save", "--baseline"]
    walls, cpus = list[float](), list[float]()
    for name in ("one", "two"):
        begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*command, name], cwd=folder, env=os.environ | known, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        walls.append(time.monotonic() - begun)
        cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    one, two = ((folder / name).read_bytes() for name in ("one", "two"))
    return {
        "bytes_equal": one == two,
        "seconds": {"wall": round(walls[1], 1), "cpu": round(cpus[1], 1)},
        "lines": one.decode().splitlines()[1:],
    }


def trials(verdicts: Sequence[CaseVerdict], number: int) -> dict[str, Any]:
    """Return the shares of trials in which the gate fails, without a drop and with one."""
    figures: dict[str, Any] = {
        "gate_questions": len(verdicts),
        "right": _share(one.right is True for one in verdicts),
        "evidence": _share(one.found is True for one in verdicts),
        "false_alarms": {}, "power": {},
    }  # fmt: skip
    for whim in WHIMS:
        rng = random.Random(f"gate {whim}")
        for name, drop in (("false_alarms", 0.0), ("power", DROP)):
            fails = sum(_trial(verdicts, whim, drop, rng) for _ in range(number))
            figures[name][f"{whim:.0%}"] = round(fails / number, 4)
    return figures


def _trial(verdicts: Sequence[CaseVerdict], whim: float, drop: float, rng: random.Random) -> bool:
    """Draw questions, run them twice, and say whether the gate fails; the drop is of right answers."""
    rows = enumerate(rng.choices(verdicts, k=QUESTIONS))
    drawn = [one.model_copy(update={"id": f"{at}", "facts": (f"{at}",)}) for at, one in rows]
    well = [at for at, one in enumerate(drawn) if one.right]
    lost = {*rng.sample(well, min(len(well), round(drop * len(drawn))))}
    now = [one.model_copy(update={"right": one.right and at not in lost}) for at, one in enumerate(drawn)]
    pairs = [(_run(one, whim, rng), _run(two, whim, rng)) for one, two in zip(drawn, now, strict=True)]
    return dropped(drop_tests(pairs, ALPHA), ALPHA)


def _run(one: CaseVerdict, whim: float, rng: random.Random) -> CaseVerdict:
    """A run's outcome: an answer or a passage is another one by a whim."""
    turned = {name: value != (rng.random() < whim) for name, value in (("right", one.right), ("found", one.found))}
    return one.model_copy(update={name: value for name, value in turned.items() if getattr(one, name) is not None})


def _filled(hits: Sequence[tuple[str, str]], chunks: Sequence[tuple[str, str]]) -> list[str]:
    """The chunks that hold the sentences found, the best first, until the budget is full."""
    taken, size = dict[str, None](), 0
    for name, sentence in hits:
        chunk = next((part for source, part in chunks if source == name and sentence[:40] in part), None)
        if chunk is None or chunk in taken:
            continue
        if size + len(chunk) > BUDGET and taken:
            break
        taken[chunk], size = None, size + len(chunk)
    return list(taken)


def _all(asked: Cases, one: Any, quotes: Sequence[str]) -> bool:
    return found(one.gold, [FoundPassage(text=quote) for quote in quotes], asked.documents).all


def _share(values: Any) -> float:
    row = list(values)
    return round(sum(row) / len(row), 4)


def _documents(graph: Graph) -> list[Any]:
    keys = [row["key"] for row in graph.read("read/sources_of_corpus", corpus=CORPUS)]
    return graph.read("read/document_texts", keys=keys)


def _loaded(graph: Graph) -> Cases:
    graph.remove_corpus(CORPUS)
    with as_file(files("kgservice.demo")) as demo:
        paths = [demo / f"{name}.jsonl" for name in BASE]
        load(graph, read("triplets", paths), CORPUS, Recipe(), Remembering(), Silent())  # type: ignore[arg-type]
    generate(graph, CORPUS, Plan())
    return of_corpus(graph, CORPUS)


@contextmanager
def _graph(keep: bool) -> Iterator[tuple[Graph, dict[str, str]]]:
    """The database, and the settings by which a command finds it."""
    settings = Settings()
    if keep and settings.neo4j_uri:
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
        with Graph.open(settings.neo4j_uri, settings.neo4j_user, password) as graph:
            yield graph, {}
        return
    with TemporaryDirectory() as folder:
        running = server.start(Path(folder), settings.cache)
        try:
            with Graph.open(running.uri, "neo4j", running.password) as graph:
                yield graph, {"KGS_NEO4J_URI": running.uri, "KGS_NEO4J_PASSWORD": running.password, "KGS_HOME": folder}
        finally:
            server.stop(Path(folder))


if __name__ == "__main__":
    main()

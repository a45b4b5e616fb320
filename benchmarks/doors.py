"""Exports a corpus's questions and has them opened by mteb, ragas and inspect-ai, which the tools do not include.

    .venv/bin/python benchmarks/doors.py

MuSiQue's passages with triples by gpt-3.5, and their questions. `dense` is our retriever's nDCG@10 of the chunks that
hold evidence; `mteb` is the same by mteb's own search and measure over the exported files, with the same weights run by
sentence-transformers. doors_owners.py names the versions; `uv` installs them in an environment of its cache, so the
first run needs a network.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import fmean

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

from own_graph import Remembering, Silent, own_graph
from retrieval_sets import DATA

from kgservice.exchange.exchange_rows import Tables, qrels, tables
from kgservice.exchange.ragas_samples import write_ragas
from kgservice.exchange.trec import write_trec
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.ingest.sources import read
from kgservice.metrics.ranking import measures
from kgservice.questions.export.layouts import write_jsonl
from kgservice.questions.patterns import PATTERNS
from kgservice.questions.question_store import questions
from kgservice.questions.selection import Plan, generate
from kgservice.retrieval import retrieve
from kgservice.vectors.embedder import Embedder

FILE, CORPUS, LIMIT = "hipporag/musique_train100_openie_gpt35.jsonl.gz", "doors", 50
OUT = tuple(pattern for pattern in PATTERNS if pattern != "pluri_hop")  # these documents have no metadata
OWNERS = [str(ROOT / ".venv/bin/uv"), "run", "-q", "--no-project", "--script", str(ROOT / "benchmarks/doors_owners.py")]


def main() -> None:
    """Load, ask, export, measure here and there; print one JSON object."""
    if not (DATA / FILE).is_file():
        print(json.dumps({"skip": f"no {DATA / FILE}: KGS_TEST_DATA names the folder of public data"}))
        return
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-") as name, own_graph() as graph:
        folder, embedder = Path(name), Remembering()
        plain = folder / "passages.jsonl"
        plain.write_bytes(gzip.decompress((DATA / FILE).read_bytes()))
        load(graph, read("triplets", [plain]), CORPUS, Recipe(), embedder, Silent())
        generate(graph, CORPUS, Plan(patterns=OUT, limit=LIMIT, second_look=False))
        asked = list(questions(graph, CORPUS, state="active"))
        found = tables(graph, CORPUS, asked)
        write_trec(found, folder / "trec")
        write_ragas(found, folder / "ragas")
        (folder / "jsonl").mkdir()
        write_jsonl(asked, folder / "jsonl" / "questions.jsonl")
        ours = dense(graph, embedder, found)
        done = subprocess.run([*OWNERS, folder], capture_output=True, text=True, check=False, cwd=folder)
        if done.returncode:
            sys.exit(done.stderr[-2_000:])
        theirs = json.loads(done.stdout.splitlines()[-1])
        out = {"questions": len(asked), "texts": len(found.texts), "dense": ours, **theirs}
        out["mteb_minus_dense"] = round(theirs["mteb"]["ndcg@10"] - ours["ndcg@10"], 5)
        print(json.dumps(out))


def dense(graph: Graph, embedder: Embedder, found: Tables) -> dict[str, float]:
    """Return nDCG@10 and recall@10 of our dense retriever at the texts that hold evidence."""
    judged = qrels(found.evidence)
    rows = []
    for one in found.questions:
        hits = retrieve(graph, CORPUS, "dense", one["question"], 10, embedder)
        rows.append(measures([hit.chunk for hit in hits], judged[one["id"]], [10]))
    return {name: round(fmean(row[name] for row in rows), 5) for name in ("ndcg@10", "recall@10")}


if __name__ == "__main__":
    main()

"""The gate on a RAG that we did not write: LlamaIndex's starter example over Wikipedia passages, with faults planted.

    .venv/bin/python benchmarks/gate_llamaindex.py [--passages 120]

The RAG is the code of docs/gate.md, changed by nothing but the fault; its index is built anew in each run. HotpotQA's
passages are files of text, read by `kgservice load` and asked about by `kgservice questions generate`. Of the questions
that got worse, `named` is the share of which the gate shows a sentence of a document that was dropped.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

from retrieval_sets import DATA

FILE, CORPUS, DROPPED = "hipporag/hotpotqa_train100_corpus.jsonl.gz", "wiki", 0.2
COMMAND = [sys.executable, "-c", "from kgservice.cli import app; app()"]
CHANGES = {  # of the starter's code
    "unchanged": ("", ""),
    "one passage in place of two": ("as_retriever()", "as_retriever(similarity_top_k=1)"),
}


def main() -> None:
    """Load, ask, keep the baseline, plant each fault by itself, and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=120)
    passages = parser.parse_args().passages
    if not (DATA / FILE).is_file():
        print(json.dumps({"skip": f"no {DATA / FILE}: KGS_TEST_DATA names the folder of public data"}))
        return
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        os.environ |= {"KGS_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT)}
        try:
            print(json.dumps(measured(folder, passages)))
        finally:
            subprocess.run([*COMMAND, "neo4j", "stop"], check=False, capture_output=True)


def measured(folder: Path, passages: int) -> dict[str, Any]:
    """Return what the gate says of the starter example, unchanged and with each fault."""
    with gzip.open(DATA / FILE, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][:passages]
    (folder / "data").mkdir()
    for at, row in enumerate(rows):
        text = f"# {row['title']}\n\n{''.join(row['sentences']).strip()}\n"
        (folder / "data" / f"{at:04}.md").write_text(text, encoding="utf-8")
    said = json.loads(_kgs(folder, "load", "data", "-c", CORPUS, "--json").splitlines()[-1])
    _kgs(folder, "questions", "generate", "-c", CORPUS, "--json")
    code = starter()
    out: dict[str, Any] = {"documents": len(rows), "facts": said["facts"], "first": gate(folder, code, "--save")}
    for change, (old, new) in CHANGES.items():
        out[change] = gate(folder, code.replace(old, new) if old else code)
    dropped = random.Random(0).sample(sorted((folder / "data").iterdir()), round(DROPPED * len(rows)))
    for file in dropped:
        file.unlink()
    found = gate(folder, code, lost={f"data/{file.name}" for file in dropped})
    return out | {f"{DROPPED:.0%} of the documents dropped": found}


def starter() -> str:
    """Return the example's code as docs/gate.md has it."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "gate.md").read_text(encoding="utf-8"), re.DOTALL)
    return next(block for block in blocks if "VectorStoreIndex" in block)


def gate(folder: Path, code: str, *options: str, lost: set[str] | None = None) -> dict[str, Any]:
    """Run the gate on the code as rag.py, and return its decision, its figures and why questions got worse."""
    (folder / "rag.py").write_text(code, encoding="utf-8")
    start = time.monotonic()
    command = [*COMMAND, "gate", "rag:retriever", "-c", CORPUS, "--json", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout.startswith("{"):
        sys.exit(done.stderr[-2_000:])
    run = json.loads(done.stdout)
    test = run["tests"].get("evidence", {})
    why = Counter(one["verdict"]["why"] for one in run["worse"])
    out = {
        "status": done.returncode, "questions": len(run["verdicts"]), "evidence": round(run["means"]["evidence"], 4),
        "worse": len(run["worse"]), "better": run["better"], "why": why,
        "seconds": round(time.monotonic() - start, 1),
    } | {name: round(test[name], 6) for name in ("p", "power") if name in test}  # fmt: skip
    if lost is not None:
        shown = [{missing.split(":")[0] for missing in one["told"]["missing"]} for one in run["worse"]]
        out["named"] = round(sum(bool(lost & one) for one in shown) / max(len(shown), 1), 4)
        out["example"] = run["worse"][0]["verdict"]["question"], run["worse"][0]["told"]["missing"]
    return out


def _kgs(folder: Path, *words: str) -> str:
    done = subprocess.run([*COMMAND, *words], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr[-2_000:]}")
    return done.stdout


if __name__ == "__main__":
    main()

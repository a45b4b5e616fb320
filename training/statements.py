"""Trains the statement readers on statements that we judged, and writes them where the wheel carries them.

One is for companies' reports and learns from all texts; the other learns from all but reports.

Readers with all six layers of MiniLM learn from what was judged (judged_open.jsonl, judged.jsonl) first; the packaged
one has four and learns from their mean opinion too. One text in four teaches nothing: those fit how far the reader is
believed (benchmarks/confidence_fit.py). Half an hour or so on two cores (an estimate).

The weights in the tree are of scripts older than this one, which asked the larger readers of some thousand statements
that nobody judged as well; those of reports have also learnt what the relation reader means there.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from coreference import part_of
from reader import DATA, DEVICE, WARM, arguments
from reader_files import write_weights
from reader_model import Model, Prepared
from relation_data import check_data
from scipy.special import expit
from sklearn.metrics import roc_auc_score
from torch import Tensor, nn

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "kgservice" / "extraction" / "readers"
BATCH = 64
OPINION = 0.6  # how much of what the packaged reader learns is what larger ones think
LARGER, PACKAGED = {"encoder": 1e-4, "head": 5e-4}, {"encoder": 2e-4, "head": 7e-4}  # rates of learning


class Lesson(NamedTuple):
    """A statement as numbers, its target whether it is usable; `held` ones teach nothing."""

    prepared: Prepared
    held: bool
    report: bool  # of a company's report


def main() -> None:
    """Train the larger and then the packaged reader of each kind, measure them on held texts, and write."""
    options = arguments(__doc__)
    options.add_argument("--news", type=Path, help="a folder of judged texts not in the data (see reader.py)")
    options.add_argument("--target", type=Path, default=TARGET)
    options.add_argument("--readers", type=int, default=6)
    options.add_argument("--epochs", type=float, nargs=2, default=(6, 7), help="of larger readers, of the packaged one")
    given = options.parse_args()
    check_data(DATA)
    torch.set_num_threads(given.threads)
    every = lessons(given.news)
    for report, name in ((False, "statements"), (True, "report_statements")):
        train = [one.prepared for one in every if not one.held and one.report <= report]
        held = [one.prepared for one in every if one.held and one.report == report]
        model = taught(
            random.Random(given.seed).sample(train, min(given.sentences or len(train), len(train))), held, given
        )
        write_weights(model.cpu(), given.target / name)


def taught(train: list[Prepared], held: list[Prepared], given: argparse.Namespace) -> Model:
    """Return a packaged reader that has learnt what was judged and what larger readers think of it."""
    thought = np.zeros(len(train))
    for seed in range(given.seed, given.seed + given.readers):
        larger = trained(6, train, given.epochs[0], LARGER, seed)
        thought += scores(larger, train) / given.readers
        print(f"larger reader {seed}", _measured(larger, held), flush=True)
    opinions = torch.from_numpy(expit(thought)).float()
    mixed = [
        one._replace(targets=(1 - OPINION) * one.targets + OPINION * opinion)
        for one, opinion in zip(train, opinions, strict=True)
    ]
    model = trained(4, mixed if given.readers else train, given.epochs[1], PACKAGED, given.seed)
    print(json.dumps({"taught by": len(train), "held": len(held), "area": _measured(model, held)}))
    return model


def lessons(news: Path | None) -> list[Lesson]:
    """Return the judged statements of which the reader can be asked."""
    from confidence_fit import judged_cases  # imports scikit-learn and the whole reader

    return [
        Lesson(
            Prepared(encoded.ids, encoded.kinds, encoded.spans, [pair], torch.tensor([[float(case.row["usable"])]])),
            held=case.held,
            report=case.row["genre"] == "filings",
        )
        for case in judged_cases(news)
        if case.seen is not None
        for encoded, pair in [case.seen]
    ]


def trained(layers: int, every: list[Prepared], epochs: float, rates: dict[str, float], seed: int) -> Model:
    """Return a reader of so many layers that has learnt."""
    torch.manual_seed(seed)
    model, draw = Model(layers, ["usable"]), random.Random(seed)
    nn.init.zeros_(model.head.relations.bias)
    model.to(DEVICE).train()
    groups = [
        {"params": [value for name, value in model.named_parameters() if value.requires_grad and part_of(name) == part],
         "lr": rate} for part, rate in rates.items()
    ]  # fmt: skip
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    steps, at = max(1, int(epochs * len(every) / BATCH)), 0
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda at: min((at + 1) / (WARM * steps), 1 - at / steps))
    while at < steps:
        order = sorted(every, key=lambda one: len(one.ids) + draw.random() * 8)
        batches = [order[first : first + BATCH] for first in range(0, len(order), BATCH)]
        draw.shuffle(batches)
        for batch in batches[: steps - at]:
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                found = model(batch).float()
            loss = nn.functional.binary_cross_entropy_with_logits(found, _targets(batch).to(DEVICE))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            rate.step()
            at += 1
    return model.eval()


def scores(model: Model, every: list[Prepared]) -> np.ndarray:
    """Return the log odds of each statement."""
    with torch.no_grad():
        parts = [model(every[first : first + BATCH]).float().cpu() for first in range(0, len(every), BATCH)]
    return torch.cat(parts)[:, 0].numpy()


def _targets(batch: list[Prepared]) -> Tensor:
    return torch.cat([one.targets for one in batch])


def _measured(model: Model, held: list[Prepared]) -> float:
    """Return the area under the curve of true and false positives on held statements."""
    return round(float(roc_auc_score(_targets(held)[:, 0].numpy(), scores(model, held))), 3)


if __name__ == "__main__":
    main()

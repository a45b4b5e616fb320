"""Trains the coreference reader on pronouns whose names are known, and writes it where the wheel carries it.

It learns from passages in which we marked what each pronoun and each "the company" means (meant.jsonl); from names that
a text repeats, each replaced by a pronoun; and from what two larger readers, BERT base taught the same, think of
pronouns that nobody marked (meant_opinions.npz). Each name gets a score, that none is meant is 0, and what is right
should have all of the softmax (Lee et al. 2017). An hour or so on two cores (an estimate).
"""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from coreference_data import MARKS, Known, Passage, labels, marked, marks_of, passages, replaced
from reader import DATA, DEVICE, WARM, arguments
from reader_files import write_weights
from reader_model import Model, Prepared
from relation_data import check_data
from sklearn.linear_model import LogisticRegression
from torch import Tensor, nn

from kgservice.extraction.readers.coreference_reader import (
    MAX_ENDS,
    NO_NAMES,
    Calibration,
    Window,
    asks,
    pieces,
    window,
)
from kgservice.extraction.readers.sentence_encoder import encode, vocabulary

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "kgservice" / "extraction" / "readers" / "coreference"
OPINIONS = HERE / "meant_opinions.npz"
OFTEN = {"marked": 4, "replaced": 1, "unmarked": 1}  # times that a window is read in an epoch
BATCH = 64
RATES = {"encoder": 1.7e-4, "head": 7e-4}
HOW = (
    "training/coreference.py on the pronouns of 2,177 passages that we marked, on 13,141 names that a pronoun replaces "
    "and on what BERT base (Apache-2.0) thinks of 34,142 other pronouns, from all-MiniLM-L6-v2 (Apache-2.0); see "
    "training/NOTICE"
)


class Asked(NamedTuple):
    """A window, the ends that are asked about, the names that they may mean, and which of these each does mean.

    `means` has a row for each asked end and a column for each name and for none of them; `sort` says how it is known.
    """

    prepared: Prepared
    names: list[str]
    means: Tensor
    sort: str


def main() -> None:
    """Train, calibrate and measure on texts that are held out, and write."""
    options = arguments(__doc__)
    options.add_argument("--target", type=Path, default=TARGET)
    options.add_argument("--layers", type=int, default=4)
    options.add_argument("--epochs", type=float, default=12)
    given = options.parse_args()
    check_data(DATA)
    torch.set_num_threads(given.threads)
    torch.manual_seed(given.seed)
    rows = [json.loads(line) for line in MARKS.read_text(encoding="utf-8").splitlines()]
    held = {row["source"] for row in rows if row["held"]}
    marks, draw = marks_of(rows), random.Random(given.seed)
    opinions, lessons, measured = _opinions(), list[Asked](), list[Asked]()
    for passage in passages(DATA):
        known = list(_asked("marked", *marked(passage, marks)))
        if passage.source in held:
            measured += known
        else:
            lessons += [*known, *_asked("replaced", *replaced(passage, draw)), *_unmarked(passage, opinions)]
    lessons = draw.sample(lessons, min(given.sentences or len(lessons), len(lessons)))
    print({sort: sum(one.sort == sort for one in lessons) for sort in OFTEN}, len(measured), flush=True)
    model = Model(given.layers, ["means"])
    nn.init.zeros_(model.head.relations.bias)
    _train(model.to(DEVICE), lessons, given.epochs, draw)
    model.cpu().eval()
    likely, right, named = _measured(model, measured)
    odds = np.log(likely / (1 - likely))[:, None]
    fitted = LogisticRegression(C=1e6).fit(odds, right)
    for least in (0.5, 0.7, 0.8, 0.9):
        kept = fitted.predict_proba(odds)[:, 1] >= least
        print(
            least,
            {"precision": round(float(right[kept].mean()), 3), "recall": round(float(right[kept].sum() / named), 3)},
        )
    write_weights(model, given.target)
    found = Calibration(how=HOW, slope=round(fitted.coef_[0, 0], 3), offset=round(fitted.intercept_[0], 3))
    (given.target / "coreference.json").write_text(json.dumps(found.model_dump(), indent=1) + "\n", encoding="utf-8")


def _unmarked(passage: Passage, opinions: dict[int, np.ndarray]) -> Iterator[Asked]:
    """Yield the windows of which larger readers were asked, with what they think."""
    for at in range(len(passage.met)):
        seen = window(pieces, passage.title, passage.met, at)
        asked = [end for end in range(seen.first, len(seen.ends)) if asks(seen.text, seen.ends[end])]
        likely = {end: found for end in asked if (found := opinions.get(pronoun_key(seen, end))) is not None}
        for one in _asked("unmarked", Known(seen, dict.fromkeys(likely, ""))) if likely else ():
            if all(len(found) == one.means.shape[1] for found in likely.values()):
                yield one._replace(means=torch.from_numpy(np.stack([likely[end] for end in sorted(likely)])))


def pronoun_key(seen: Window, end: int) -> int:
    """Return the number of a pronoun in its window, 64 bits."""
    words = json.dumps([seen.text, seen.ends[end][:2]]).encode()
    return int.from_bytes(hashlib.blake2b(words, digest_size=8).digest(), "big")


def _opinions() -> dict[int, np.ndarray]:
    """Return the probabilities that larger readers gave the names before a pronoun, and last that none is meant."""
    with np.load(OPINIONS) as stored:
        keys, sizes, likely = (stored[name] for name in ("pronouns", "names", "likely"))
    parts = np.split(likely.astype(np.float32) / 255, sizes.astype(np.int64).cumsum()[:-1])
    return dict(zip(keys.tolist(), parts, strict=True))


def _asked(sort: str, *known: Known) -> Iterator[Asked]:
    """Yield windows as numbers, but those that are cut off or name nothing."""
    for seen, said in known:
        encoded = encode(vocabulary()[0], seen.text, [end[:3] for end in seen.ends], MAX_ENDS)
        names = [end for end in encoded.ends if seen.ends[end].kind not in NO_NAMES]
        if not names or len(encoded.ends) < len(seen.ends):
            continue
        found, asked = labels(seen, names), sorted(said)
        means = torch.zeros(len(asked), len(names) + 1)
        for row, end in zip(means, asked, strict=True):
            meant = [at for at, label in enumerate(found) if label == said[end]]
            row[meant or [len(names)]] = 1
        pairs = [(end, name) for end in asked for name in names]
        yield Asked(Prepared(encoded.ids, encoded.kinds, encoded.spans, pairs, torch.zeros(0)), found, means, sort)


def _train(model: Model, lessons: list[Asked], epochs: float, draw: random.Random) -> None:
    groups = [
        {"params": [value for name, value in model.named_parameters() if value.requires_grad and part_of(name) == part],
         "lr": rate} for part, rate in RATES.items()
    ]  # fmt: skip
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    every = [one for one in lessons for _ in range(OFTEN[one.sort])]
    steps, at, started, total = max(1, int(epochs * len(every) / BATCH)), 0, time.monotonic(), 0.0
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda at: min((at + 1) / (WARM * steps), 1 - at / steps))
    model.train()
    while at < steps:
        order = sorted(every, key=lambda one: len(one.prepared.ids) + draw.random() * 8)
        batches = [order[first : first + BATCH] for first in range(0, len(order), BATCH)]
        draw.shuffle(batches)
        for batch in batches[: steps - at]:
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                found = model([one.prepared for one in batch]).float()[:, 0]
            losses = [_loss(own, one) for own, one in zip(_rows(found, batch), batch, strict=True)]
            optimizer.zero_grad()
            torch.cat(losses).mean().backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            rate.step()
            at, total = at + 1, total + float(torch.cat(losses).detach().mean())
            if at % 50 == 0:
                print(f"{at}/{steps} loss {total / 50:.3f} {time.monotonic() - started:.0f} s", flush=True)
                total = 0.0


def part_of(name: str) -> str:
    """Return which part of a model a weight of this name is in, encoder or head."""
    return "encoder" if name.startswith("encoder") else "head"


def _rows(scores: Tensor, batch: list[Asked]) -> Iterator[Tensor]:
    """Yield the scores of each window: a row for each end asked about, the last column that none is meant."""
    first = 0
    for one in batch:
        own = scores[first : first + len(one.prepared.pairs)].view(len(one.means), -1)
        first += len(one.prepared.pairs)
        yield torch.cat([own, own.new_zeros(len(own), 1)], dim=1)


def _loss(scores: Tensor, one: Asked) -> Tensor:
    """What is known counts by all the names that are right, an opinion by each."""
    means = one.means.to(scores.device)
    if one.sort == "unmarked":
        return -(means * scores.log_softmax(dim=1)).sum(dim=1)
    return torch.logsumexp(scores, dim=1) - torch.logsumexp(scores.masked_fill(means == 0, -1e4), dim=1)


def _measured(model: Model, found: list[Asked]) -> tuple[np.ndarray, np.ndarray, int]:
    """Return how likely the best name of each end asked about is, whether it is right, and how many ends have one."""
    likely, right, named = [], [], 0
    for one in found:
        with torch.no_grad():
            (scores,) = _rows(model([one.prepared])[:, 0], [one])
        for chances, means in zip(scores.softmax(dim=1).tolist(), one.means.tolist(), strict=True):
            sums = defaultdict[str, float](float)
            for label, chance in zip(one.names, chances, strict=False):
                sums[label] += chance
            best = max(sums, key=lambda label: sums[label])
            likely.append(min(max(sums[best], 1e-6), 1 - 1e-6))
            right.append(any(label == best and means[at] for at, label in enumerate(one.names)))
            named += not means[-1]
    return np.array(likely), np.array(right), named


if __name__ == "__main__":
    main()

"""Trains the relation reader on texts whose facts people have marked, and writes it where the wheel carries it.

Two kinds of sentences are of this project, most of them of news and filings, which no set has: of some, all that they
state was marked (marked.jsonl); of others, what a reader before meant was judged (judged_pairs.jsonl,
judged_open.jsonl).

The packaged MiniLM reads a sentence once, told which words are which kind of name; each ordered pair of names then asks
the sentence's words what joins the two. Word embeddings stay as they are in the package. It also learns what larger
readers think (opinions.npz, see teacher.py), of marked sentences and of 31,415 others. Two hours or so on two cores
(an estimate), a few minutes where there is an accelerator.

The weights in the tree are of two steps: what this program made without judged_open.jsonl, and a script that taught it
on, of single relations of two ends: judged ones and those of marked sentences, mixed with what four larger readers
thought that read a relation's label before the sentence; what no reader had meant stayed as improbable as before.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from exchanged_names import NameExchange
from opinions import Opinions, asked
from reader_data import Example, examples, judged, marked, unmarked
from reader_files import write
from reader_model import Model, Prepared
from relation_data import (
    SCHEMA,
    SYMMETRIC,
    check_data,
    held_out,
    judged_texts,
    more_texts,
    other_judged_texts,
    training,
)
from scipy.optimize import minimize
from scipy.special import expit
from torch import Tensor, nn

from kgservice.extraction.readers.relation_reader import RelationReader, Taught
from kgservice.extraction.readers.sentence_encoder import Encoded

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "kgservice" / "extraction" / "readers" / "relations"
JUDGED = HERE / "judged_pairs.jsonl"
MARKED = HERE / "marked.jsonl"
OPEN = HERE / "judged_open.jsonl"
OPINIONS = HERE / "opinions.npz"
DATA = Path(os.environ.get("KGS_TEST_DATA", HERE.parents[1] / "shared" / "data"))
MIN_FACTS = 15  # to learn a relation from
MARKED_FACTS = 50  # that people marked, to doubt what rules state from
OFTEN = {"judged": 3, "marked": 2}  # times that a sentence is read where another is read once
DECIDED = 0.9  # probability by which the packaged form is compared with the trained one
ASIDE = 8  # one text of so many is for calibration
PRIOR = 4.0  # how strongly a relation's calibration is held to all relations'
BATCH = 64  # sentences
HOW = (
    "training/reader.py on KnowledgeNet folds 1 and 2 (CC BY-SA 4.0), Re-DocRED dev without its last 150 documents, "
    "FewRel validation and ParaRel (MIT), {marked} sentences that we marked and {judged} that we judged, and what BERT "
    "base (Apache-2.0) thinks of these and of others, from all-MiniLM-L6-v2 (Apache-2.0); see training/NOTICE"
)
NAMES = (0.6, 0.2, 0.2)  # share of the sentences read with their own names, with others, with made-up ones
RATES = {False: 2e-4, True: 7e-4}  # of the encoder, of what is new
WARM = 0.06  # of the steps
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Lessons(NamedTuple):
    """What readers learn from, by what people said, and what measures them; `aside` is for calibration."""

    train: list[Example]
    aside: list[Example]
    held: dict[str, list[Example]]
    relations: list[str]
    marked: frozenset[str]  # relations of which people marked enough
    unmarked: list[Example]  # of which nobody said anything
    how: str  # what they are of


def main() -> None:
    """Train, calibrate on a part that is not trained on, measure on what is held out, and write."""
    options = arguments(__doc__)
    add_texts(options)
    options.add_argument("--target", type=Path, default=TARGET)
    options.add_argument("--layers", type=int, default=4)
    options.add_argument("--epochs", type=float, default=6)
    options.add_argument("--trained", type=Path, help="the state of a training before, as --cache keeps it")
    given = options.parse_args()
    lessons, opinions = lessons_of(given), Opinions(OPINIONS)
    before = torch.load(given.trained, map_location="cpu") if given.trained else None
    model = Model(given.layers, before["names"] if before else lessons.relations)
    parts = _parts(model, lessons, random.Random(given.seed))
    if before:
        model.load_state_dict(before["state"])
    else:
        train = [*lessons.train, *asked(opinions, lessons.unmarked)]
        known = sum(one in opinions for one in lessons.train)
        print(
            f"opinions: of {known} of {len(lessons.train)} lessons, {len(train) - len(lessons.train)} other sentences"
        )
        draw, kept = random.Random(given.seed), given.cache / "model.pt" if given.cache else None
        train = draw.sample(train, min(given.sentences or len(train), len(train)))
        train_model(model.to(DEVICE), train, opinions, given.epochs, RATES, draw, kept)
    model.cpu().eval()
    fitted = _fitted(model, parts["calibration"], lessons)
    for name, found in parts.items():
        print(name, json.dumps(_measured(model, found, fitted)), flush=True)
    write(model, fitted, given.target)
    print("in 8 bits", json.dumps(_lost(model, given.target, parts["knowledgenet"])))


def arguments(about: str | None) -> argparse.ArgumentParser:
    """Return the options that the training of readers and of larger ones share."""
    options = argparse.ArgumentParser(description=about)
    options.add_argument("--sentences", type=int, default=0, help="train on so many alone, to try things")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--seed", type=int, default=0)
    return options


def add_texts(options: argparse.ArgumentParser) -> None:
    """Add the options of what `lessons_of` reads."""
    options.add_argument("--cache", type=Path, help="where parsed sentences are kept between runs")
    options.add_argument(
        "--news", type=Path, help="a folder of judged texts not in the data: SOURCE.txt, filings SOURCE.pdf"
    )


def lessons_of(given: argparse.Namespace) -> Lessons:
    """Read all sentences to learn from; what is held out is in none of them."""
    check_data(DATA)
    torch.set_num_threads(given.threads)
    torch.manual_seed(given.seed)
    texts, rows = list(judged_texts(DATA)), _rows(MARKED)
    meant = [row for row in _rows(OPEN) if row["relation"] in SCHEMA.relations and not row.get("held")]
    told = judged([*_rows(JUDGED), *meant], [*texts, *(text for _, text in other_judged_texts(DATA, given.news))])
    own = marked([row for row in rows if not row["held"]], texts)
    print(f"sentences: {len(own)} marked, {len(told)} judged ({len(meant)} rows of judged_open.jsonl; --news has more)")
    held = {name: examples(name, found, given.cache) for name, found in held_out(DATA).items()}
    held["marked"] = marked([row for row in rows if row["held"]], texts)
    learnt = [*examples("training", training(DATA), given.cache), *told, *own]
    sources = sorted({one.source for one in learnt if not one.open})
    random.Random(0).shuffle(sources)  # with each seed the same: what calibrates a reader has taught no larger one
    aside = set(sources[: len(sources) // ASIDE])
    known = {one.text for one in (*learnt, *(one for found in held.values() for one in found))}
    others = unmarked([*texts, *more_texts(DATA)], given.cache)
    return Lessons(
        train=[one for one in learnt if one.source not in aside for _ in range(_times(one))],
        # sentences made of phrases are easier than any that people write
        aside=[one for one in learnt if one.source in aside and not one.source.startswith("phrases")],
        held=held,
        relations=_relations(learnt),
        marked=_marked(learnt),
        unmarked=[one for one in others if one.text not in known],
        how=HOW.format(marked=len(own), judged=len(told)),
    )


def _parts(model: Model, lessons: Lessons, draw: random.Random) -> dict[str, list[Prepared]]:
    """What measures and what calibrates, as numbers; of what measures also with made-up names."""
    names, parts = NameExchange(lessons.train), {**lessons.held}
    for name, found in lessons.held.items():
        parts[f"{name}, names made up"] = [names.exchanged(one, True, draw) for one in found]
    parts["calibration"] = lessons.aside
    prepared = {name: [model.prepared(one) for one in found] for name, found in parts.items()}
    return {name: [one for one in found if one.pairs] for name, found in prepared.items()}


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _times(one: Example) -> int:
    return OFTEN.get(one.source.partition("-")[0], 1)


def _relations(learnt: list[Example]) -> list[str]:
    """The relations of which there is enough to learn them from."""
    counts = _counts(learnt)
    return [name for name in SCHEMA.relations if counts[name] >= MIN_FACTS]


def _marked(learnt: list[Example]) -> frozenset[str]:
    """The relations of which texts that people wrote and marked have enough."""
    counts = _counts(one for one in learnt if not one.source.startswith(("phrases", "pararel")))
    return frozenset(name for name, count in counts.items() if count >= MARKED_FACTS)


def _counts(learnt: Iterable[Example]) -> Counter[str]:
    return Counter(relation for one in learnt for found in one.facts.values() for relation in found)


def train_model(
    model: Model, train: list[Example], opinions: Opinions | None, epochs: float, rates: dict[bool, float],
    draw: random.Random, kept: Path | None = None,
) -> None:  # fmt: skip
    """Train with a rate that falls linearly; sentences of like length share a batch.

    Each time it is read, a sentence has its own names or others: a reader that has only met well-known ones learns who
    goes with whom, and is lost among names that nobody has heard of.
    """
    names = NameExchange(train)
    trained = [(name, value) for name, value in model.named_parameters() if value.requires_grad]
    groups = [
        {"params": [value for name, value in trained if name.startswith("encoder") != new], "lr": rates[new]}
        for new in (False, True)
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    steps = max(1, int(epochs * len(train) / BATCH))
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda at: min((at + 1) / (WARM * steps), 1 - at / steps))
    started, at, total = time.monotonic(), 0, 0.0
    model.train()
    while at < steps:
        for batch in _batches(_prepared(model, train, opinions, names, draw), draw)[: steps - at]:
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                scores = model(batch).float()
            targets = torch.cat([one.targets for one in batch]).to(DEVICE)
            known = targets >= 0
            loss = nn.functional.binary_cross_entropy_with_logits(scores[known], targets[known], reduction="sum")
            optimizer.zero_grad()
            (loss / len(batch)).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            rate.step()
            at, total = at + 1, total + loss.item() / len(batch)
            if at % 50 == 0:
                print(f"{at}/{steps} loss {total / 50:.3f} {time.monotonic() - started:.0f} s", flush=True)
                total = 0.0
                _keep(model, kept)
    _keep(model, kept)


def _keep(model: Model, path: Path | None) -> None:
    if path is not None:
        torch.save({"names": model.names, "state": model.state_dict()}, path)


def _prepared(
    model: Model, train: list[Example], opinions: Opinions | None, names: NameExchange, draw: random.Random
) -> list[Prepared]:
    found = []
    for one in train:
        kind = draw.choices(("own", "other", "made up"), NAMES)[0]
        opinion = opinions.of(one) if opinions is not None else None
        other = one if kind == "own" else names.exchanged(one, kind == "made up", draw)
        found.append(model.prepared(other, opinion))
    return [one for one in found if one.pairs]


def _batches(train: list[Prepared], draw: random.Random) -> list[list[Prepared]]:
    order = sorted(train, key=lambda one: len(one.ids) + draw.random() * 8)
    batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
    draw.shuffle(batches)
    return batches


def _scored(model: Model, found: list[Prepared]) -> tuple[Tensor, Tensor]:
    """The scores of all pairs, and what is known of them."""
    ordered = sorted(found, key=lambda one: len(one.ids))
    batches = [ordered[start : start + BATCH] for start in range(0, len(ordered), BATCH)]
    with torch.no_grad():
        scores = [model(batch) for batch in batches]
    return torch.cat(scores), torch.cat([one.targets for one in ordered])


def _fitted(model: Model, found: list[Prepared], lessons: Lessons) -> Taught:
    """Fit what makes scores probabilities: a slope for all relations, an offset each, held to the mean of all."""
    scores, targets = (one.numpy().astype(float) for one in _scored(model, found))
    known = targets >= 0
    count = len(model.names)

    def cost(x: np.ndarray) -> tuple[float, np.ndarray]:
        slope, mean, offsets = x[0], x[1], x[2:]
        logits = slope * scores + mean + offsets
        wrong = np.where(known, 1 / (1 + np.exp(-logits)) - targets, 0.0)
        total = np.where(known, np.logaddexp(0, logits) - targets * logits, 0.0).sum() + PRIOR * (offsets**2).sum()
        each = wrong.sum(axis=0)
        return total, np.concatenate([[(wrong * scores).sum(), each.sum()], each + 2 * PRIOR * offsets])

    best = minimize(cost, np.concatenate([[1.0, 0.0], np.zeros(count)]), jac=True, method="L-BFGS-B").x
    return Taught(
        how=lessons.how,
        relations=tuple(model.names),
        dated=tuple("date" in SCHEMA.relations[name].range for name in model.names),
        symmetric=tuple(name in SYMMETRIC for name in model.names),
        marked=tuple(name in lessons.marked for name in model.names),
        slopes=(round(float(best[0]), 4),) * count,
        offsets=tuple(round(float(one), 4) for one in best[1] + best[2:]),
    )


def _encoded(one: Prepared) -> Encoded:
    return Encoded(one.ids, one.kinds, one.spans, [])


def _measured(model: Model, found: list[Prepared], fitted: Taught) -> dict[str, dict[str, float]]:
    """Precision and recall over pairs of given ends, by threshold."""
    scores, targets = (one.numpy() for one in _scored(model, found))
    likely = 1 / (1 + np.exp(-(scores * fitted.slopes[0] + np.array(fitted.offsets))))
    result = {}
    for threshold in (0.5, 0.6, 0.7, 0.8, 0.9):
        kept, right = (likely >= threshold) & (targets >= 0), targets == 1
        both = float((kept & right).sum())
        precision, recall = both / max(kept.sum(), 1), both / right.sum()
        result[str(threshold)] = {"precision": round(float(precision), 3), "recall": round(float(recall), 3)}
    return result


def _lost(model: Model, folder: Path, found: list[Prepared]) -> dict[str, float]:
    """How far the packaged form is from the trained one: the mean difference of likely ones, decisions that differ."""
    reader, apart, kept, changed = RelationReader(folder), 0.0, 0, 0
    slopes, offsets = np.array(reader.taught.slopes), np.array(reader.taught.offsets)
    for one in found:
        with torch.no_grad():
            before = expit(model([one]).numpy() * slopes + offsets)
        likely = [before, reader.likely(_encoded(one), one.pairs)]
        decided = [chance >= DECIDED for chance in likely]
        either = decided[0] | decided[1]
        apart += float(np.abs(likely[0] - likely[1])[either].sum())
        kept, changed = kept + int(either.sum()), changed + int((decided[0] != decided[1]).sum())
    return {"difference": round(apart / max(kept, 1), 4), "changed": round(changed / max(kept, 1), 4)}


if __name__ == "__main__":
    main()

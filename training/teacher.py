"""Trains larger readers on an accelerator and writes what they think of sentences: training/reader.py learns from it.

They are made like the relation reader, with all layers of a larger encoder (of a width that six divides). What is
written is their mean opinion of a sentence with its own names and with others in their places.

The opinions in the tree are older than this program, of BERT base, cased (Apache-2.0): the mean of three such readers
and, weighed as two, of one that read a sentence anew for each pair of its names. That took six minutes on an H200.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import torch
from exchanged_names import NameExchange
from numpy.typing import NDArray
from opinions import Opinion, sentence_key, write_opinions
from reader import DEVICE, OPINIONS, add_texts, arguments, lessons_of, train_model
from reader_data import Example
from reader_model import Model, Prepared
from scipy.special import expit

RATES = {False: 5e-5, True: 5e-4}
READINGS = 3  # of a sentence: with its own names, with others, with made-up ones
MOST = 24  # pairs of a sentence that are asked about
BATCH = 256  # sentences

Scores = NDArray[np.float32]
Pairs = list[tuple[int, int]]


def main() -> None:
    """Train the readers one after the other, and write what they think."""
    options = arguments(__doc__)
    add_texts(options)
    options.add_argument("encoder", type=Path, help="a folder with a transformers encoder and its tokenizer.json")
    options.add_argument("--target", type=Path, default=OPINIONS)
    options.add_argument("--readers", type=int, default=4)
    options.add_argument("--layers", type=int, default=12)
    options.add_argument("--epochs", type=float, default=6)
    given = options.parse_args()
    lessons, draw = lessons_of(given), random.Random(given.seed)
    train, others = lessons.train, lessons.unmarked
    if given.sentences:
        train, others = (draw.sample(found, min(given.sentences, len(found))) for found in (train, others))
    about = list({sentence_key(one): one for one in (*train, *others)}.values())
    names, total = NameExchange(train), list[Scores]()
    for seed in range(given.readers):
        torch.manual_seed(seed)
        model = Model(given.layers, lessons.relations, given.encoder).to(DEVICE)
        train_model(model, train, None, given.epochs, RATES, random.Random(seed))
        asked = [_asked(model, one) for one in about]
        thought = _thought(model.eval(), about, asked, names)
        total = [before + now for before, now in zip(total, thought, strict=True)] if total else thought
    found = [
        (one, Opinion(tuple(lessons.relations), dict(zip(ends, expit(scores / given.readers), strict=True))))
        for one, (_, ends), scores in zip(about, asked, total, strict=True)
        if ends
    ]
    write_opinions(given.target, lessons.relations, found)


def _asked(model: Model, one: Example) -> tuple[Pairs, Pairs]:
    """The pairs of a sentence that are asked about, among the ends that are not cut off and among all of them.

    Of a sentence that nobody marked it is a draw that is the same each time.
    """
    encoded, pairs = model.numbered(one)
    if one.source.startswith("unmarked") and len(pairs) > MOST:
        pairs = sorted(random.Random(sentence_key(one)).sample(pairs, MOST))
    return pairs, [(encoded.ends[subject], encoded.ends[other]) for subject, other in pairs]


def _thought(model: Model, about: list[Example], asked: list[tuple[Pairs, Pairs]], names: NameExchange) -> list[Scores]:
    """The scores of each sentence's pairs and relations, the mean of its readings."""
    sums = [np.zeros((len(pairs), len(model.names)), np.float32) for pairs, _ in asked]
    draw = random.Random(0)
    for reading in range(READINGS):
        others = [names.exchanged(one, reading == 2, draw) if reading else one for one in about]
        each = zip(about, others, asked, strict=True)
        read = [_prepared(model, one, other, pairs) for one, other, (pairs, _) in each]
        order = sorted((at for at, one in enumerate(read) if one.pairs), key=lambda at: len(read[at].ids))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            with torch.no_grad(), torch.autocast(DEVICE, dtype=torch.bfloat16):
                scores = model([read[at] for at in batch]).float().cpu().numpy()
            ends = np.cumsum([len(read[at].pairs) for at in batch])
            for at, found in zip(batch, np.split(scores, ends[:-1]), strict=True):
                sums[at] += found / READINGS
    return sums


def _prepared(model: Model, one: Example, other: Example, pairs: Pairs) -> Prepared:
    """A sentence with other names, and pairs of the one with its own."""
    (own, _), (encoded, _) = model.numbered(one), model.numbered(other)
    encoded = encoded if encoded.ends == own.ends else own  # else cut off elsewhere
    return Prepared(encoded.ids, encoded.kinds, encoded.spans, pairs, torch.empty(0))


if __name__ == "__main__":
    main()

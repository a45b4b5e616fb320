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
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from reader import DEVICE, WARM, arguments
from reader_files import write_weights
from reader_model import Model, Prepared
from relation_data import judged_texts, more_texts
from sklearn.linear_model import LogisticRegression
from torch import Tensor, nn

from kgservice.extraction.coreference_reader import MAX_ENDS, NO_NAMES, Calibration, Window, asks, pieces, window
from kgservice.extraction.rules import Reader
from kgservice.extraction.sentence_encoder import encode, vocabulary
from kgservice.extraction.syntax.fact_ends import End, Met
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.syntax.proper_names import BRACKET
from kgservice.text.periods import calendar

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "kgservice" / "extraction" / "coreference"
MARKS, OPINIONS = HERE / "meant.jsonl", HERE / "meant_opinions.npz"
OFTEN = {"marked": 4, "replaced": 1, "unmarked": 1}  # times that a window is read in an epoch
BATCH = 64
RATES = {"encoder": 1.7e-4, "head": 7e-4}
LONGEST = 12_000  # characters of a text
PLACES = 0.4  # share of the places that are replaced
CLASSES = {
    "organization": "company group team firm club startup organization".split(),
    "name": "film book album game service product show song company app".split(),
    "place": "city country town".split(),
}
HOW = (
    "training/coreference.py on the pronouns of 2,177 passages that we marked, on 13,141 names that a pronoun replaces "
    "and on what BERT base (Apache-2.0) thinks of 34,142 other pronouns, from all-MiniLM-L6-v2 (Apache-2.0); see "
    "training/NOTICE"
)


class Passage(NamedTuple):
    """A text's title without its bracket, and the sentences that the rules read."""

    source: str
    title: str
    met: tuple[Met, ...]


class Asked(NamedTuple):
    """A window, the ends that are asked about, the names that they may mean, and which of these each does mean.

    `means` has a row for each asked end and a column for each name and for none of them; `sort` says how it is known.
    """

    prepared: Prepared
    labels: list[str]
    means: Tensor
    sort: str


def main() -> None:
    """Train, calibrate and measure on texts that are held out, and write."""
    options = arguments(__doc__)
    options.add_argument("--target", type=Path, default=TARGET)
    options.add_argument("--layers", type=int, default=4)
    options.add_argument("--epochs", type=float, default=12)
    given = options.parse_args()
    torch.set_num_threads(given.threads)
    rows = [json.loads(line) for line in MARKS.read_text(encoding="utf-8").splitlines()]
    held = {row["source"] for row in rows if row["held"]}
    marks, draw = _marks(rows), random.Random(given.seed)
    opinions, lessons, measured = _opinions(), list[Asked](), list[Asked]()
    for passage in passages(given.data):
        marked = list(_marked(passage, marks))
        if passage.source in held:
            measured += marked
        else:
            lessons += [*marked, *_replaced(passage, draw), *_unmarked(passage, opinions)]
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
        print(least, {"precision": round(float(right[kept].mean()), 3), "recall": round(right[kept].sum() / named, 3)})
    write_weights(model, given.target)
    found = Calibration(how=HOW, slope=round(fitted.coef_[0, 0], 3), offset=round(fitted.intercept_[0], 3))
    (given.target / "coreference.json").write_text(json.dumps(found.model_dump(), indent=1) + "\n", encoding="utf-8")


def passages(data: Path) -> Iterator[Passage]:
    parser = Parser()
    for text in (*judged_texts(data), *more_texts(data)):
        about = dict(text.about)
        if about.get("company"):
            continue
        doc = parser.parse(text.text[:LONGEST], text.title)[0]
        reader = Reader(doc, text.title, "", calendar(about), ends=True)
        list(reader.weighed())
        yield Passage(text.source, BRACKET.sub("", text.title).strip(), tuple(reader.met))


def _marks(rows: list[dict[str, Any]]) -> dict[tuple[str, str], list[list[Any]]]:
    """What was marked, by the text and the sentence of the pronoun."""
    found = defaultdict[tuple[str, str], list[list[Any]]](list)
    for row in rows:
        for one in row["meant"]:
            found[row["source"], one[0]].append(one)
    return found


def sentence_key(sentence: str) -> str:
    return hashlib.blake2b(sentence.encode(), digest_size=6).hexdigest()


def _marked(passage: Passage, marks: dict[tuple[str, str], list[list[Any]]]) -> Iterator[Asked]:
    """Yield the windows of which somebody marked what pronouns mean, but those whose name stands too far off."""
    keys = [sentence_key(one.text) for one in passage.met]
    for at, key in enumerate(keys):
        seen = window(pieces, passage.title, passage.met, at) if (passage.source, key) in marks else None
        said: dict[int, frozenset[str]] = {}
        for _, *place in marks.get((passage.source, key), ()) if seen else ():
            asked = _at(seen, passage, at, place[:2])
            name = _named(seen, passage, keys, at, place[2:]) if place[2:] else ""
            if asked is not None and name is not None:
                said[asked] = frozenset((name,))
        if seen and said and (made := _asked(seen, said, "marked")):
            yield made


def _at(seen: Window, passage: Passage, at: int, place: list[int]) -> int | None:
    """Return the end of a window's last sentence at a place of it."""
    start = len(seen.text) - len(passage.met[at].text)
    spans = {(end.start, end.end): number for number, end in enumerate(seen.ends) if number >= seen.first}
    return spans.get((place[0] + start, place[1] + start))


def _named(seen: Window, passage: Passage, keys: list[str], at: int, place: list[Any]) -> str | None:
    """Return the name at a place of a sentence of the window, or of its title."""
    if not place[0]:
        return passage.title
    for sentence in range(at, -1, -1):
        if keys[sentence] == place[0]:
            met = passage.met[sentence]
            form = met.text[place[1] : place[2]]
            own = [end for end in met.ends if (end.start - met.start, end.end - met.start) == tuple(place[1:])]
            label = own[0].name.label if own and own[0].name else form
            return label if label in _labels(seen, range(len(seen.ends))) else None
    return None


def _labels(seen: Window, ends: Iterable[int]) -> list[str]:
    every = (seen.ends[end] for end in ends)
    return [end.name.label if end.name is not None else seen.text[end.start : end.end] for end in every]


def _replaced(passage: Passage, draw: random.Random) -> Iterator[Asked]:
    """Yield windows in which a name that stood before is replaced by what may mean it: "it", "her", "the film"."""
    text = " ".join(one.text for one in passage.met)
    her = len(re.findall(r"\b[Ss]he\b", text)) > len(re.findall(r"\b[Hh]e\b", text))
    for at, met in enumerate(passage.met):
        before = {passage.title} | {label for one in passage.met[max(0, at - 5) : at] for label in _named_in(one)}
        known = [end for end in met.ends if end.kind in ("person", *CLASSES) and end.name and end.name.label in before]
        if not known or len(_named_in(met)) > len(set(_named_in(met))):
            continue
        end = draw.choice(known)
        if end.name is None or (end.kind == "place" and draw.random() > PLACES):
            continue
        changed, place = _with_pronoun(met, end, her, draw)
        seen = window(pieces, passage.title, (*passage.met[:at], changed), at)
        number = _at(seen, passage._replace(met=(*passage.met[:at], changed)), at, list(place))
        if number is not None and (made := _asked(seen, {number: frozenset((end.name.label,))}, "replaced")):
            yield made


def _named_in(met: Met) -> list[str]:
    return [end.name.label for end in met.ends if end.name is not None and end.kind not in NO_NAMES]


def _with_pronoun(met: Met, end: End, her: bool, draw: random.Random) -> tuple[Met, tuple[int, int]]:
    """Return a sentence with what may mean a name in its place, and where that stands in it."""
    first, last = end.start - met.start, end.end - met.start
    owns = re.match(r"['’]s\b|['’](?=\s)", met.text[last:])
    last += owns.end() if owns else 0
    first -= 4 if met.text[:first].lower().endswith("the ") else 0
    word = _pronoun(end.kind, owns is not None, her, draw)
    word = word[0].upper() + word[1:] if first == 0 else word
    core = word.split()[-1]
    longer = len(word) - (last - first)
    place = first + len(word) - len(core), first + len(word)
    every = sorted((*met.ends, *met.nouns), key=lambda one: one.start)
    others = [one for one in every if one.end - met.start <= first]
    behind = [one for one in every if one.start - met.start >= last]
    moved = [one._replace(start=one.start + longer, end=one.end + longer) for one in behind]
    own = End(place[0] + met.start, place[1] + met.start, "pronoun", None)
    text = met.text[:first] + word + met.text[last:]
    return met._replace(text=text, ends=(*others, own, *moved), nouns=()), place


def _pronoun(kind: str, owns: bool, her: bool, draw: random.Random) -> str:
    if kind == "person":
        forms = (
            ("her",) if owns and her else ("his",) if owns else ("she", "she", "her") if her else ("he", "he", "him")
        )
    elif owns:
        forms = ("its",) if kind == "place" else ("its", "its", "their")
    else:
        forms = ("it", "the") if kind == "place" else ("it", "it", "they", "the", "the")
    word = draw.choice(forms)
    return f"the {draw.choice(CLASSES[kind])}" if word == "the" else word


def _unmarked(passage: Passage, opinions: dict[int, np.ndarray]) -> Iterator[Asked]:
    """Yield the windows of which larger readers were asked."""
    for at in range(len(passage.met)):
        seen = window(pieces, passage.title, passage.met, at)
        asked = [end for end in range(seen.first, len(seen.ends)) if asks(seen.text, seen.ends[end])]
        likely = opinions.get(window_key(seen, asked)) if asked else None
        made = _asked(seen, dict.fromkeys(asked, frozenset()), "unmarked") if likely is not None else None
        if made and likely is not None and len(likely) == made.means.numel():
            yield made._replace(means=torch.from_numpy(likely.reshape(made.means.shape)))


def window_key(seen: Window, asked: list[int]) -> int:
    """Return the number of a window with its ends and what is asked, 64 bits."""
    words = json.dumps([seen.text, [end[:3] for end in seen.ends], asked]).encode()
    return int.from_bytes(hashlib.blake2b(words, digest_size=8).digest(), "big")


def _opinions() -> dict[int, np.ndarray]:
    """Return the probabilities that larger readers gave, by window: for each end asked about those of its names."""
    with np.load(OPINIONS) as stored:
        keys, sizes, likely = (stored[name] for name in ("windows", "sizes", "likely"))
    parts = np.split(likely.astype(np.float32) / 255, sizes.astype(np.int64).cumsum()[:-1])
    return dict(zip(keys.tolist(), parts, strict=True))


def _asked(seen: Window, said: dict[int, frozenset[str]], sort: str) -> Asked | None:
    """Return a window as numbers; None where it is cut off or names nothing."""
    encoded = encode(vocabulary()[0], seen.text, [end[:3] for end in seen.ends], MAX_ENDS)
    names = [end for end in encoded.ends if seen.ends[end].kind not in NO_NAMES]
    if not names or len(encoded.ends) < len(seen.ends):
        return None
    labels, asked = _labels(seen, names), sorted(said)
    means = torch.zeros(len(asked), len(names) + 1)
    for row, end in zip(means, asked, strict=True):
        meant = [at for at, label in enumerate(labels) if label in said[end]]
        row[meant or [len(names)]] = 1
    pairs = [(end, name) for end in asked for name in names]
    return Asked(Prepared(encoded.ids, encoded.kinds, encoded.spans, pairs, torch.zeros(0)), labels, means, sort)


def _train(model: Model, lessons: list[Asked], epochs: float, draw: random.Random) -> None:
    groups = [
        {"params": [value for name, value in model.named_parameters() if value.requires_grad and _part(name) == part],
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
            at, total = at + 1, total + float(torch.cat(losses).mean())
            if at % 50 == 0:
                print(f"{at}/{steps} loss {total / 50:.3f} {time.monotonic() - started:.0f} s", flush=True)
                total = 0.0


def _part(name: str) -> str:
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
            for label, chance in zip(one.labels, chances, strict=False):
                sums[label] += chance
            best = max(sums, key=lambda label: sums[label])
            likely.append(min(max(sums[best], 1e-6), 1 - 1e-6))
            right.append(any(label == best and means[at] for at, label in enumerate(one.labels)))
            named += not means[-1]
    return np.array(likely), np.array(right), named


if __name__ == "__main__":
    main()

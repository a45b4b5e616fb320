"""The fit of the probability that a statement is a usable fact, written to extraction/confidence.json.

A logistic regression on the statements that the present rules and the relation reader still read from the judged texts
(training/judged.jsonl, and what the relation reader means of training/judged_open.jsonl), and on what both mean by the
schema in sentences of which all that they state was marked (training/marked.jsonl); what taught the relation reader is
left out. How far the statement readers are believed is fitted afterwards, on texts that taught them nothing. The curve
is over documents outside of the fit (ten folds): for each probability, the share of usable statements above it, and the
statements kept per 100 words of the half for making rules. How a probability becomes a confidence is fitted last
(confidence_calibration.py; with --calibrate that alone). With --draw nothing is fitted: statements of that half,
probable or not, are drawn for a reader to judge (training/judged.jsonl).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "training")]
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
from confidence_calibration import calibrated
from coreference_data import sentence_key
from drawn import DATA, Text, given
from reader_data import HASHED, as_marked, read_again
from relation_data import SCHEMA, SYMMETRIC, judged_texts, other_judged_texts
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict

from kgservice.core.records import Triplet
from kgservice.core.schema import DEFAULT
from kgservice.extraction.end_pairs import joined, resolved
from kgservice.extraction.phrasebook import phrasebook
from kgservice.extraction.readers.relation_reader import packaged
from kgservice.extraction.readers.statement_reader import Asked, reader_input
from kgservice.extraction.rules import Reader, Stated
from kgservice.extraction.syntax.confidence import (
    READ,
    Believed,
    ConfidenceWeights,
    least_likely,
    probability,
    way_of,
    weights,
)
from kgservice.extraction.syntax.fact_ends import Met
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.text_facts import reader_features, resolver_of
from kgservice.names.local_entities import entity
from kgservice.text.periods import calendar

JUDGED = ROOT / "training" / "judged.jsonl"
OPEN = ROOT / "training" / "judged_open.jsonl"
TAUGHT = ROOT / "training" / "judged_pairs.jsonl"
MARKED = ROOT / "training" / "marked.jsonl"
WEIGHTS = ROOT / "kgservice" / "extraction" / "syntax" / "confidence.json"
FOLDS, RARE = 10, 8  # a feature needs this many statements
THRESHOLD = 0.68  # of reports, and of what rules state alone; from .72 on plain sentences of the tests are lost
BAR = 0.65  # of confidence: from .68 on plain clauses outside of the schema are lost
SURE = 150  # characters of a sentence that identify it
STRENGTH = 0.07  # scikit-learn's C: the inverse of the penalty on squared weights
DRAWN = {"filings": 200, "articles": 160, "passages": 300, "encyclopaedia": 300}  # texts read for a draw


class Case(NamedTuple):
    """A statement with its features, and how likely its pronouns mean what it names.

    `seen` is what a statement reader is given, if it can be asked.
    """

    row: dict[str, Any]
    told: dict[str, float]
    meant: float = 1.0
    seen: Asked | None = None

    @property
    def is_open(self) -> bool:
        """Whether it was judged for the readers that are trained here."""
        return len(self.row["sentence"]) == HASHED

    @property
    def held(self) -> bool:
        """Whether its text taught these readers nothing."""
        source = self.row["source"]
        return bool(self.row.get("held")) if self.is_open else is_held(source) and source not in _taught()

    @property
    def measures(self) -> bool:
        """Whether it may measure the score: no reader that was asked has learnt from its text.

        What the relation reader means measures only where it was judged, ends and all.
        """
        if self.by_reader:
            return self.is_open and self.held
        return self.held or READ.isdisjoint(self.told)

    @property
    def by_reader(self) -> bool:
        """Whether the relation reader means it, and no rule."""
        return "rule pair" in self.told


def main() -> None:
    """Fit and write the weights, and print the curve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--curve", action="store_true", help="write nothing: the curve alone")
    parser.add_argument("--draw", type=int, metavar="N", help="draw N statements of each genre to judge")
    parser.add_argument("--calibrate", action="store_true", help="fit anew what a probability is worth, and no weight")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--news", type=Path, help="a folder of judged texts not in KGS_TEST_DATA: SOURCE.txt, filings SOURCE.pdf"
    )
    options = parser.parse_args()
    if not DATA.exists():
        print(json.dumps({"skip": f"no data at {DATA}; set KGS_TEST_DATA"}))
        return
    if options.draw:
        _draw(options.draw, random.Random(options.seed))
        return
    if options.calibrate:
        made, measured = calibrated(weights())
        _write(made)
        print(json.dumps(measured))
        return
    cases = [*judged_cases(options.news), *_meant([row for row in _rows(MARKED) if row["held"]])]
    made, unseen = _fitted(cases)
    if not options.curve:
        _write(made)
        _write(calibrated(made)[0])
    chance = random.Random(options.seed)
    kept = {genre: _likely(genre, chance) for genre in DRAWN}
    result = {}
    for way, by in ((False, "rules"), (True, "reader")):
        own = [(case, p) for case, p in zip(cases, unseen, strict=True) if case.by_reader == way and case.measures]
        auc = roc_auc_score([case.row["usable"] for case, _ in own], [p for _, p in own])
        of_way = {genre: ([p for by, p in likely if by == way], words) for genre, (likely, words) in kept.items()}
        curve = [_point(least / 100, own, of_way) for least in (0, *range(30, 90, 5))]
        result[by] = {"judged": len(own), "auc": round(float(auc), 3), "curve": curve}
    print(json.dumps(result))


def _write(made: ConfidenceWeights) -> None:
    WEIGHTS.write_text(json.dumps(made.model_dump(), indent=1) + "\n", encoding="utf-8")
    weights.cache_clear()


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _fitted(cases: list[Case]) -> tuple[ConfidenceWeights, Any]:
    """Return the weights, and each statement's probability by weights fitted without its document.

    What was judged for the readers fits how far they are believed alone: with it, rules without readers lose plain
    sentences of the tests.
    """
    others = [case for case in cases if not case.is_open]
    times = Counter(name for case in others for name in case.told)
    names = sorted(name for name, count in times.items() if count >= RARE and name not in READ)
    usable, model = np.array([case.row["usable"] for case in cases]), LogisticRegression(C=STRENGTH, max_iter=10_000)
    other, table = np.array([not case.is_open for case in cases]), _table(cases, names)
    groups, folds = [_document(case.row) for case in others], GroupKFold(FOLDS)
    score = model.fit(table[other], usable[other]).decision_function(table)
    score[other] = cross_val_predict(
        model, table[other], usable[other], groups=groups, cv=folds, method="decision_function"
    )
    fitted = {"one": model.intercept_[0], **dict(zip(names, model.coef_[0], strict=True))}
    believed, odds = {}, score.copy()
    for name in sorted(READ):
        asked = np.array([name in case.told for case in cases])
        held = asked & np.array([case.measures for case in cases])
        belief = _table(cases, [name])[:, 0]
        by = believed[name] = _believed(score[held], belief[held], usable[held])
        odds = np.where(asked, _odds(by, score, belief), odds)
        at = np.flatnonzero(held)  # what these statements are judged by is fitted on other documents
        for rest, fold in folds.split(at, groups=[_document(cases[each].row) for each in at]):
            part = _believed(score[at[rest]], belief[at[rest]], usable[at[rest]])
            odds[at[fold]] = _odds(part, score[at[fold]], belief[at[fold]])
    made = ConfidenceWeights(
        how=f"benchmarks/confidence_fit.py: {len(cases)} judged statements",
        threshold=THRESHOLD,
        bar=BAR,
        weights={name: round(float(weight), 3) for name, weight in fitted.items()},
        believed=believed,
        calibrated=weights().calibrated,
        rules=weights().rules,
    )
    return made, expit(odds)


def _table(cases: list[Case], names: list[str]) -> Any:
    """Return the features of these names, a row each statement."""
    return np.array([[case.told.get(name, 0.0) for name in names] for case in cases])


def _document(row: dict[str, Any]) -> str:
    """Return what a statement shares with others of its document, of a filing with those of its sentence."""
    return str(row["source"] if row["genre"] != "filings" else row["sentence"])


@cache
def _taught() -> frozenset[str]:
    """The texts of judged_open.jsonl that taught the statement readers."""
    return frozenset(row["source"] for row in _rows(OPEN) if not row.get("held"))


def is_held(source: str) -> bool:
    """Whether a text of judged.jsonl taught the statement readers nothing; judged_open.jsonl says it of each row."""
    return int(hashlib.md5(source.encode()).hexdigest(), 16) % 4 == 0


def _odds(by: Believed, score: Any, belief: Any) -> Any:
    return by.one + by.belief * belief + by.score_share * score


def _believed(score: Any, belief: Any, usable: Any) -> Believed:
    """Return how far a statement reader is believed, of statements that taught it nothing."""

    def loss(given: Any) -> float:
        odds = given[2] * score + given[0] + given[1] * belief
        return float(np.mean(np.logaddexp(0, np.where(usable, -odds, odds))))

    one, other, share = (round(float(each), 3) for each in minimize(loss, (0.0, 0.5, 1.0)).x)
    return Believed(one=one, belief=other, score_share=share)


def _likely(genre: str, chance: random.Random) -> tuple[list[tuple[bool, float]], int]:
    """Return the probabilities of statements in some texts of the half for making rules, and these texts' words.

    The first of each is whether it is the reader's: such a one counts where no rule's is of the same two names.
    """
    read, texts = Parser(), list(given(genre, odd=False))
    texts = chance.sample(texts, min(DRAWN[genre], len(texts)))
    sure = []
    for text in texts:
        met = set[frozenset[str]]()
        for case in statements(read, genre, text):
            ends = frozenset((case.row["subject"], case.row["object"]))
            likely = probability(case.told, case.meant)
            if not case.by_reader and likely >= least_likely(case.told, way_of(case.told)):
                met.add(ends)
            if not case.by_reader or ends not in met:
                sure.append((case.by_reader, likely))
    return sure, sum(len(text.text.split()) for text in texts)


def _point(
    least: float, cases: list[tuple[Case, float]], kept: dict[str, tuple[list[float], int]]
) -> dict[str, float | dict[str, float]]:
    """Return a point of the curve: usable shares by genre, their mean, and statements kept per 100 words."""
    shares = {}
    for genre in ("filings", "news", "encyclopaedia"):
        own = [case.row["usable"] for case, p in cases if case.row["genre"] == genre and p >= least]
        shares[genre] = round(float(np.mean(own)), 3) if own else 0.0
    yields = {genre: round(100 * sum(p >= least for p in likely) / words, 2) for genre, (likely, words) in kept.items()}
    return {"from": least, "usable": shares, "mean": round(float(np.mean(list(shares.values()))), 3), "kept": yields}


def _draw(number: int, chance: random.Random) -> None:
    read = Parser()
    for genre, count in DRAWN.items():
        texts = list(given(genre, odd=False))
        texts = chance.sample(texts, min(count, len(texts)))
        rows = [case.row for text in texts for case in statements(read, genre, text)]
        for row in chance.sample(rows, min(number, len(rows))):
            print(json.dumps(row, ensure_ascii=False))


def _texts(folder: Path | None) -> Iterator[tuple[str, Text]]:
    """Yield every text that may have been judged, with its genre."""
    yield from ((genre, text) for genre in DRAWN for odd in (False, True) for text in given(genre, odd=odd))
    yield from other_judged_texts(DATA, folder)


def judged_cases(folder: Path | None) -> Iterator[Case]:
    """Yield the judged statements that the rules still read, each once, with their present features.

    `folder` has the articles and filings that are not in KGS_TEST_DATA; what was judged of an absent text is left out.
    """
    taught = {row["sentence"][:SURE] for row in _rows(TAUGHT)}
    wanted: dict[str, dict[tuple[str, ...], dict[str, Any]]] = defaultdict(dict)
    for row in _rows(JUDGED):
        if row["sentence"][:SURE] not in taught:
            wanted[row["source"]][_key(row)] = row
    for row in _rows(OPEN):
        wanted[row["source"]][*_ends(row), row["sentence"]] = row
    read = Parser()
    for genre, text in _texts(folder):
        rows = wanted.get(text.source, {})
        if any(len(row["sentence"]) == HASHED or row["sentence"][:SURE] in text.text for row in rows.values()):
            for case in statements(read, genre, text):
                for key in (_key(case.row), (*_ends(case.row), sentence_key(case.row["sentence"]))):
                    if (judged_row := rows.pop(key, None)) is not None:
                        yield case._replace(row=judged_row)
                        break


def _meant(marked: list[dict[str, Any]]) -> Iterator[Case]:
    """Yield what the rules and the reader mean in sentences of which everything stated was marked."""
    judged = {(row["sentence"][:SURE], *_ends(row)) for row in _rows(JUDGED)}
    for source, reader, met, stated, (row, *_) in read_again(marked, judged_texts(DATA)):
        marks = Marks(met, row)
        meant = joined(packaged(), SimpleNamespace(met=[met], refused=reader.refused, focus=reader.focus))
        for one, told, relation, turned in (
            *_by_rules(met, stated),
            *((one, told, one.relation, False) for one, told, *_ in meant),
        ):
            usable = marks.usable(one, relation, turned=turned)
            found = {"genre": row["genre"], "source": source, "subject": one.subject.label, "relation": one.relation}
            found |= {"object": one.object.label, "sentence": one.sentence, "usable": usable}
            if usable is not None and (one.sentence[:SURE], *_ends(found)) not in judged:
                yield Case(found, told)


def _by_rules(met: Met, stated: list[Stated]) -> Iterator[tuple[Triplet, dict[str, float], str, bool]]:
    """Yield what rules state in a sentence and the schema has, with its relation, and whether that is turned round."""
    book = phrasebook(DEFAULT)
    for one, told, places in stated:
        meaning = book.meaning(one.relation, entity(one.subject), entity(one.object)) if book else ""
        if not isinstance(meaning, str):
            yield one, told | reader_features(packaged(), [met], one, places)[0], meaning.relation.id, meaning.turned


class Marks:
    """What people marked in a sentence, by the names of its ends."""

    def __init__(self, met: Met, row: dict[str, Any]) -> None:
        labels = {(end.start - met.start, end.end - met.start): end.name.label for end in met.ends if end.name}
        self._marked = as_marked(met, row)
        self._names = [labels.get(end[:2]) for end in self._marked.ends]

    def usable(self, one: Triplet, relation: str, *, turned: bool) -> bool | None:
        """Return whether a relation of a triplet was marked; None where nobody can tell.

        Whom a pronoun means is not judged here. Nobody can tell of ends that were not looked at, of a pair whose mark
        is unsure, and of a pair of which something else was marked if a rule states it: the schema may have taken its
        words for too little.
        """
        ends = (one.subject.label, one.object.label)[:: -1 if turned else 1]
        pairs = [pair for pair in permutations(range(len(self._names)), 2) if self._of(pair) == ends]
        other_way = [pair[::-1] for pair in pairs]
        inverse = SCHEMA.relations[relation].inverse
        back = {inverse} | ({relation} if relation in SYMMETRIC else set())
        facts, unknown = self._marked.facts, self._marked.unknown
        if any(relation in facts.get(pair, ()) for pair in pairs):
            return True
        if any(back & facts.get(pair, frozenset()) for pair in other_way):
            return True
        sure = not any(unknown.get(pair, frozenset()) & {relation, "*"} for pair in pairs)
        by_rule = one.relation != relation
        return False if pairs and sure and not (by_rule and self._any(pairs + other_way)) else None

    def _any(self, pairs: list[tuple[int, int]]) -> bool:
        return any(self._marked.facts.get(pair) for pair in pairs)

    def _of(self, pair: tuple[int, int]) -> tuple[str | None, str | None]:
        return self._names[pair[0]], self._names[pair[1]]


def _ends(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["subject"], row["relation"], row["object"]


def _key(row: dict[str, Any]) -> tuple[str, ...]:
    """Return the identity of a statement within its text. In a filing it includes the sentence."""
    where = row["sentence"][:SURE] if row["genre"] == "filings" else ""
    return row["subject"], row["relation"], row["object"], where


def statements(read: Parser, genre: str, text: Text) -> Iterator[Case]:
    """Yield the statements that the rules and the relation reader read in a text, probable or not."""
    about = dict(text.about)
    company, years = str(about.get("company", "")), calendar(about)
    for doc in read.parse(text.text, text.title):
        reader = Reader(doc, text.title, company, years, ends=True)
        stated, resolver = list(reader.weighed()), resolver_of(reader, company)
        for said, told, places in stated:
            one, meant = resolved(resolver, reader, said)
            ends = {"subject": one.subject.label, "relation": one.relation, "object": one.object.label}
            row = {"genre": genre, "source": text.source, **ends, "sentence": one.sentence}
            seen = reader_input(reader.met, places) if places is not None else None
            believed, _ = reader_features(packaged(), reader.met, said, places, report=bool(company))
            yield Case(row, told | believed, meant, seen)
        for one, told, meant in joined(packaged(), reader, resolver):
            ends = {"subject": one.subject.label, "relation": one.relation, "object": one.object.label}
            yield Case({"genre": genre, "source": text.source, **ends, "sentence": one.sentence}, told, meant)


if __name__ == "__main__":
    main()

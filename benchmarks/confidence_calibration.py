"""What the probability of a statement is worth as a confidence, fitted on the newest draws of tests/data.

Each sentence of a draw is read alone; facts of reports count by the confidence that they were drawn with. Fitted is how
often readers found a statement usable, by the way it was read and by its rule. How good that is is measured on one draw
after the other that was left out. `benchmarks/confidence_fit.py` runs it, with --calibrate alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.metrics import log_loss, roc_auc_score

from kgservice.extraction.end_pairs import joined, resolved
from kgservice.extraction.readers.relation_reader import packaged
from kgservice.extraction.rules import Reader
from kgservice.extraction.syntax.confidence import ConfidenceWeights, Way, WayCalibration, probability, way_of
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.text_facts import reader_features, resolver_of
from kgservice.text.periods import NO_CALENDAR

TESTS = Path(__file__).parents[1] / "tests" / "data"
DRAWS = (6401, 6601, 7101, 7201, 7301, 7401, 7501, 8001, 8101, 8201, 8301, 8401, 8501)  # read again
REPORT_DRAWS = (6202, 6301, 6401, 6601)  # whose facts of filings count as they were drawn
WORTH = "; what it is worth: "
BANDS = (0, 0.65, 0.75, 0.85, 0.95, 1)
FEW = 8  # a rule needs as many judged facts for a weight of its own


class DrawnFact(NamedTuple):
    """A fact of a draw that today's program still reads: its draw, genre, way, rule and log odds."""

    draw: int
    genre: str
    way: Way
    rule: str
    odds: float
    usable: bool


def calibrated(known: ConfidenceWeights) -> tuple[ConfidenceWeights, dict[str, Any]]:
    """Return the weights with what a probability is worth, and how good that is on draws that fitted nothing."""
    facts = list(_drawn_facts())
    measured: dict[str, Any] = {"facts": len(facts), "read": Counter(one.way for one in facts)}
    held = {one: fitted for seed in {one.draw for one in facts} for one, fitted in _held_out(facts, seed)}
    for genre in ("news", "encyclopaedia", "filings"):
        own = [one for one in facts if one.genre == genre]
        usable, today, new = [one.usable for one in own], [one.odds for one in own], [held[one] for one in own]
        measured[genre] = {
            "usable": round(float(np.mean(usable)), 3),
            "probability": _quality(usable, expit(today)),
            "confidence": _quality(usable, new),
        }
    texts = [one for one in facts if one.way != "report"]
    measured["bands"] = [
        [least, len(own), *(round(float(np.mean(column)), 3) for column in zip(*own, strict=True))]
        for least, most in pairwise(BANDS)
        if (own := [(held[one], one.usable) for one in texts if least <= held[one] < most])
    ]
    by_schema = [one for one in texts if one.way != "open"]  # what questions rest on
    measured["asked"] = {
        f"score {least}, confidence {sure}": [
            _share([one for one in by_schema if one.odds >= logit(least)]),
            _share([one for one in by_schema if held[one] >= sure]),
        ]
        for least, sure in ((0.8, 0.65), (0.9, 0.75))
    }
    ways, rules = _calibration(facts)
    how = f"{known.how.partition(WORTH)[0]}{WORTH}{len(facts):,} facts of draws"
    return known.model_copy(update={"how": how, "calibrated": ways, "rules": rules}), measured


def _held_out(facts: list[DrawnFact], seed: int) -> Iterator[tuple[DrawnFact, float]]:
    """Yield each fact of a draw with its confidence by the other draws."""
    ways, rules = _calibration([one for one in facts if one.draw != seed])
    for one in facts:
        if one.draw == seed:
            by = ways[one.way]
            yield one, float(expit(by.one + by.share * one.odds + rules.get(one.rule, 0.0)))


def _share(facts: list[DrawnFact]) -> tuple[int, float]:
    """Return the number of facts and the share of them that is usable."""
    return len(facts), round(float(np.mean([one.usable for one in facts])), 3)


def _quality(usable: list[bool], likely: Any) -> dict[str, float]:
    return {
        "mean": round(float(np.mean(likely)), 3),
        "auc": round(float(roc_auc_score(usable, likely)), 3),
        "log_loss": round(float(log_loss(usable, np.clip(likely, 0.01, 0.99))), 3),
    }


def _calibration(facts: list[DrawnFact]) -> tuple[dict[Way, WayCalibration], dict[str, float]]:
    """Return what a probability is worth by way, and the weights of rules that have facts enough."""
    ways = sorted({one.way for one in facts})
    counts = Counter(one.rule for one in facts if one.way in ("schema", "open"))
    rules = sorted(rule for rule, count in counts.items() if count >= FEW)
    table = np.array(
        [
            [float(one.way == way) for way in ways]
            + [float(one.way == way) * one.odds for way in ways]
            + [float(one.rule == rule) for rule in rules]
            for one in facts
        ]
    )
    usable = np.array([one.usable for one in facts])
    penalty = np.array([0.005] * 2 * len(ways) + [0.5] * len(rules))

    def loss(given: Any) -> tuple[float, Any]:
        odds = table @ given
        wrong = expit(odds) - usable
        return (
            float(np.logaddexp(0, np.where(usable, -odds, odds)).sum() + (penalty * given**2).sum()),
            table.T @ wrong + 2 * penalty * given,
        )

    fitted = [round(float(each), 3) for each in minimize(loss, np.zeros(table.shape[1]), jac=True).x]
    number = len(ways)
    by_way = {way: WayCalibration(one=fitted[at], share=fitted[number + at]) for at, way in enumerate(ways)}
    return by_way, dict(zip(rules, fitted[2 * number :], strict=True))


def _drawn_facts() -> Iterator[DrawnFact]:
    """Yield the facts of the newest draws that are still read from their sentences, and those of reports as drawn."""
    read = Parser()
    for seed in sorted({*DRAWS, *REPORT_DRAWS}):
        for line in (TESTS / f"judged_text_{seed}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["genre"] == "filings":
                if seed in REPORT_DRAWS:
                    yield DrawnFact(seed, "filings", "report", "", float(logit(row["confidence"])), row["usable"])
            elif seed in DRAWS and (found := _found(read, row)) is not None:
                yield DrawnFact(seed, row["genre"], *found, row["usable"])


def _found(read: Parser, row: dict[str, Any]) -> tuple[Way, str, float] | None:
    """Return by which way and rule a fact is read from its sentence alone, and its log odds; None if it is not.

    What the sentence does not name is its title.
    """
    title = row["subject"] if row["subject"] not in row["sentence"] else ""
    ends, best = {row["subject"], row["object"]}, None
    for doc in read.parse(row["sentence"], title):
        reader = Reader(doc, title, "", ends=True, years=NO_CALENDAR)
        stated, resolver = list(reader.weighed()), resolver_of(reader, "")
        for said, told, places in stated:
            believed, doubted = reader_features(packaged(), reader.met, said, places)
            one, meant = resolved(resolver, reader, said)
            likely = probability(told | believed, meant)
            met = len(ends & {one.subject.label, one.object.label})
            if one.relation == row["said"] and met and 0 < likely < 1 and (best is None or met > best[0]):
                rule = next((name for name in told if name.startswith("rule ")), "")
                best = met, (way_of(told, doubted=doubted is not None), rule, float(logit(likely)))
        for one, told, meant in joined(packaged(), reader, resolver):
            likely, met = probability(told, meant), len(ends & {one.subject.label, one.object.label})
            if one.relation == row["said"] and met and 0 < likely < 1 and (best is None or met > best[0]):
                best = met, (way_of(told), "rule pair", float(logit(likely)))
    return best[1] if best else None

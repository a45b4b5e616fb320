"""How likely a statement is a usable fact: a logistic score whose weights a reader's judgements fitted.

What that is worth on text that nobody had looked at is fitted after it, on draws that were judged once, and is the
`confidence` of a fact. It decides what is kept, the probability in a company's report and where rules read alone.

confidence.json holds the weights, the threshold and how they were fitted (benchmarks/confidence_fit.py). What counts is
how the statement was read, not what it says or what kind of text it is of: lengths, what its ends are, where they stand
in the tree and the sentence, how the sentence is made, and whether the packaged schema has a relation of such words and
ends.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

from kgservice.core.records import Record
from kgservice.extraction.syntax.clauses import Clause, base
from kgservice.extraction.syntax.proper_names import FactCandidate, NamedEnd

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

Told = Iterator[tuple[str, float]]
SideFeatures = dict[tuple[NamedEnd, str], dict[str, float]]  # by an end and its side
_EMPTY = frozenset("be have do get go come make take include use see become seem put give want need like".split())
_LEADS = frozenset("in on at of by to from with for as".split())
_BILLED = frozenset(("star", "feature"))
_QUOTES = '"“”'
BELIEF, REPORT_BELIEF = "statement's belief", "report statement's belief"  # log odds of a statement reader, if asked
PAIR_BELIEF = "pair's belief"  # of the relation reader, of what it means itself
READ = frozenset((BELIEF, REPORT_BELIEF, PAIR_BELIEF))
Way = Literal["schema", "open", "reader", "report"]
_UNMAPPED = frozenset(("words of no relation", "object of another class", "subject of another class"))
HIGHEST = 2.0  # score of what the relation reader means, without its belief: of 1,714 of texts the highest was 1.03
MAX_DEPTH = 8  # of a verb below its sentence's root


class Believed(Record):
    """How far a reader is believed: log odds = `one` + `belief` x its own + `score_share` x the score's."""

    one: float
    belief: float
    score_share: float


class WayCalibration(Record):
    """How a probability becomes a confidence: log odds = `one` + `share` x its own + the weight of the rule."""

    one: float
    share: float


class ConfidenceWeights(Record):
    """Fitted constants: the weights of the features, and from which confidence on a statement is kept: `bars`, by way.

    In a company's report, and where rules read alone, it is kept from the probability `threshold` on. `believed` has
    how far each belief of READ counts, `calibrated` each way of `way_of`, and `rules` the log odds of a rule's facts.
    """

    how: str
    threshold: float
    bars: dict[Way, float]
    weights: dict[str, float]
    believed: dict[str, Believed]
    calibrated: dict[Way, WayCalibration]
    rules: dict[str, float]


@cache
def weights() -> ConfidenceWeights:
    """Return the packaged weights."""
    text = files("kgservice.extraction.syntax").joinpath("confidence.json").read_text(encoding="utf-8")
    return ConfidenceWeights.model_validate_json(text)


def probability(told: dict[str, float], meant: float = 1.0) -> float:
    """Return how likely a reader takes a statement of such features for a usable fact, from 0 to 1.

    `meant` is how likely its pronouns mean what it names. Part of that doubt is in the weights already, as they were
    fitted on statements with pronouns too; of 207 such statements the root of it leaves the least error.
    """
    known = weights().weights
    score = known["one"] + math.fsum(known.get(name, 0.0) * value for name, value in told.items() if name not in READ)
    for name, by in weights().believed.items():
        if name in told:
            score = by.one + by.belief * told[name] + by.score_share * score
    return math.sqrt(meant) / (1 + math.exp(-score))


def way_of(told: dict[str, float], *, doubted: bool = False, report: bool = False) -> Way:
    """Return how a statement was read: by the schema or beside it, by the relation reader alone, or in a report.

    `doubted` is whether the relation reader doubts that a rule's statement means its relation.
    """
    if report:
        return "report"
    if "rule pair" in told:
        return "reader"
    return "open" if doubted or not _UNMAPPED.isdisjoint(told) else "schema"


def confidence(likely: float, told: dict[str, float], way: Way) -> float:
    """Return the share of statements that readers found usable, of those as likely and read the same way.

    The probability alone is too sure between .75 and .95, and of clauses more than of posts and lives.
    """
    if not 0 < likely < 1:
        return likely
    by = weights().calibrated[way]
    return 1 / (1 + math.exp(-by.one - by.share * math.log(likely / (1 - likely)) - _of_rule(told, way)))


def least_likely(told: dict[str, float], way: Way) -> float:
    """Return the probability from which on a statement that is read so is kept."""
    known, by = weights(), weights().calibrated[way]
    if way == "report":
        return known.threshold
    odds = (math.log(known.bars[way] / (1 - known.bars[way])) - by.one - _of_rule(told, way)) / by.share
    return 1 / (1 + math.exp(-odds))


def least_belief(least: float) -> float:
    """Return log odds of the relation reader below which what it means cannot reach the probability `least`."""
    if not 0 < least < 1:
        return -math.inf
    by = weights().believed[PAIR_BELIEF]
    return (math.log(least / (1 - least)) - by.one - by.score_share * HIGHEST) / by.belief


def _of_rule(told: dict[str, float], way: Way) -> float:
    return 0.0 if way == "report" else math.fsum(weights().rules.get(name, 0.0) for name in told)


def features(
    found: FactCandidate, sentence: Span, made: dict[str, float], known: SideFeatures | None = None
) -> dict[str, float]:
    """Return what is known of how a statement was read, by name; what is not there is 0.

    `made` is what `sentence_features` says of the sentence. `known` keeps what ends tell, for the sentence's next pair.
    """
    told, known = dict(_made(found)), {} if known is None else known
    for side in ((found.subject, "subject"), (found.object, "object")):
        if side not in known:
            known[side] = dict(_end(*side, sentence))
        told |= known[side]
    told |= made
    if found.clause is not None:
        told |= dict(_tree(found, found.clause, sentence))
    return {name: value for name, value in told.items() if value}


def sentence_features(sentence: Span, text: str) -> dict[str, float]:
    """Return what the making of a sentence tells of all its statements; `text` is the sentence's."""
    return dict(_sentence(sentence, text))


def _made(found: FactCandidate) -> Told:
    """Which rule made it, what it doubted, and the relation's words."""
    words = found.relation.split()
    yield f"rule {found.rule}", 1.0
    yield from ((doubt, 1.0) for doubt in found.doubts)
    yield "relation's words", len(words) / 4
    if found.rule == "clause":
        yield f"leads {words[-1]}" if words[-1] in _LEADS else "leads", 1.0
    date = found.object.kind == "date"
    yield "date loosely", float(date and words[-1] in ("from", "to", "until", "by", "of"))


def _end(name: NamedEnd, side: str, sentence: Span) -> Told:
    """What an end is: its kind, its words, and what stands beside it in the text."""
    words = name.label.split()
    plain = name.kind == "entity" and name.type is None
    yield f"{side} {name.kind if name.kind != 'entity' else name.type or 'untyped'}", 1.0
    yield f"{side} of one word", float(len(words) == 1)
    yield f"{side}'s words", math.log(len(words))
    yield f"{side} a phrase", float(plain and (words[0].islower() or words[-1].islower()))
    yield f"{side} with a number", float(name.kind == "entity" and any(sign.isdigit() for sign in name.label))
    yield f"{side} in capitals", float(name.kind == "entity" and name.label.isupper())
    if not sentence.start <= name.start < name.end <= sentence.end:
        yield f"{side} elsewhere", 1.0
        return
    doc, inner = sentence.doc, sentence.doc[name.start : name.end]
    typed = [word.ent_type_ for word in inner]
    yield f"{side} typed in part", float(any(typed) and not all(typed))
    before = doc[name.start - 1] if name.start > sentence.start else None
    after = doc[name.end] if name.end < sentence.end else None
    yield f"{side} opens", float(before is None)
    yield f"{side} after a capital", float(name.start - sentence.start > 1 and doc[name.start - 1].text[0].isupper())
    yield f"{side} with an article", float(before is not None and before.lower_ in ("the", "a", "an"))
    yield f"{side} before a noun", float(after is not None and after.pos_ in ("NOUN", "PROPN"))
    yield f"{side} before of", float(after is not None and after.lower_ in ("of", "for", "and"))
    yield f"{side} before a mark", float(after is not None and after.pos_ == "PUNCT")
    yield f"{side} in parts", float(any(word.dep_ == "punct" or word.pos_ in ("ADP", "CCONJ") for word in inner))


def _sentence(sentence: Span, text: str) -> Told:
    """How the sentence is made."""
    tokens = list(sentence)
    words = [word for word in tokens if word.is_alpha]
    yield "sentence's words", math.log(max(len(words), 1) / 20)
    yield "verbs", math.log1p(sum(word.pos_ == "VERB" for word in tokens))
    yield "commas", math.log1p(text.count(","))
    yield "quote cut", float(sum(text.count(mark) for mark in _QUOTES) % 2)
    yield "quotes", float(any(mark in text for mark in _QUOTES))
    yield "brackets", float("(" in text)
    yield "numbers", math.log1p(sum(word.like_num for word in tokens))
    yield "no full stop", float(text[-1:] not in '.!”")')
    yield "opens small", float(text[:1].islower())
    yield "capitals", sum(word.text[0].isupper() for word in words) / max(len(words), 1)
    beside = (sentence[-1], sentence.doc[max(sentence.start - 1, 0)])
    yield "gaps", math.log1p(text.count("  ") + sum(word.text == " " for word in beside))  # where full stops are lost
    yield "first", float(sentence.start == 0)


def _tree(found: FactCandidate, clause: Clause, sentence: Span) -> Told:
    """Where the ends stand beside the predicate."""
    verb, said = clause.verb, [word.lower_ for word in clause.words]
    yield "nominal", float(clause.nominal)
    yield "nominal beside", float(clause.nominal and not clause.words)
    yield "passive", float(clause.passive)
    yield "past", float(verb.morph.get("Tense", []) == ["Past"] or "was" in said or "were" in said)
    yield "empty verb", float(not clause.nominal and verb.lemma_ in _EMPTY)
    yield "gerund", float(_gerund(clause))
    yield "astray", float("relative clause" in found.doubts and _astray(found.subject, clause))
    yield "depth", math.log1p(min(sum(1 for _ in verb.ancestors), MAX_DEPTH))
    yield f"verb is {base(verb)}", 1.0
    yield "subject's way", math.log1p(abs(clause.subject.i - verb.i))
    yield "subject after verb", float(clause.subject.i > verb.i)
    yield "subject joined", float(any(child.dep_ == "conj" for child in clause.subject.children))
    yield "subject told more", float(any(base(child) in ("acl", "appos") for child in clause.subject.children))
    yield "another subject", float(not found.subject.start <= clause.subject.i < found.subject.end)
    yield "arguments", math.log1p(len(clause.arguments))
    if sentence.start <= found.object.start < sentence.end:
        yield from _between(found.object, verb)


def _between(end: NamedEnd, verb: Token) -> Told:
    """What stands between the predicate and the object, and what joins them."""
    doc: Doc = verb.doc
    inner = doc[min(verb.i + 1, end.end) : max(end.start, verb.i)]
    head = doc[end.start : end.end].root
    yield "object's way", math.log1p(abs(end.start - verb.i))
    yield "object before verb", float(end.start < verb.i)
    yield "verbs between", float(any(word.pos_ in ("VERB", "AUX") for word in inner))
    yield "commas between", float(any(word.text in (",", ";", ":", "-", "–", "(") for word in inner))
    yield "names between", float(any(word.pos_ == "PROPN" for word in inner))
    yield "nouns between", float(any(word.pos_ == "NOUN" for word in inner))
    yield f"object is {base(head)}", 1.0
    yield "object told more", float(any(base(child) in ("acl", "appos", "nmod") for child in head.rights))
    yield "object joined", float(any(child.dep_ == "conj" for child in head.children))


def _astray(subject: NamedEnd, clause: Clause) -> bool:
    """True unless "who" follows its name: in "the Prince of Bavaria, which comprised" and "Ertuğrul, son of …, who"."""
    told = next((c for c in clause.verb.children if base(c) == "nsubj" and c.lower_ in ("who", "which", "that")), None)
    return told is None or told.i - subject.end > 1 or (told.lower_ == "which" and " of " in subject.label)


def _gerund(clause: Clause) -> bool:
    """ "software for exploring ideas": who explores is a guess; "is exploring" and "a film starring X" are none."""
    return (
        not any(word.pos_ == "AUX" for word in clause.words)
        and clause.verb.lower_.endswith("ing")
        and not clause.passive
        and clause.verb.lemma_ not in _BILLED
    )

"""Rule extraction on CaRB (Bhardwaj et al., 2019): n-ary tuples of its dev sentences against its crowd-sourced gold.

The tuples are those of the clauses, before any filter of the graph. The scorer follows the paper's section 3 and its
published code (lenient tuple match, arguments after the first as one). Recall takes each gold tuple's best prediction.
Precision pairs tuples one to one. F1 is at the best threshold of confidence.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path[:0] = [str(Path(__file__).parent.parent)]

from spacy.tokens import Token

from kgservice.extraction.syntax.clauses import base, clauses
from kgservice.extraction.syntax.parser import Parser

DATA = Path(os.environ.get("KGS_TEST_DATA", Path(__file__).parents[2] / "shared" / "data")) / "carb"
SAID = ("said", "told", "added", "adds", "says")
BE = ("be", "is", "am", "are", "was", "were", "been", "being")
DOUBTFUL = 0.15  # confidence lost a doubt


class Tuple(NamedTuple):
    """A relation with its first argument, and all others as one text."""

    relation: str
    first: str
    rest: str
    confidence: float = 1.0


def main() -> None:
    """Print F1, precision and recall on the dev sentences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pipeline", default="", help="a spaCy pipeline with UD labels; the packaged one by default")
    parser.add_argument("--tabbed", type=Path, help="also write the tuples in the scorer's own tabbed format")
    options = parser.parse_args()
    if not DATA.exists():
        print(json.dumps({"skip": f"no CaRB data at {DATA}; set KGS_TEST_DATA"}))
        return
    gold, parse = _gold(), Parser(options.pipeline)
    predicted = {sentence: list(_tuples(parse, sentence)) for sentence in gold}
    if options.tabbed:
        rows = ["\t".join((s, str(t.confidence), t.relation, t.first, t.rest)) for s in predicted for t in predicted[s]]
        options.tabbed.write_text("\n".join(rows) + "\n", encoding="utf-8")
    best = max(
        _scored(gold, predicted, least) for least in sorted({t.confidence for ts in predicted.values() for t in ts})
    )
    names = ("f1", "precision", "recall")
    print(json.dumps({"sentences": len(gold), **{n: round(v, 3) for n, v in zip(names, best, strict=True)}}))


def _gold() -> dict[str, list[Tuple]]:
    gold: dict[str, list[Tuple]] = defaultdict(list)
    with gzip.open(DATA / "dev_gold.tsv.gz", "rt", encoding="utf-8") as stream:
        for line in stream:
            sentence, relation, *arguments = line.rstrip("\n").split("\t")
            gold[sentence].append(Tuple(relation, arguments[0] if arguments else "", " ".join(arguments[1:])))
    return gold


def _tuples(parse: Parser, sentence: str) -> Iterator[Tuple]:
    for clause in clauses(parse.sentence(sentence)[:]):
        verb, words = clause.verb, list(clause.words) or [clause.verb]
        if clause.nominal and verb.pos_ == "ADJ":
            words.append(verb)
        relation = " ".join(word.text for word in words) if clause.words else "is"
        given = sorted(clause.arguments, key=lambda argument: (argument.head.i < verb.i, argument.head.i))
        rest = []
        for position, argument in enumerate(item for item in given if item.head not in words):
            lead = argument.preposition if position == 0 and argument.head.i > verb.i else ""
            relation += f" {lead}" if lead else ""
            if argument.role != "complement" or clause.nominal:
                rest.append(_text(argument.head, without_case=bool(lead)))
        more = [child for word in {verb, *words} for child in word.children if child not in words]
        rest += [_text(child) for child in sorted(more) if child.dep_ in ("ccomp", "xcomp", "advcl")]
        if rest:
            confidence = round(1 - DOUBTFUL * len(set(clause.doubts)), 2)
            yield Tuple(relation, _text(clause.subject, without_case=True), " ".join(rest), confidence)


def _text(head: Token, *, without_case: bool = False) -> str:
    """Return the phrase of a head without relative clauses and appositions.

    A nominal predicate is returned without its subject.
    """
    left_out = {"acl:relcl", "appos", "punct"} | ({"case"} if without_case else set())
    if any(child.dep_ == "cop" for child in head.children):
        left_out |= {"nsubj", "cop", "aux", "nmod", "obl", "advcl", "conj"}
    kept = [head]
    for token in kept:
        inner = left_out if token is head else {"acl:relcl", "appos"}
        kept += [child for child in token.children if child.dep_ not in inner and base(child) not in inner]
    ordered = sorted({token.i: token for token in kept}.items())
    doc = head.doc
    return "".join(
        doc[i].text + (" " if doc[i].whitespace_ or i + 1 not in dict(ordered) else "") for i, _ in ordered
    ).strip()


def _scored(gold: dict[str, list[Tuple]], found: dict[str, list[Tuple]], least: float) -> tuple[float, float, float]:
    """Return F1, precision and recall of the tuples with at least this confidence."""
    precision = recall = 0.0
    predicted = wanted = 0
    for sentence, truths in gold.items():
        guesses = [guess for guess in found[sentence] if guess.confidence >= least]
        scores = [[_match(truth, guess) for guess in guesses] for truth in truths]
        wanted, predicted = wanted + len(truths), predicted + len(guesses)
        recall += sum(max((score[1] for score in row), default=0.0) for row in scores)
        pairs = sorted(((-s[0], i, j) for i, row in enumerate(scores) for j, s in enumerate(row)))
        rows: set[int] = set()
        columns: set[int] = set()
        for score, i, j in pairs:
            if i not in rows and j not in columns:
                rows.add(i)
                columns.add(j)
                precision -= score
    p, r = precision / max(predicted, 1), recall / max(wanted, 1)
    return 2 * p * r / (p + r) if p + r else 0.0, p, r


def _match(truth: Tuple, guess: Tuple) -> tuple[float, float]:
    """Return precision and recall of the words, slot by slot, 0 without a common word in the relation."""
    straight = _slots(truth, guess)
    if any(word in truth.relation for word in SAID):
        return max(straight, _slots(truth, guess._replace(first=guess.rest, rest=guess.first)))
    return straight


def _slots(truth: Tuple, guess: Tuple) -> tuple[float, float]:
    common = said = wanted = 0
    for slot, (one, other) in enumerate(zip(truth[:3], guess[:3], strict=True)):
        right, given = Counter(one.split()), Counter(other.split())
        shared = sum((right & given).values())
        if not slot and given["be"] > right["be"] and any(right[form] for form in BE):
            shared += 1
        if not slot and not shared:
            return 0.0, 0.0
        common, said, wanted = common + shared, said + sum(given.values()), wanted + sum(right.values())
    return common / max(said, 1), common / max(wanted, 1)


if __name__ == "__main__":
    main()

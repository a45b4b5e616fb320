"""Graph correspondence (DRAGON, section 4.3): is everything in the question that belongs there, and the bridge not?

An entity's presence in a text is the similarity, 1 less the scaled Levenshtein distance, of its name and the closest
run of words. Named entities have to be present in the question and answers in the answer, on average over each part;
a single question may have its two entities either way round. Bridges must be absent from both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from statistics import fmean

from rapidfuzz.distance import Levenshtein

from kgservice.core.records import Subgraph
from kgservice.extraction.tables.lists import listed_row
from kgservice.names.mentions import BRACKET
from kgservice.questions.wording.russian import forms

PRESENT, NAMED = 0.8, 0.9  # the mean that a part needs; a bridge that comes closer counts as named
TAIL = 0.05


def presence(name: str, text: str) -> float:
    """Return how close the closest run of words comes to a name or a case of it, 0 to 1.

    What stands in brackets behind a name may stand before it: "the 1936 film Three Live Ghosts", as does what a table
    calls its rows: "the option timeout in “serve, Acme server”".
    """
    if (row := listed_row(name)) and row.name in text and row.place in text:
        return 1.0
    bracket = BRACKET.search(name)
    apart = bracket is not None and set(_bare(bracket[0]).split()) <= set(_bare(text).split())
    return max(_closeness(form, text) for form in forms(BRACKET.sub("", name) if apart else name))


def _closeness(name: str, text: str) -> float:
    wanted = _bare(name)
    runs = _runs(text, len(wanted.split()))
    if wanted in runs:
        return 1.0
    best = 0.0
    for run in runs:
        best = max(best, Levenshtein.normalized_similarity(wanted, run, score_cutoff=best))
    return best


@lru_cache(maxsize=1024)  # several names of a length are looked for in each question
def _runs(text: str, size: int) -> frozenset[str]:
    """Return the runs of words of a text that are about as long as a name of so many words."""
    words = text.lower().split()
    return frozenset(
        _stripped(" ".join(words[start : start + length]))
        for length in range(max(1, size - 1), size + 2)
        for start in range(max(1, len(words) - length + 1))
    )


def _bare(text: str) -> str:
    return _stripped(" ".join(text.lower().split()))


def _stripped(text: str) -> str:
    return text.removesuffix("'s").strip("?.,;:!'\"“”()")


def coefficient(row: Subgraph, text: str) -> float:
    """Return the presence of what belongs in question and answer, the lower of the two parts' means."""
    answer = "; ".join(row.answers)
    when = [_dated(period, text) for period in sorted({fact.period for fact in row.readings[0].facts} - {""})]
    if row.pattern == "single":
        ends = (max(presence(name, text), presence(name, answer)) for name in (*row.named, *row.answers))
        return fmean([*ends, *when])
    parts = ((row.named, text), (row.answers, text if row.pattern == "comparison" else answer))
    return min(fmean([*(presence(name, where) for name in names), *when]) for names, where in parts if names)


def _dated(period: str, text: str) -> float:
    """The presence of a period; another year is no period at all."""
    return presence(period, text) if all(year in text for year in re.findall(r"\d{4}", period)) else 0.0


def rejection_reason(row: Subgraph, text: str) -> str:
    """Say which part does not correspond to the graph, "" if both do."""
    if coefficient(row, text) < PRESENT:
        return "entities missing from the question"
    pivots = {pivot for reading in row.readings for pivot in reading.pivots}.difference(row.answers)
    return "bridge named in the question" if any(presence(pivot, text) >= NAMED for pivot in pivots) else ""


def tails(coefficients: Iterable[tuple[str, float]]) -> frozenset[str]:
    """Return the ids whose coefficients are the 5 % highest and the 5 % lowest, those that tie with the rest excepted.

    It looks at all questions at once, so it is a matter of export or release, never of generation: a question would
    come and go with others.
    """
    ranked = sorted(coefficients, key=lambda known: (known[1], known[0]))
    cut = int(len(ranked) * TAIL)
    if not cut:
        return frozenset()
    low, high = ranked[cut][1], ranked[-cut - 1][1]
    return frozenset(key for key, value in ranked if value < low or value > high)

"""Near-duplicate questions: the same answers asked for in almost the same words.

Which of two stays depends on which others there are, so this runs at export and release, never at generation: an
incremental refresh would not come to what a full generation comes to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from rapidfuzz import fuzz

from kgservice.core.records import Question

SIMILAR = 90.0  # of 100: rapidfuzz's ratio of the words in order of the alphabet


def near_duplicates(questions: Iterable[Question], older: Collection[str] = ()) -> frozenset[str]:
    """Return the ids of questions that repeat another one: of those that are older, else of a smaller id."""
    by_answers: dict[tuple[str, ...], list[Question]] = defaultdict(list)
    for question in questions:
        by_answers[tuple(sorted(answer.lower() for answer in question.answers))].append(question)
    ranked = (sorted(group, key=lambda one: (one.id not in older, one.id)) for group in by_answers.values())
    return frozenset(key for group in ranked for key in _repeated(group))


def _repeated(group: Sequence[Question]) -> Iterable[str]:
    kept: list[str] = []
    for question in group:
        text = question.question.lower()
        if any(fuzz.token_sort_ratio(text, other, score_cutoff=SIMILAR) for other in kept):
            yield question.id
        else:
            kept.append(text)

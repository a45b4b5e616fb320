"""What a run over FRAMES' questions comes to (table 3, figure 3), as sums and as a page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import TypeAlias

from kgservice.core.records import Record
from kgservice.evaluation.frames.run import AnsweredQuestion, FramedAnswer
from kgservice.evaluation.shared.report_page import Bar, PageCell, PageRow, PageTable, ReportExample, ReportPage
from kgservice.evaluation.shared.run_folder import Run
from kgservice.metrics.accuracy import Accuracy, accuracy, grouped

EXAMPLES = 12
MANY = 11  # articles and more are one group, as in figure 2

Pair = tuple[AnsweredQuestion, FramedAnswer]


class FramesSummary(Record):
    """Accuracy and the mean recall of a question's articles in the context, by condition.

    `by_type` and `by_articles` are accuracies by condition, then by reasoning type and by number of articles;
    `articles` is the mean number in the context, `absent` counts links that lead to nothing in the corpus.
    """

    questions: int
    skipped: dict[str, int]
    accuracy: dict[str, Accuracy]
    recall: dict[str, float]
    articles: dict[str, float]
    by_type: dict[str, dict[str, Accuracy]]
    by_articles: dict[str, dict[str, Accuracy]]
    ended: dict[str, dict[str, int]]
    links: int
    absent: int
    failed: dict[str, int]


FramesRun: TypeAlias = Run[FramesSummary]


def summary(answered: Sequence[AnsweredQuestion], skipped: Mapping[str, int]) -> FramesSummary:
    """Return what a run comes to; answers that no rater could rate do not count."""
    by_condition: dict[str, list[Pair]] = defaultdict(list)
    for question in answered:
        for one in question.answers:
            by_condition[one.condition].append((question, one))
    rated = {name: [pair for pair in pairs if pair[1].outcome != "unjudged"] for name, pairs in by_condition.items()}
    recalls = {name: [one.recall for _, one in pairs if one.recall is not None] for name, pairs in by_condition.items()}
    sizes = {name: fmean(len(one.documents) for _, one in pairs) for name, pairs in by_condition.items()}
    failures = Counter(one.failure for pairs in by_condition.values() for _, one in pairs if one.failure)
    return FramesSummary(
        questions=len(answered), skipped=dict(skipped),
        accuracy={name: accuracy(_right(one) for _, one in pairs) for name, pairs in rated.items()},
        recall={name: round(fmean(found), 4) for name, found in recalls.items() if found},
        articles={name: round(size, 1) for name, size in sizes.items()},
        by_type=_split(rated, lambda question: question.types),
        by_articles=_split(rated, lambda question: [_many(question.links)]),
        ended={name: dict(Counter(one.outcome for _, one in pairs)) for name, pairs in by_condition.items()},
        links=sum(one.links for one in answered), absent=sum(len(one.absent) for one in answered),
        failed=dict(failures.most_common()),
    )  # fmt: skip


def page(run: FramesRun, answered: Sequence[AnsweredQuestion]) -> ReportPage:
    """Return what the report shows."""
    known, found = run.identity, run.ended
    return ReportPage(
        title=f"Many articles, one answer (FRAMES): {known.generator}",
        lead=(
            f"{found.questions:,} questions, answered from articles of corpus {known.corpus} found by "
            f"{known.retriever}; rated by {known.judge}. Of {found.links:,} articles that they need {found.absent:,} "
            "are not in the corpus. The line in a bar is the 95 % interval.",
        ),
        tables=(
            PageTable(title="Accuracy, and recall of the articles that are needed",
                  columns=("accuracy", "recall", "articles"), rows=tuple(_rows(found))),
            _across("By reasoning type", found.by_type),
            _across("By number of articles that the answer needs", found.by_articles),
            PageTable.of_counts("How answers ended", found.ended),
        ),
        shown="Answers that are not right though every article was there", examples=tuple(_examples(answered)),
        left_out={"Not asked": found.skipped, "Failures": found.failed},
    )  # fmt: skip


def _rows(found: FramesSummary) -> Iterator[PageRow]:
    for name, one in found.accuracy.items():
        recall, size = found.recall.get(name), found.articles[name]
        recalled = PageCell() if recall is None else PageCell(shown=f"{recall:.3f}", bar=Bar(share=recall))
        yield PageRow(name=name, cells=(PageCell.of_share(one), recalled, PageCell(shown=f"{size:.1f}")))


def _right(one: FramedAnswer) -> bool:
    return one.outcome == "correct"


def _many(links: int) -> str:
    return f"{MANY}+" if links >= MANY else f"{links:2}".strip()


def _split(
    rated: Mapping[str, Sequence[Pair]], names: Callable[[AnsweredQuestion], Iterable[str]]
) -> dict[str, dict[str, Accuracy]]:
    return {
        condition: grouped((name, _right(one)) for question, one in pairs for name in names(question))
        for condition, pairs in rated.items()
    }


def _standing(name: str) -> tuple[int, str]:
    """Numbers of articles by size, types by name."""
    number = name.removesuffix("+")
    return int(number) if number.isdecimal() else 0, name


def _across(title: str, found: Mapping[str, Mapping[str, Accuracy]]) -> PageTable:
    """Groups down, conditions across."""
    names = sorted({name for groups in found.values() for name in groups}, key=_standing)
    return PageTable.of_shares(
        title, tuple(found), {name: [groups.get(name) for groups in found.values()] for name in names}
    )


def _examples(answered: Sequence[AnsweredQuestion]) -> list[ReportExample]:
    """Answers that are not right though every article was there, each to another question."""
    found = []
    for question in answered:
        weak = (one for one in question.answers if not _right(one) and one.recall == 1)
        if one := next(weak, None):
            found.append(
                ReportExample(
                    asked=question.question, given=f"{one.condition}: {', '.join(one.documents)}",
                    answer=one.answer or one.failure, notes=(one.reasoning,), wanted=question.truth,
                )
            )  # fmt: skip
    return found[:EXAMPLES]

"""The summary of a run over FRAMES' questions (table 3, figure 3) and its page."""

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
MANY = 11  # this many articles or more are one group, as in figure 2

Pair = tuple[AnsweredQuestion, FramedAnswer]


class FramesSummary(Record):
    """Accuracy and mean recall of a question's articles in the context, by condition.

    `by_type` and `by_articles` are accuracies by condition, then by reasoning type and by number of articles.
    `articles` is the mean number in the context. `absent` counts links without a document in the corpus.
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
    """Return the summary of a run. Answers that the rater failed at are not counted."""
    by_condition: dict[str, list[Pair]] = defaultdict(list)
    for question in answered:
        for answer in question.answers:
            by_condition[answer.condition].append((question, answer))
    rated = {name: [pair for pair in pairs if pair[1].outcome != "unjudged"] for name, pairs in by_condition.items()}
    recalls = {
        name: [answer.recall for _, answer in pairs if answer.recall is not None]
        for name, pairs in by_condition.items()
    }
    sizes = {name: fmean(len(answer.documents) for _, answer in pairs) for name, pairs in by_condition.items()}
    failures = Counter(answer.failure for pairs in by_condition.values() for _, answer in pairs if answer.failure)
    return FramesSummary(
        questions=len(answered), skipped=dict(skipped),
        accuracy={name: accuracy(_right(answer) for _, answer in pairs) for name, pairs in rated.items()},
        recall={name: round(fmean(found), 4) for name, found in recalls.items() if found},
        articles={name: round(size, 1) for name, size in sizes.items()},
        by_type=_split(rated, lambda question: question.types),
        by_articles=_split(rated, lambda question: [_many(question.links)]),
        ended={name: dict(Counter(answer.outcome for _, answer in pairs)) for name, pairs in by_condition.items()},
        links=sum(answer.links for answer in answered), absent=sum(len(answer.absent) for answer in answered),
        failed=dict(failures.most_common()),
    )  # fmt: skip


def page(run: FramesRun, answered: Sequence[AnsweredQuestion]) -> ReportPage:
    """Return the page of the report."""
    about, sums = run.identity, run.ended
    return ReportPage(
        title=f"Many articles, one answer (FRAMES): {about.generator}",
        lead=(
            f"{sums.questions:,} questions, answered from articles of corpus {about.corpus} found by "
            f"{about.retriever}; rated by {about.judge}. Of {sums.links:,} articles that they need {sums.absent:,} "
            "are not in the corpus. The line in a bar is the 95 % interval.",
        ),
        tables=(
            PageTable(title="Accuracy, and recall of the articles that are needed",
                  columns=("accuracy", "recall", "articles"), rows=tuple(_rows(sums))),
            _across("By reasoning type", sums.by_type),
            _across("By number of articles that the answer needs", sums.by_articles),
            PageTable.of_counts("How answers ended", sums.ended),
        ),
        shown="Answers that are not right though every article was there", examples=tuple(_examples(answered)),
        left_out={"Not asked": sums.skipped, "Failures": sums.failed},
    )  # fmt: skip


def _rows(summary: FramesSummary) -> Iterator[PageRow]:
    for name, share in summary.accuracy.items():
        recall, size = summary.recall.get(name), summary.articles[name]
        recalled = PageCell() if recall is None else PageCell(shown=f"{recall:.3f}", bar=Bar(share=recall))
        yield PageRow(name=name, cells=(PageCell.of_share(share), recalled, PageCell(shown=f"{size:.1f}")))


def _right(one: FramedAnswer) -> bool:
    return one.outcome == "correct"


def _many(links: int) -> str:
    return f"{MANY}+" if links >= MANY else f"{links:2}".strip()


def _split(
    rated: Mapping[str, Sequence[Pair]], names: Callable[[AnsweredQuestion], Iterable[str]]
) -> dict[str, dict[str, Accuracy]]:
    return {
        condition: grouped((name, _right(answer)) for question, answer in pairs for name in names(question))
        for condition, pairs in rated.items()
    }


def _standing(name: str) -> tuple[int, str]:
    """Return the sort key of a group: numbers of articles by size, types by name."""
    number = name.removesuffix("+")
    return int(number) if number.isdecimal() else 0, name


def _across(title: str, by_condition: Mapping[str, Mapping[str, Accuracy]]) -> PageTable:
    """Return a table with groups as rows and conditions as columns."""
    names = sorted({name for groups in by_condition.values() for name in groups}, key=_standing)
    return PageTable.of_shares(
        title, tuple(by_condition), {name: [groups.get(name) for groups in by_condition.values()] for name in names}
    )


def _examples(answered: Sequence[AnsweredQuestion]) -> list[ReportExample]:
    """Return wrong answers of questions with every article in the context, one a question."""
    examples = []
    for question in answered:
        weak = (answer for answer in question.answers if not _right(answer) and answer.recall == 1)
        if answer := next(weak, None):
            examples.append(
                ReportExample(
                    asked=question.question, given=f"{answer.condition}: {', '.join(answer.documents)}",
                    answer=answer.answer or answer.failure, notes=(answer.reasoning,), wanted=question.truth,
                )
            )  # fmt: skip
    return examples[:EXAMPLES]

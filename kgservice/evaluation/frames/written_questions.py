"""Questions that a model writes over k articles (FRAMES, section 2 and figure 5), checked as far as a machine can.

The paper found more than 30 % of such questions and answers invented. What is checked here: evidence stands verbatim in
the articles given, no article has all of it, an answer that is not computed stands in it, the question makes sense
without the articles, does not name its answer, is not answered by yes or no, and dates what may change (section 2's
quality checks). Whether a computed answer is right is not checked: `evaluate frames --conditions oracle` reads anew.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import aclosing
from itertools import chain
from pathlib import Path

from pydantic import BaseModel

from kgservice.core import keys
from kgservice.core.errors import LLMFailure
from kgservice.core.records import Record
from kgservice.evaluation.frames.article_sets import Article, ArticleSet
from kgservice.extraction.grounding import cleaned
from kgservice.extraction.llm_extractor import verbatim
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.estimate import Estimate, estimate
from kgservice.llm.ledger import Spending
from kgservice.llm.prompts import prompt
from kgservice.questions.export.frames_rows import NUMERICAL, PROCESSED, REASONING, TEMPORAL
from kgservice.questions.export.replaced_file import replacing
from kgservice.text.matching import match, normalised

STAGE, PROMPT = "write questions", "write_questions"
ANSWER_TOKENS = 250  # of a question with its evidence
LONGEST_ANSWER = 120  # characters
FEWEST_WORDS = 3  # of a sentence of evidence
FEWEST_ARTICLES = 2
TYPES = {re.sub(r"[^a-z]", "", name.lower()): name for name in REASONING}  # by their letters
COMPUTED = {NUMERICAL, TEMPORAL, PROCESSED}  # evidence may lack it

_BINARY = re.compile(r"(?i)(?:yes|no|true|false)(?:[.,;:!]? *\Z|[,;:] )")
_POINTS = re.compile(
    r"(?i)\b(?:articles?|extracts?|passages?|documents?|texts?) (?:\d|above|below|given|provided)"
    r"|\b(?:given|provided|these|both|above) (?:\w+ )?(?:articles|extracts|passages|documents|texts)\b"
    r"|\b(?:according to|in) the (?:article|extract|passage|text)s?\b"
)
_CHANGES = re.compile(
    r"(?i)\b(?:current(?:ly)?|today|nowadays|now|at present|present-day|so far|to date|incumbent|still|recently"
    r"|(?:this|last|next) year|(?:latest|newest|most recent(?:ly)?)(?! of))\b"
)
_YEAR = re.compile(r"\b(?:1\d|2[01])\d\d\b")


class ArticleSentence(BaseModel):
    """A sentence of an article by its number."""

    article: int
    sentence: str


class ArticleQuestion(BaseModel):
    """A question over several articles, with what it takes."""

    reasoning: str
    question: str
    answer: str
    types: list[str]
    evidence: list[ArticleSentence]


class ArticleQuestions(BaseModel):
    """The questions, as many as the articles give."""

    questions: list[ArticleQuestion]


class FoundSentence(Record):
    """A sentence of evidence as its article has it."""

    article: str
    sentence: str


class WrittenQuestion(Record):
    """A question with the fields of FRAMES' JSONL, and what its answer rests on. Links are the loader's names."""

    id: str
    question: str
    answer: str
    reasoning_types: tuple[str, ...]
    wiki_links: tuple[str, ...]
    reasoning: str
    evidence: tuple[FoundSentence, ...]


class WritingReport(Record):
    """What came of sets of articles and questions: sets = answered + failed, questions = written + rejected.

    `wanted` is the number of sets asked for. `types` and `articles` count written questions by reasoning type and by
    number of articles.
    """

    wanted: int
    sets: int
    failed: dict[str, int]
    questions: int
    written: int
    rejected: dict[str, int]
    types: dict[str, int]
    articles: dict[str, int]
    llm: Spending


def rejection_reason(given: ArticleQuestion, shown: Sequence[Article]) -> str:
    """Return why a question about the articles shown is not kept, or an empty string."""
    return next(chain(_misasked(given), _unfounded(given, shown)), "")


def _misasked(given: ArticleQuestion) -> Iterator[str]:
    """Yield what is wrong with the words of a question and its answer."""
    question, answer = cleaned(given.question), cleaned(given.answer)
    if not question.endswith("?") or not normalised(question):
        yield "no question"
    if not normalised(answer) or len(answer) > LONGEST_ANSWER:
        yield "no answer, or a long one"
    if _BINARY.match(answer):
        yield "the answer is yes or no"
    if f" {normalised(answer)} " in f" {normalised(question)} ":
        yield "the question names its answer"
    if not given.types or not all(_spelt(name) for name in given.types):
        yield "no reasoning type of the five"
    if _POINTS.search(question):
        yield "the question points at its articles"
    if _CHANGES.search(question) and not _YEAR.search(question):
        yield "what may change has no date"


def _unfounded(given: ArticleQuestion, shown: Sequence[Article]) -> Iterator[str]:
    """Yield what is wrong with the evidence; what follows the first fault is of no use."""
    if any(not 1 <= one.article <= len(shown) for one in given.evidence):
        yield "evidence of an article that was not given"
    if any(len(one.sentence.split()) < FEWEST_WORDS for one in given.evidence):
        yield "evidence that is no sentence"
    if any(verbatim(shown[one.article - 1].text, one.sentence) is None for one in given.evidence):
        yield "evidence that is not in its article"
    if len({one.article for one in given.evidence}) < FEWEST_ARTICLES:
        yield "evidence of fewer than two articles"
    if any(all(verbatim(article.text, one.sentence) for one in given.evidence) for article in shown):
        yield "one article has all the evidence"
    stated = " ".join(one.sentence for one in given.evidence)
    if not COMPUTED.intersection(map(_spelt, given.types)) and not match(stated, given.answer):
        yield "the answer is not in its evidence"


def estimate_questions(llm: LLM, sets: Iterable[ArticleSet], number: int) -> Estimate:
    """Return what the questions are expected to cost, `number` of each set. Nothing is asked."""
    return estimate(llm, (_asked(one, number) for one in sets), ANSWER_TOKENS * number)


async def write_article_questions(
    llm: LLM, sets: Sequence[ArticleSet], file: Path, *, number: int, wanted: int
) -> WritingReport:
    """Write the questions of a model over sets of articles that are sound, one a line, and close the model.

    A file that is there is replaced at the end, if there are any.
    """
    failed, rejected, types, widths = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    kept: dict[str, WrittenQuestion] = {}
    async with llm:
        with replacing(file) as out:
            async with aclosing(gather(llm, (_asked(one, number) for one in sets))) as replies:
                for one in sets:
                    reply = await anext(replies)
                    if isinstance(reply, LLMFailure):
                        failed[reply.reason] += 1
                    for made, reason in _sifted(reply, one.articles, number):
                        if reason or made.id in kept:
                            rejected[reason or "asked already"] += 1
                            continue
                        kept[made.id] = made
                        types.update(made.reasoning_types)
                        widths[str(len(made.wiki_links))] += 1
                        out.write(made.model_dump_json() + "\n")
    return WritingReport(
        wanted=wanted, sets=len(sets), failed=dict(sorted(failed.items())), questions=len(kept) + rejected.total(),
        written=len(kept), rejected=dict(sorted(rejected.items())), types=dict(sorted(types.items())),
        articles=dict(sorted(widths.items())), llm=llm.spending(),
    )  # fmt: skip


def _sifted(
    reply: BaseModel | LLMFailure, shown: Sequence[Article], number: int
) -> Iterator[tuple[WrittenQuestion, str]]:
    """Yield each question of a reply with the reason against it, an empty string for none."""
    given = reply.questions if isinstance(reply, ArticleQuestions) else []
    for place, one in enumerate(given):
        reason = "more questions than asked for" if place >= number else rejection_reason(one, shown)
        yield _written(one, [] if reason else shown), reason


def _written(given: ArticleQuestion, shown: Sequence[Article]) -> WrittenQuestion:
    """Return a question as it is written; its evidence needs the articles."""
    used = [(shown[one.article - 1], one.sentence) for one in given.evidence] if shown else []
    links = tuple(dict.fromkeys(article.source for article, _ in used))
    question, types = cleaned(given.question), dict.fromkeys(filter(None, map(_spelt, given.types)))
    return WrittenQuestion(
        id=keys.digest(12, "frames", normalised(question)), question=question, answer=cleaned(given.answer),
        reasoning_types=tuple(types), wiki_links=links, reasoning=cleaned(given.reasoning),
        evidence=tuple(
            FoundSentence(article=article.source, sentence=verbatim(article.text, sentence) or "")
            for article, sentence in used
        ),
    )  # fmt: skip


def _spelt(name: str) -> str:
    """Return a reasoning type in FRAMES' spelling, an empty string for any other."""
    return TYPES.get(re.sub(r"[^a-z]", "", name.lower()), "")


def _asked(one: ArticleSet, number: int) -> Ask:
    told = prompt(PROMPT, articles=one.articles, names=one.names, number=number)
    return Ask(told, ArticleQuestions, STAGE, keys.digest(12, *(article.source for article in one.articles)))

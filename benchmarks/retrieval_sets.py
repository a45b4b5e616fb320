"""Public questions with the passages that answer them, as data sets for benchmarks of retrieval."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]  # kgservice from this checkout

from kgservice.core.records import Document
from loaders.sec.filings_10k import Filing10kLoader
from loaders.triplets import TripletsLoader

DATA = Path(os.environ.get("KGS_TEST_DATA", ROOT.parent / "shared" / "data"))
_REFERENCE = re.compile(r"#(\d+)")


class Question(NamedTuple):
    """A question with the sources of its gold passages; its answer, where that is known, and what kind it is of."""

    text: str
    gold: frozenset[str]
    answer: str = ""
    kind: str = ""


class DataSet(NamedTuple):
    """Passages and questions; the documents' sources are their places in the file.

    `by_item`: gold is an Item of a filing ("AAPL Item 3"), found by a chunk of it.
    """

    documents: list[Document]
    questions: list[Question]
    by_item: bool = False


def _rows(file: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / file, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def _documents(passages: Sequence[tuple[str, str]]) -> list[Document]:
    return [Document(source=str(at), title=title, text=text) for at, (title, text) in enumerate(passages)]


def two_wiki() -> DataSet:
    """2WikiMultihopQA: 6,119 passages, the 101 questions of fast-graphrag's benchmark."""
    documents = _documents([(row["title"], row["text"]) for row in _rows("hipporag/2wikimultihopqa_corpus.jsonl.gz")])
    sources = {one.title: one.source for one in documents}
    rows = _rows("hipporag/2wikimultihopqa_queries101.jsonl.gz")
    return DataSet(
        documents, [Question(row["question"], frozenset(sources[t] for t in row["gold_titles"])) for row in rows]
    )


def musique() -> DataSet:
    """MuSiQue train 100, facts by the project's own rules."""
    documents = _documents([(row["title"], row["text"]) for row in _rows("hipporag/musique_train100_corpus.jsonl.gz")])
    sources = {(one.title, one.text): one.source for one in documents}
    questions = [
        Question(
            row["question"],
            frozenset(sources[p["title"], p["paragraph_text"]] for p in row["paragraphs"] if p["is_supporting"]),
            row["answer"],
            row["id"].partition("__")[0].rstrip("1234567890").replace("hop", " hops"),
        )
        for row in _rows("hipporag/musique_train100_queries.jsonl.gz")
    ]
    return DataSet(documents, questions)


def musique_llm() -> DataSet:
    """MuSiQue train 100 with the triples of gpt-3.5-turbo instead of the rules'."""
    plain = musique()
    given = {
        (one.title, one.text): one.triplets
        for one in TripletsLoader(DATA / "hipporag/musique_train100_openie_gpt35.jsonl.gz").read()
        if isinstance(one, Document)
    }
    documents = [
        one.model_copy(update={"triplets": given[" ".join(one.title.split()), one.text]}) for one in plain.documents
    ]
    return DataSet(documents, plain.questions)


def hotpot() -> DataSet:
    """HotpotQA train 100."""
    rows = _rows("hipporag/hotpotqa_train100_corpus.jsonl.gz")
    documents = _documents([(row["title"], "".join(row["sentences"])) for row in rows])
    sources = {one.title: one.source for one in documents}
    return DataSet(
        documents,
        [
            Question(
                row["question"],
                frozenset(sources[title] for title, _ in row["supporting_facts"]),
                row["answer"],
                row["type"],
            )
            for row in _rows("hipporag/hotpotqa_train100_queries.jsonl.gz")
        ],
    )


def single() -> DataSet:
    """Single hops: the steps of MuSiQue train 100's questions, each with the answers of earlier ones in it."""
    plain = musique()
    sources = {(one.title, one.text): one.source for one in plain.documents}
    questions: dict[str, Question] = {}
    for row in _rows("hipporag/musique_train100_queries.jsonl.gz"):
        paragraphs = {one["idx"]: sources[one["title"], one["paragraph_text"]] for one in row["paragraphs"]}
        answers: list[str] = []
        for step in row["question_decomposition"]:
            text = _REFERENCE.sub(partial(_answer, answers), step["question"]).replace(" >> ", ", ")
            text = re.sub(r" +([?'])", r"\1", text)
            answers.append(step["answer"])
            questions[text] = Question(text, frozenset([paragraphs[step["paragraph_support_idx"]]]), step["answer"])
    return DataSet(plain.documents, list(questions.values()))


def _answer(answers: Sequence[str], reference: re.Match[str]) -> str:
    return answers[int(reference[1]) - 1]


def _pooled(file: str, limit: int, left_out: frozenset[str] = frozenset()) -> DataSet:
    """Questions with the union of their paragraphs."""
    rows = [row for row in _rows(file) if row["context"] and row["question"] not in left_out][:limit]
    passages = {(title, _joined(said)): None for row in rows for title, said in row["context"]}
    documents = _documents(list(passages))
    sources = {(one.title, one.text): one.source for one in documents}
    questions = []
    for row in rows:
        by_title = {title: sources[title, _joined(said)] for title, said in row["context"]}
        gold = frozenset(by_title[title] for title, _ in row["supporting_facts"] if title in by_title)
        questions.append(Question(row["question"], gold, str(row["answer"]), row["type"]))
    return DataSet(documents, questions)


def _joined(sentences: Sequence[str]) -> str:
    return ("" if any(one.startswith(" ") for one in sentences[1:2]) else " ").join(sentences)


def two_wiki_dev() -> DataSet:
    """2WikiMultihopQA dev 200 without questions that have no paragraphs and the one that is among the 101."""
    judged = frozenset(row["question"] for row in _rows("hipporag/2wikimultihopqa_queries101.jsonl.gz"))
    return _pooled("multihop-qa/2wikimultihopqa_dev200.jsonl.gz", 200, judged)


def hotpot_dev() -> DataSet:
    """The first 120 of HotpotQA dev 200."""
    return _pooled("multihop-qa/hotpotqa_dev200.jsonl.gz", 120)


def news() -> DataSet:
    """MultiHop-RAG: 326 articles, each of its evidence sentences alone, and the even queries that have gold."""
    articles = _rows("multihop-rag/evidence_articles.jsonl.gz")
    sources = {one["url"]: str(at) for at, one in enumerate(articles)}
    documents = [
        Document(source=str(at), title=one["title"], text="\n\n".join(one["facts"]), url=one["url"])
        for at, one in enumerate(articles)
    ]
    questions = [
        Question(row["question"], frozenset(sources[one["url"]] for one in row["evidence_list"]), row["answer"])
        for row in _rows("multihop-rag/queries_even.jsonl.gz")
        if row["evidence_list"]
    ]
    return DataSet(documents, questions)


COMPANIES = {"AAPL": "Apple", "NKE": "Nike", "KO": "Coca-Cola", "GME": "GameStop"}
OTHER_COMPANIES = {
    "ADBE": "Adobe", "BA": "Boeing", "CSCO": "Cisco", "IBM": "IBM", "JNJ": "Johnson & Johnson", "META": "Meta",
    "NVDA": "Nvidia", "TSLA": "Tesla", "UNH": "UnitedHealth", "V": "Visa",
}  # fmt: skip
ELSEWHERE = {  # Items of less than 300 characters, which refer to another place, and IBM's statements in another file
    "ADBE": ("1C", "3"), "BA": ("3",), "IBM": ("3", "7", "7A", "8"), "JNJ": ("3",), "NVDA": ("3",), "V": ("3",),
}  # fmt: skip
ITEMS = {  # what the Items of a 10-K answer, in other words than their headings
    "1A": "What could harm {}'s business and results?",
    "1C": "How does {} protect itself from cyber attacks, and who oversees that?",
    "2": "Where are {}'s offices and buildings, and does it own or lease them?",
    "3": "Which lawsuits is {} involved in?",
    "5": "On which exchange is {}'s stock traded, and did it buy back shares?",
    "7": "Why did {}'s revenue and gross margin change compared with the year before?",
    "7A": "How would a change of interest rates or currencies affect {}?",
    "8": "What were {}'s total assets at the end of the year?",
    "9A": "Did {}'s management find its internal control over financial reporting effective?",
}


def filings() -> DataSet:
    """Five 10-K filings, whole, and a question an Item of four (McDonald's headings name no Items)."""
    return _filings(COMPANIES, ("MCD",))


def other_filings() -> DataSet:
    """Eleven other 10-K filings, which chose no signal, and a question an Item of ten (Intel's headings name none)."""
    return _filings(OTHER_COMPANIES, ("INTC",))


def _filings(companies: Mapping[str, str], beside: Sequence[str]) -> DataSet:
    """Filings, those `beside` without questions; a chunk of the Item of a filing answers its question."""
    documents = [
        one
        for filer in (*companies, *beside)
        for file in sorted((DATA / "sec-10k").glob(f"{filer}_*.html.gz"))
        for one in Filing10kLoader(file).read()
        if isinstance(one, Document)
    ]
    questions = [
        Question(text.format(company), frozenset([f"{filer} Item {item}"]))
        for filer, company in companies.items()
        for item, text in ITEMS.items()
        if item not in ELSEWHERE.get(filer, ())
    ]
    return DataSet(documents, questions, by_item=True)


SETS: dict[str, Callable[[], DataSet]] = {
    "2wiki": two_wiki,
    "musique": musique,
    "musique-llm": musique_llm,
    "hotpotqa": hotpot,
    "2wikidev": two_wiki_dev,
    "hotpotdev": hotpot_dev,
    "single": single,
    "news": news,
    "filings": filings,
    "other-filings": other_filings,
}
CORPUS = {"single": "musique"}  # sets that ask the passages of another
FAMILY = {  # of what origin a set is: weights that saw none of it judge it
    "2wiki": "2wiki",
    "2wikidev": "2wiki",
    "musique": "musique",
    "musique-llm": "musique",
    "single": "musique",
    "hotpotqa": "hotpotqa",
    "hotpotdev": "hotpotqa",
    "news": "news",
}

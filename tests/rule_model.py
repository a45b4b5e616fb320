"""A "language model" made of rules: it words, knows by heart, judges, reads, translates, answers and searches, as one is asked to.

What it says is a function of what it is asked, and as uneven as a model's: now and then it names a bridge, gives an answer
away, leaves a question empty, miscopies a sentence, marks the same thing lower. So every filter has something to do.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from threading import Lock
from typing import Any, NamedTuple

from kgservice.answering.document_question import narrowed
from kgservice.answering.reader.question_words import asking
from kgservice.core.records import Term
from kgservice.evaluation.rare.rewording import Rewording
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.text_facts import extract
from kgservice.names.mentions import mentions
from kgservice.retrieval.bm25 import bare
from kgservice.text.matching import answered, match, normalised, written_values
from kgservice.text.refusal import refuses
from kgservice.text.sentences import sentences
from tests.llm_server import filled, form

REFUSAL = "no such info"
WINDOW = 20  # triplets of a window at most
MONTHS = "January February March April May June July August September October November December".split()

_FENCE = re.compile(r'<data (\w+) name="([^"]*)">\n(.*?)\n</data \1>', re.DOTALL)
_MOVES = re.compile(
    r"chief executive|mayor|chair|governor|population|employs|employees|rate|largest|revenue|headquarter"
)
_PUBLISHED, _YEAR = re.compile(r'"published": "(\d{4})-(\d\d)'), re.compile(r"\b(?:19|20)\d\d\b")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_CLAUSES = re.compile(r"\b(?:whose|which|that|who|whom|where)\b")


class Asked(NamedTuple):
    """A request taken apart: the two messages, what is fenced by its name, and of that what is numbered, in order."""

    system: str
    user: str
    data: dict[str, str]
    texts: list[str]

    def values(self, name: str) -> list[str]:
        """The quoted values on a line of the question."""
        found = re.search(rf"^{name}: (.*)$", self.user, re.M)
        return [json.loads(one) for one in _STRING.findall(found[1])] if found else []

    def odd(self, one_in: int, what: str) -> bool:
        """Whether this is one of the cases in which a model slips."""
        return random.Random(f"{what} {self.user}").random() * one_in < 1


class RuleModel:
    """Answers requests, one at a time; of what it has worded it knows some answers by heart."""

    def __init__(self) -> None:
        self._heart: dict[str, str] = {}
        self._parser, self._rewording = Parser(), Rewording()
        self._turn = Lock()

    def __call__(self, request: Mapping[str, Any]) -> Any:
        """Return the answer to a request, in the form that it asks for."""
        system, user = (message["content"] for message in request["messages"][:2])
        schema = form(request) or json.loads(system.rpartition("is not the answer:\n")[2])
        found = _FENCE.findall(user)
        texts = [text for _, name, text in found if re.search(r" \d+$", name)]
        asked = Asked(system, user, {name: text for _, name, text in found}, texts)
        with self._turn:
            answer = self._answer(schema, asked)
        return filled(request) if answer is None else answer

    def _answer(self, schema: Mapping[str, Any], asked: Asked) -> Any:
        name, fields = schema["title"], schema["properties"]
        if name == "Wording":
            return self._worded(asked)
        if name == "FromMemory":
            return {"answer": self._heart.get(asked.data["question"], REFUSAL)}
        if name == "StatedTriplets":
            read = (one for at, text in enumerate(asked.texts, 1) for one in self._read(asked, at, text))
            return {"triplets": list(islice(read, WINDOW))}
        if name == "Translated":
            return {"text": self._translated(asked)}
        if name in _FORMS:
            return _FORMS[name](asked)
        if name == "Reasoned":
            return _example(asked) if "relevant" in fields else _found(asked.data["question"], asked.texts)
        return {name: _mark(asked, name) for name in fields} if "remark" in fields else None

    def _worded(self, asked: Asked) -> Any:
        """The draft, said of its time where its fact moves; or a slip."""
        (draft,), answers, pivots = asked.values("Draft"), asked.values("Answers"), asked.values("Never to be named")
        if asked.odd(25, "empty"):
            return {"question": "", "answers": []}
        when = _PUBLISHED.search(asked.user)
        if when and _MOVES.search(draft) and not _YEAR.search(draft) and draft.endswith("?"):
            draft = f"As of {MONTHS[int(when[2]) - 1]} {when[1]}, {draft[0].lower()}{draft[1:]}"
        if draft.startswith("Name every"):
            draft = f"List all of these: every{draft.removeprefix('Name every')}"
        if asked.odd(40, "told"):
            draft = f"{draft[:-1]}, if not {answers[0]}?"
        if pivots and asked.odd(20, "named"):
            draft = f"{draft[:-1]}, that is, of {pivots[0]}?"
        if asked.odd(20, "heart"):
            self._heart[draft] = "; ".join(answers)
        return {"question": draft, "answers": ["something else"] if asked.odd(60, "other") else answers}

    def _translated(self, asked: Asked) -> str:
        """There it is quoted, back it is in other words; now and then the end is lost."""
        if 'into "French"' in asked.user:
            return f"« {asked.data['text']} »"
        text = asked.data["text"].removeprefix("« ").removesuffix(" »")
        if asked.odd(20, "cut"):
            text = text[: max(start for start, _ in sentences(text))]
        return self._rewording.reworded(text, _names(text))

    def _read(self, asked: Asked, number: int, text: str) -> list[dict[str, Any]]:
        """What the offline rules read in a chunk, with a sentence miscopied here and a chunk's number mistaken there."""
        title = asked.values("Document")[0]
        found = []
        for one in (one for doc in self._parser.parse(text, title) for one in extract(doc, title).triplets):
            sentence = one.sentence.replace(" the ", " a ") if asked.odd(15, one.sentence) else one.sentence
            at = 99 if asked.odd(40, one.relation + one.object.label) else number
            ends = {"subject": one.subject.label, "subject_type": _type(one.subject)}
            ends |= {"object": one.object.label, "object_type": _type(one.object)}
            found.append({"chunk": at, "sentence": sentence, "relation": one.relation} | ends)
        return found


def _type(term: Term) -> str:
    return term.type or ""


def _mark(asked: Asked, criterion: str) -> Any:
    """A mark by what a look at words can tell; every few votes it is lower."""
    if criterion == "remark":
        return "by the words alone"
    if criterion == "score":
        return 100 if answered(asked.data["answer"], asked.data["reference answer"]) else 25
    if (said := asked.data.get("answer of the system")) is not None and criterion != "consistency" and refuses(said):
        return 0
    if criterion in ("accuracy", "completeness", "preservation"):
        return 2 if answered(asked.data["answer of the system"], asked.data["reference answer"]) else 0
    question, best = asked.data.get("question", ""), 5 if "1 to 5" in asked.system else 2
    clauses, said = len(_CLAUSES.findall(question)), said or asked.data.get("answer", "")
    known = set(bare(" ".join(asked.texts)))
    borne = all(len(known & {*bare(part)}) >= 0.6 * len(bare(part)) for part in said.split("; "))
    lost = {
        "clarity": max(0, clauses - 2) + (len(question.split()) > 30),
        "naturalness": "the one" in question,
        "correctness": 0 if borne or _counted(said) else best // 2 + 1,
        "reasonableness": 1 + (len(asked.texts) == 1),
    }
    return max(0 if best == 2 else 1, best - lost.get(criterion, 0) - asked.odd(9, criterion))


def _counted(said: str) -> bool:
    return bool(re.fullmatch(r"\d+", said)) or ": " in said


def _found(question: str, texts: Sequence[str]) -> Any:
    """The name or value that the likeliest sentence has and the question has not."""
    sentence, shared = _likeliest(question, texts)
    wanted = (
        [value for value, _ in written_values(sentence)]
        if re.search(r"(?i)how (?:many|much)|when|what (?:is|are|was|were)", question)
        else []
    )
    told = [one for one in (*wanted, *_names(sentence)) if normalised(one) not in normalised(question)]
    if shared < 0.4 or not told:
        return {"reasoning": "No passage speaks of it.", "answer": REFUSAL}
    return {"reasoning": f"It says: {sentence}", "answer": told[0]}


def _likeliest(question: str, texts: Sequence[str]) -> tuple[str, float]:
    """The sentence that shares most of the question's words, with their share."""
    words = set(bare(question))
    said = [" ".join(text[start:end].split()) for text in texts for start, end in sentences(text)]
    ranked = [(len(words & set(bare(one))) / max(len(words), 1), one) for one in said]
    shared, sentence = max(ranked, default=(0.0, ""))
    return sentence, shared


def _names(text: str) -> list[str]:
    return [text[one.start : one.end] for one in mentions("", text) if one.start is not None]


def _verdict(asked: Asked) -> Any:
    sentence, shared = _likeliest(asked.data["claim"], asked.texts)
    if "What does the document make" in asked.user and shared < 0.4:
        return {"reasoning": "It says nothing of it.", "verdict": "Neither"}
    denied = bool(re.search(r"\b(?:not|never|no|false)\b", sentence)) != bool(
        re.search(r"\b(?:not|never|no)\b", asked.data["claim"])
    )
    return {"reasoning": sentence or "from memory", "verdict": "False" if denied or shared < 0.2 else "True"}


def _queries(asked: Asked) -> list[str]:
    """Names of the question, then names that were found, each once."""
    searched = {json.loads(line) for line in re.findall(r'^searched: (".*")$', asked.user, re.M)}
    question = asked.data["question"]
    names = (name for text in asked.texts for name in _names(text))
    return list(islice((one for one in dict.fromkeys((*_names(question), *names)) if one not in searched), 5))


def _example(asked: Asked) -> Any:
    sentence, _ = _likeliest(asked.data["question"], [asked.data["document"]])
    return {"relevant": sentence, "questions": _parts(asked), "hypothetical_summary": _summary(asked)}


def _parts(asked: Asked) -> list[str]:
    about = [f"Is this document about {name}?" for name in _names(asked.data["question"])]
    return [*about, narrowed(asking(asked.data["question"]))]


def _summary(asked: Asked) -> str:
    return f"A document about {', '.join(_names(asked.data['question'])) or 'what is asked'}."


def _each(asked: Asked) -> list[str]:
    questions = re.findall(r'^Question \d+: (".*")$', asked.user, re.M)
    return [_found(json.loads(one), asked.texts)["answer"] for one in questions]


def _together(asked: Asked) -> Any:
    told = [(at, text) for at, text in enumerate(asked.texts, 1) if not refuses(text)]
    if "how many" in asked.data["question"].lower():
        return {"answer": str(len(told)), "relevant_documents": [at for at, _ in told]}
    titles = dict(re.findall(r'^Document (\d+): "(.*)"$', asked.user, re.M))
    said = "; ".join(f"{titles.get(str(at), at)}: {text.rpartition('? ')[2]}" for at, text in told)
    return {"answer": said or REFUSAL, "relevant_documents": [at for at, _ in told]}


def _same(one: str, two: str) -> bool:
    return bool(match(one, two) or match(two, one))


def _implied(asked: Asked) -> Any:
    said = [json.loads(line) for line in re.findall(r'^Statement \d+: (".*")$', asked.user, re.M)]
    return {"implied": [normalised(one) in normalised(asked.data["text"]) for one in said]}


def _split(asked: Asked) -> Any:
    answer = asked.data["answer"]
    return {"statements": [] if refuses(answer) else [part.strip() for part in answer.split(";") if part.strip()]}


_FORMS = {
    "Capital": lambda _: {"country": "France", "capital": "Paris", "letters_in_capital": 5},
    "Checked": _verdict,
    "Searched": lambda asked: {"queries": _queries(asked)},
    "Planned": lambda asked: {"reasoning": "a name that was not searched for", "queries": _queries(asked)},
    "Refusal": lambda asked: {"refused": refuses(asked.data["answer"])},
    "Same": lambda asked: {"same": _same(asked.data["answer of the system"], asked.data["reference answer"])},
    "Rated": lambda asked: {
        "explanation": "compared by words", "same": _same(asked.data["predicted answer"], asked.data["true answer"])
    },
    "Split": _split,
    "Compared": _implied,
    "Aggregated": _together,
    "Answers": lambda asked: {"answers": _each(asked)},
    "Decomposition": lambda asked: {"hypothetical_summary": _summary(asked), "questions": _parts(asked)},
}  # fmt: skip

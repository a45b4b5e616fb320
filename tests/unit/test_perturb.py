"""Perturbations: seeded, other than the original, with the names and the answer where they belong."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgservice.core.records import Fact, Question, Source
from kgservice.evaluation.rare.corpus_words import CorpusWords
from kgservice.evaluation.rare.passages import PassagePerturber, changed, without_answer
from kgservice.evaluation.rare.perturb import Perturber, Variant, names_in
from kgservice.evaluation.rare.rephrase import rephrased
from kgservice.evaluation.rare.rewording import Rewording
from kgservice.graph.contexts import Context
from kgservice.vectors.embedder import Embedder
from tests.conftest import examples

TEXT = (
    "The harbour of the town was widened twice in ten years. Tolvane Motors was founded by Irena Kost. The company "
    "makes small engines. In 2030, sales rose to 684.2 million USD. Irena Kost acquired a plant in 2031."
)
SENTENCE = "Tolvane Motors was founded by Irena Kost."


class Letters(Embedder):
    """Vectors of letters: near where texts look alike, and no model is loaded."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        counted = [[1e-9 + text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]
        return [[number / sum(n * n for n in row) ** 0.5 for number in row] for row in counted]


def question(text: str = "Which person founded the company called Tolvane Motors?", key: str = "q") -> Question:
    fact = Fact(
        key="f", subject="Tolvane Motors", relation="founded by", object="Irena Kost",
        statements=(Source(chunk="c", document="d", sentence=SENTENCE),),
    )  # fmt: skip
    return Question(
        id=key, corpus="c", pattern="single", asked="object", question=text, answers=("Irena Kost",), facts=(fact,),
        chunk_ids=("c",), document_keys=("d",),
    )  # fmt: skip


@pytest.fixture(scope="module")
def words() -> CorpusWords:
    texts = [
        (TEXT, "news"),
        ("Grain was shipped from the old port. The firms and companies traded well abroad.", "news"),
    ]
    return CorpusWords(texts, ("founded", "by", "company"), Letters())


def made(words: CorpusWords, one: Question, seed: int = 0) -> dict[str, Variant]:
    found, lacking = Perturber(words, Letters(), seed).variants(one, "news")
    kinds = [variant.kind for variant in found]
    missing = [problem.reason.rpartition(": ")[2] for problem in lacking]
    assert sorted(kinds + missing) == ["characters", "grammar", "irrelevant", "original", "words"]
    return {variant.kind: variant for variant in found}


@settings(max_examples=examples(60), deadline=None)
@given(
    seed=st.integers(0, 10_000),
    said=st.lists(
        st.sampled_from("person town harbour engines widened small company years twice".split()), max_size=25
    ),
)
def test_perturbed_queries_differ_and_keep_names(words: CorpusWords, seed: int, said: list[str]) -> None:
    text = " ".join(["Which", "person", *said, "founded Tolvane Motors in 2031?"])
    found = made(words, question(text), seed)
    assert found == made(words, question(text), seed)
    assert found["original"].text == text
    queries = [variant.text for kind, variant in found.items() if kind != "original"]
    assert text not in queries
    assert all("Tolvane Motors" in one and "2031" in one and "Irena" not in one for one in queries)
    length = len(text.split())
    for kind in ("characters", "words"):
        if kind in found:
            pairs = zip(text.split(), found[kind].text.split(), strict=True)
            most = len(text.split()) if kind == "characters" else max(1, round(0.1 * length))
            assert 1 <= sum(old != new for old, new in pairs) <= most
    if "characters" in found:
        typed = [word for word in re.findall(r"[a-z]{4,}", found["characters"].text) if word not in text]
        assert not set(typed) & words.all, "a typo made another word"


def test_no_word_stands_for_one_that_says_which_fact_is_meant(words: CorpusWords) -> None:
    assert "companies" in words.words
    assert "companies" not in words.near("firms"), "a word of a relation"
    assert words.near("harbour") == () or "harbour" not in words.near("harbour")


def test_an_aside_has_nothing_of_the_facts(words: CorpusWords) -> None:
    for seed in range(20):
        variant = made(words, question(), seed)["irrelevant"]
        text = variant.text
        assert 0 < variant.changed < 1, "a share, however long the aside is"
        body, woven, aside = text.removesuffix("?").partition(", given that ")
        assert (f"{body}?", bool(woven)) == (question().question, True), "one sentence, which asks"
        known = f"{TEXT} Grain was shipped from the old port. The firms and companies traded well abroad."
        assert aside.lower() in known.lower() and (aside[0].islower() or aside.startswith("Grain"))
        assert "Kost" not in aside and "Tolvane" not in aside


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            "Who is the auditor of Acme?",
            ["The auditor of Acme is who?", "Please answer this: who is the auditor of Acme?"],
        ),
        (
            "Where is Acme headquartered?",
            ["Acme is headquartered where?", "Please answer this: where is Acme headquartered?"],
        ),
        (
            "Which company supplies Acme?",
            ["Which company is it that supplies Acme?", "Please say which company supplies Acme."],
        ),
        (
            "Which company was acquired by Acme and supplies Lun?",
            [
                "Which company is it that was acquired by Acme and supplies Lun?",
                "Please say which company was acquired by Acme and supplies Lun.",
            ],
        ),
        (
            "What is the debt of the place in which Acme is located?",
            [
                "The debt of the place in which Acme is located is what?",
                "Please answer this: what is the debt of the place in which Acme is located?",
            ],
        ),
        ("When did Acme acquire Lun?", ["Please answer this: when did Acme acquire Lun?"]),
    ],
)
def test_other_grammar(asked: str, said: list[str]) -> None:
    assert list(rephrased(asked, ("Acme",))) == said


def test_the_answer_is_deleted_and_nothing_else() -> None:
    context = Context(chunk="c", title="Tolvane", about=(), text=TEXT, domain="news")
    title, text = without_answer(context, question())
    assert title == "Tolvane"
    assert text == (
        "The harbour of the town was widened twice in ten years. The company makes small engines. In 2030, sales rose to "
        "684.2 million USD."
    )
    assert without_answer(context.model_copy(update={"title": "On Irena Kost"}), question())[0] == ""


def test_passages_are_checked_for_the_answer() -> None:
    perturber = PassagePerturber(Letters())
    context = Context(chunk="c", title="Tolvane", about=(), text=TEXT, domain="news")
    found, problems = perturber.variants(question(), [context])
    assert [one.kind for one in found] == ["ground truth", "reworded", "answer deleted"]
    assert not problems
    assert found[1].texts != found[0].texts
    assert "Irena Kost" in found[1].texts[0]
    assert found[0].similarity == 1
    none, problems = perturber.variants(question(), [context.model_copy(update={"text": "Something else."})])
    assert (none, problems[0].reason) == ([], "the passages do not have the answer")
    only = context.model_copy(update={"text": SENTENCE, "title": ""})
    found, problems = perturber.variants(question(), [only])
    assert [problem.reason for problem in problems] == ["nothing is left without the answer"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("In 2030, sales of the company fell.", "Sales of the company fell in 2030."),
        ("Tolvane Motors acquired Kelm Power.", "Kelm Power was bought by Tolvane Motors."),
        ("| Revenue | 684.2 |", "| Revenue | 684.2 |"),
        ("The chief executive resigned.", "The CEO stepped down."),
    ],
)
def test_other_words_say_the_same(old: str, new: str) -> None:
    assert Rewording().reworded(old, ("Tolvane Motors", "Kelm Power")) == new


def test_names_in_a_question_are_those_of_its_facts() -> None:
    assert names_in(question()) == ("Tolvane Motors",)


def test_a_tenth_of_the_characters_is_mistyped(words: CorpusWords) -> None:
    asked = "Which experienced person originally established the small manufacturing enterprise called Tolvane Motors?"
    found = [made(words, question(asked, key=str(number)))["characters"] for number in range(10)]
    shares = [one.changed for one in found]
    assert 0.06 <= sum(shares) / len(shares) <= 0.1, "a tenth, less what would be another word"
    assert all("Tolvane Motors" in one.text for one in found)
    alone = [problem.reason for problem in Perturber(words, Drifting()).variants(question(asked), "news")[1]]
    assert "query drifts from the question: characters" in alone


def test_how_much_of_passages_changed_is_known_and_bounded() -> None:
    context = Context(chunk="c", title="", about=(), text=TEXT, domain="news")
    perturber = PassagePerturber(Letters())
    found, _ = perturber.variants(question(), [context])
    assert found[0].changed == 0
    assert 0 < found[1].changed <= 0.5 and found[1].similarity > 0.9
    near = TEXT.replace("widened", "extended")
    assert changed([near], [TEXT]) == pytest.approx(1 / len(TEXT.split()), abs=1e-4)
    _, problems = perturber.variants(question(), [context], {TEXT: near})
    assert [problem.reason for problem in problems] == ["reworded passages changed too little (under 25% of the words)"]
    other = "Zzz jjj qqq vvv xxx kkk www. " * 9 + SENTENCE
    _, problems = perturber.variants(question(), [context], {TEXT: other})
    assert [problem.reason for problem in problems] == ["reworded passages drifted (cosine under 0.7)"]


class Drifting(Letters):
    """Vectors that nothing but the same text is near."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[float(at == number) for at in range(len(texts))] for number in range(len(texts))]

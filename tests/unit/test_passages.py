"""Perturbed passages, whatever they are made of: the answer stays where it must, and is gone where it must."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kgservice.core.records import Fact, Question, Source
from kgservice.evaluation.rare.passages import PassagePerturber
from kgservice.graph.contexts import Context
from kgservice.text.matching import match
from tests.conftest import examples
from tests.unit.test_perturb import Letters

FACTS = {  # an answer, the sentence that states it, and the same in another way
    "Irena Kost": ("Tolvane Motors was founded by Irena Kost.", "The founder, Irena Kost, keeps bees."),
    "684.2 million USD": ("In 2030, sales of Tolvane Motors were $684.2 million.", "Sales: 684,200,000 USD."),
    "4 March 2031": ("Tolvane Motors opened on 4 March 2031.", "The doors opened on March 4, 2031."),
}
OTHERS = (
    "The harbour was widened twice in ten years.", "In 2029, sales of Kelm Power were 12 million USD.",
    "Kelm Power was acquired by Dastan.", "Irena sells tickets.", "The fair opens on 5 March 2031.",
    "Its chief executive resigned.", "She plays chess with 684 friends.",
)  # fmt: skip


def question(answer: str, stated: str) -> Question:
    source = Source(chunk="c0", document="d", sentence=stated)
    fact = Fact(key="f", subject="Tolvane Motors", relation="r", object=answer, statements=(source,))
    return Question(
        id="q", corpus="c", pattern="single", asked="object", question="Which one is it of Tolvane Motors?",
        answers=(answer,), facts=(fact,), chunk_ids=("c0",), document_keys=("d",),
    )  # fmt: skip


@settings(max_examples=examples(25), deadline=None)
@given(
    answer=st.sampled_from(sorted(FACTS)),
    before=st.lists(st.sampled_from(OTHERS), max_size=4, unique=True),
    after=st.lists(st.sampled_from(OTHERS), max_size=4, unique=True),
    again=st.booleans(),
    titled=st.booleans(),
)
def test_the_answer_stays_or_goes(answer: str, before: list[str], after: list[str], again: bool, titled: bool) -> None:
    stated, otherwise = FACTS[answer]
    text = " ".join([*before, stated, *after, *([otherwise] if again else [])])
    gold = [Context(chunk="c0", title=f"On {answer}" if titled else "Report", about=(), text=text, domain="news")]
    perturber = PassagePerturber(Letters())
    made, problems = perturber.variants(question(answer, stated), gold)
    assert (made, problems) == PassagePerturber(Letters()).variants(question(answer, stated), gold)
    texts = {one.kind: "\n".join(one.texts) for one in made}
    assert len(made) + len(problems) == 3, "what is neither made nor counted"
    assert match(texts["ground truth"], answer)
    if "reworded" in texts:
        assert texts["reworded"] != texts["ground truth"]
        assert match(texts["reworded"], answer)
        assert "Tolvane Motors" in texts["reworded"]
    if "answer deleted" in texts:
        assert not match(texts["answer deleted"], answer)
        assert stated not in texts["answer deleted"]
        gone = [one for one in (*before, *after) if one not in texts["answer deleted"] and not match(one, answer)]
        assert not gone, "more is gone than the answer"

"""Ready-made triplets: each lands in the chunk that states it, with its sentence as it stands there."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kgservice.core.records import Document, Term, Triplet
from kgservice.text.chunking import chunks
from kgservice.text.placement import mention, place
from tests.conftest import examples

TEXT = "Ada Lovelace met Charles\nBabbage in 1833. They talked.\n\nLater Ada wrote notes.\nada lovelace died in London."


def triplet(subject: str, relation: str, other: str, sentence: str = "") -> Triplet:
    return Triplet(subject=Term(label=subject), relation=relation, object=Term(label=other), sentence=sentence)


def placed(text: str, *triplets: Triplet, how: str = "rare") -> list[tuple[int, str]]:
    document = Document(source="x", text=text, triplets=triplets)
    return [(at, t.sentence) for at, found in enumerate(place(document, chunks(document, how))) for t in found]


def test_a_given_sentence_is_kept_as_it_stands() -> None:
    assert placed(
        TEXT, triplet("Ada Lovelace", "met", "Charles Babbage", "Ada Lovelace met  Charles Babbage in 1833.")
    ) == [(0, "Ada Lovelace met Charles\nBabbage in 1833.")]
    assert placed(TEXT, triplet("a", "b", "c", "met Charles")) == [(0, "met Charles")]


def test_a_missing_sentence_is_the_first_with_both_ends() -> None:
    first = "At a party of the season that had begun in June Ada Lovelace met Charles\nBabbage in 1833."
    wrapped = f"{first} They talked."
    assert placed(wrapped, triplet("Ada Lovelace", "met", "Charles Babbage", "not there")) == [(0, first)]
    assert placed(wrapped, triplet("Ada Lovelace", "met in", "1833")) == [(0, first)]
    assert placed(TEXT, triplet("Ada Lovelace", "died in", "London")) == [(0, "ada lovelace died in London.")]
    assert placed("Also Alma. Al met Bo.", triplet("Al", "met", "Bo")) == [(0, "Al met Bo.")]


def test_else_a_passage() -> None:
    text = "\f".join(["Nothing here.", "Only Ada. Here.", "Ada came. Bo went.", "Cy"])
    ends = [("Ada", "Bo", 2), ("Ada", "Zoe", 1), ("Cy", "Zoe", 3), ("Zoe", "Max", 0)]
    for subject, other, at in ends:
        assert placed(text, triplet(subject, "r", other), how="page") == [(at, text.split("\f")[at])]


def test_overlapping_chunks_and_duplicates() -> None:
    text = "One two three. Four five six. Seven eight nine. Ten eleven twelve."
    document = Document(
        source="x", text=text, triplets=(triplet("Four", "r", "six"), triplet("Four", "r", "six", "Four five six."))
    )
    cut = chunks(document, "chars:32:16")
    holders = [at for at, chunk in enumerate(cut) if "Four five six." in chunk.text]
    assert len(holders) > 1
    found = place(document, cut)
    assert [len(each) for each in found] == [int(at == holders[0]) for at in range(len(cut))]


def test_ends_are_typed() -> None:
    document = Document(
        source="x", text="Acme made 5 million USD.", triplets=(triplet("Acme", "made", "5 million USD"),)
    )
    (found,) = place(document, chunks(document))[0]
    assert (found.subject.kind, found.object.kind, found.object.value, found.object.unit) == (
        "entity",
        "number",
        5e6,
        "USD",
    )


def test_no_triplets_and_no_chunks() -> None:
    assert place(Document(source="x", text="x"), []) == []
    assert place(Document(source="x", text="x"), chunks(Document(source="x", text="x"))) == [[]]


def test_mentions() -> None:
    def surface(label: str, near: str = "") -> str | None:
        span = mention(TEXT, label, near)
        return TEXT[span[0] : span[1]] if span else None

    assert surface("Charles Babbage") == "Charles\nBabbage"
    assert surface("ada lovelace") == "ada lovelace"
    assert surface("LONDON") == "London"
    assert surface("Love") is None
    assert mention(TEXT, "Ada", "Later Ada wrote notes.") == (TEXT.index("Later") + 6, TEXT.index("Later") + 9)
    assert mention("İİ Ada", "ada", "") == (3, 6)


WORDS = st.lists(
    st.sampled_from(["Ada", "Bo", "met", ".", "\n", "\n\n", "\f", "Cy.", " ", "x" * 40, "İ", "日本"]),
    min_size=1,
    max_size=40,
)


@settings(max_examples=examples(200), deadline=None)
@given(
    WORDS,
    st.sampled_from(["rare", "page", "chars:50:10"]),
    st.sampled_from(["", "Ada met", "met Bo", "zzz", "Bo\nmet"]),
)
def test_every_triplet_is_placed_once_and_verbatim(words: list[str], how: str, sentence: str) -> None:
    text = " ".join(words)
    document = Document(
        source="x", text=text, triplets=(triplet("Ada", "r", "Bo", sentence), triplet("日本", "r", "Cy", sentence))
    )
    cut = chunks(document, how)
    found = place(document, cut)
    assert sum(map(len, found)) == (2 if cut else 0)
    for chunk, triplets in zip(cut, found, strict=True):
        assert all(each.sentence and each.sentence in chunk.text for each in triplets)
        for each in triplets:
            span = mention(chunk.text, each.subject.label, each.sentence)
            assert span is None or chunk.text[span[0] : span[1]].lower() == each.subject.label.lower()

"""The link stage: what becomes an item, what stays a name, what was written, what is novel, and what a model chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from kgservice.core.errors import BadRequest
from kgservice.core.records import Chunk, Document, LinkedTriplet, StatedChunk, StatedDocument, Term, Triplet
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe, write_all
from kgservice.linking.candidate_score import Prospect, contending, weights
from kgservice.linking.candidates import Candidates, ItemCandidate
from kgservice.linking.linker import WikidataLinker
from kgservice.linking.wikidata_index import LABEL, IndexedItem, Wikidata
from kgservice.llm.client import LLM
from kgservice.names.local_entities import check_mode, link
from kgservice.names.mentions import mentions
from tests.llm_server import KEY, LLMServer, answered
from tests.unit.test_pipeline import Journal, Memory
from tests.wikidata import Trigrams, indexed


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(tmp_path_factory.mktemp("index"))


@pytest.fixture
def linker(index: Path) -> Iterator[WikidataLinker]:
    with Wikidata(index) as opened, WikidataLinker(opened, Trigrams()) as made:  # type: ignore[arg-type]
        yield made


def stated(*triplets: Triplet, source: str = "d") -> StatedDocument:
    """A document of one chunk that states these triplets."""
    text = " ".join(one.sentence for one in triplets)
    known = {
        "section": "",
        "page": None,
        "start": 0,
        "end": len(text),
        "text": text,
        "tokens": 9,
        "contains_table": False,
    }
    chunk = StatedChunk(chunk=Chunk(index=0, kind="text", **known), extracted=True, statements=link(triplets))
    return StatedDocument(document=Document(source=source, text=text), content_hash="h", recipe="r", chunks=(chunk,))


def triplet(subject: str, relation: str, obj: str, types: tuple[str | None, str | None] = (None, None)) -> Triplet:
    ends = Term(label=subject, type=types[0]), Term(label=obj, type=types[1])
    return Triplet(subject=ends[0], relation=relation, object=ends[1], sentence=f"{subject} {relation} {obj}.")


def linked(linker: WikidataLinker, *triplets: Triplet) -> tuple[LinkedTriplet, ...]:
    return linker.link([stated(*triplets)])[0].chunks[0].statements


def test_names_become_items_and_what_was_written_stays(linker: WikidataLinker) -> None:
    (one,) = linked(linker, triplet("NYC", "twinned with", "Tokyo"))
    assert (one.subject.id, one.subject.label, one.object.id, one.object.label) == (
        "Q60",
        "New York City",
        "Q1490",
        "東京",
    )
    assert one.subject.description == "city in the United States"
    assert one.subject.aliases == ("NYC", "🗽")
    assert one.subject.type == "city"
    assert one.written == ("NYC", "twinned with", "Tokyo")
    assert (one.relation, one.novel) == ("twinned with", None), "a relation that the index lacks"
    assert linker.counts == {"linked": 2}


def test_a_relation_becomes_a_property_and_known_facts_are_not_novel(linker: WikidataLinker) -> None:
    known, new = linked(linker, triplet("France", "capital", "Paris"), triplet("New York City", "country", "France"))
    assert (known.relation, known.label, known.novel) == ("P36", "capital", False)
    assert known.written == ("France", "capital", "Paris"), "the relation was no P36"
    assert (new.relation, new.novel) == ("P17", True)


def test_the_other_way_round_is_another_relation(linker: WikidataLinker) -> None:
    known, unknown = linked(linker, triplet("Paris", "capital", "France"), triplet("Cairo", "capital", "France"))
    assert (known.subject.id, known.relation, known.object.id) == ("Q90", "capital", "Q142")
    assert (unknown.subject.id, unknown.relation) == ("Q85", "capital"), "Cairo is a capital, France has one"


def test_what_the_index_lacks_stays_a_name(linker: WikidataLinker) -> None:
    (one,) = linked(linker, triplet("Zubrowka", "lies near", "Lutz Castle"))
    assert (one.subject.id, one.object.id, one.written, one.novel) == (
        "local:Zubrowka",
        "local:Lutz Castle",
        None,
        None,
    )
    assert linker.counts["linked"] == 0
    assert sum(linker.counts.values()) == 2


def test_numbers_and_dates_are_never_linked(linker: WikidataLinker) -> None:
    given = Triplet(subject=Term(label="Paris"), relation="r", object=Term(label="60", kind="number", value=60.0))
    dated = Triplet(subject=Term(label="Paris"), relation="r", object=Term(label="1999", kind="date", value="1999"))
    odd = Triplet(subject=Term(label="Paris", kind="number", value=1.0), relation="r", object=Term(label="France"))
    ends = [end.id for one in linked(linker, given, dated, odd) for end in (one.subject, one.object)]
    assert ends == ["Q90", "local:60", "Q90", "local:1999", "local:Paris|number|1.0|None", "Q142"]


def test_a_fact_does_not_become_one_of_itself(linker: WikidataLinker) -> None:
    (one,) = linked(linker, triplet("NYC", "is short for", "New York City"))
    assert (one.subject.id, one.object.id) == ("local:NYC", "local:New York City")


def test_one_name_with_two_types_is_two(linker: WikidataLinker) -> None:
    place, person = linked(
        linker,
        triplet("Paris", "lies in", "France", ("city", "country")),
        triplet("Paris", "abducted", "Helen", ("person", None)),
    )
    assert (place.subject.id, person.subject.id) == ("Q90", "Q167646")


@pytest.mark.parametrize(
    "name",
    [
        "x" * 10_000,
        "\u202eParis\u202c",
        "🗽",
        "القدس",
        "'; DROP TABLE names; --",
        "Paris\u0000",
        "ＰＡＲＩＳ",
        "ß" * 300,
    ],
)
def test_hostile_names_come_through(linker: WikidataLinker, name: str) -> None:
    (one,) = linked(linker, triplet(name, "near " + name, "France"))
    assert (one.subject.id[0] == "Q") == (name not in ("x" * 10_000, "'; DROP TABLE names; --", "ß" * 300))
    assert one.object.id == "Q142"
    assert one.written is None or one.written[0] == name


def test_links_do_not_depend_on_the_company(index: Path) -> None:
    many = [
        stated(triplet(name, "near", "France"), source=name) for name in ("NYC", "Kennedy", "Paris", "Tokyo", "Lutz")
    ]
    with Wikidata(index) as opened:
        with WikidataLinker(opened, Trigrams()) as one_by_one:  # type: ignore[arg-type]
            apart = [one_by_one.link([one])[0] for one in reversed(many)]
        with WikidataLinker(opened, Trigrams()) as at_once:  # type: ignore[arg-type]
            assert at_once.link(many) == apart[::-1]


def test_a_load_counts_its_names_and_needs_an_index(linker: WikidataLinker) -> None:
    document = Document(source="d", text="NYC is near Lutz.", triplets=(triplet("NYC", "is near", "Lutz"),))
    tally, memory = LoadCounts(Journal()), Memory()
    write_all(memory, [document], "c", Recipe(link="wikidata"), tally, lambda *_: None, linker=linker)
    assert sum(linker.counts.values()) == 2
    assert linker.counts["linked"] == 1
    with pytest.raises(BadRequest, match="kgservice wikidata index"):
        write_all(memory, [document], "c", Recipe(link="wikidata"), tally, lambda *_: None)
    with pytest.raises(BadRequest, match="wikidata:llm"):
        check_mode("dbpedia")
    assert linker.index.fingerprint in Recipe(link="wikidata", linker=linker.name).name()


@pytest.fixture
def choosing(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[LinkedTriplet, WikidataLinker]]:
    monkeypatch.setattr("kgservice.linking.linker.DOUBT", (0.0, 1.0))

    def made(entry: int, **options: Any) -> tuple[StatedDocument, WikidataLinker]:
        def answer(request: dict[str, Any]) -> Any:
            asked = "Name:" in request["messages"][1]["content"]
            return {"remark": "", "entry": entry} if asked else answered(request)

        with LLMServer(answer, **options) as server:
            files = {"answers": tmp_path / "answers.sqlite", "ledger": tmp_path / "calls.jsonl"}
            llm = LLM(server.url, SecretStr(KEY), "test-model", first_wait=0.01, attempts=1, **files)
            with Wikidata(index) as opened, WikidataLinker(opened, Trigrams(), llm) as linker:  # type: ignore[arg-type]
                return linker.link([stated(triplet("Paris", "abducted", "x1"))])[0], linker

    return made  # type: ignore[return-value]


@pytest.mark.parametrize(("entry", "chosen"), [(1, {"Q90", "Q167646"}), (0, {"local:Paris"}), (99, {"local:Paris"})])
def test_a_model_chooses_or_refuses(choosing: Any, entry: int, chosen: set[str]) -> None:
    document, linker = choosing(entry)
    assert document.chunks[0].statements[0].subject.id in chosen
    assert linker.name.endswith("by test-model")
    assert linker.counts["none, says the model"] == (entry != 1) + 0


def test_where_a_model_fails_the_next_load_asks_again(choosing: Any) -> None:
    document, linker = choosing(-1)
    assert document.chunks[0].statements[0].subject.id == "local:Paris"
    assert document.content_hash != "h"
    assert [state for state in linker.counts if state.startswith("model failed")]


def test_the_weights_say_how_they_were_fitted() -> None:
    fitted = weights()
    assert "benchmarks/linking_fit.py" in fitted.how
    assert 0 < fitted.threshold < 1
    assert fitted.decision["label"] > 0 < fitted.decision["exact_cosine"]


def test_a_capital_that_is_only_mentioned_is_no_common_word(index: Path) -> None:
    with Wikidata(index) as opened:
        candidates = Candidates(opened, Trigrams())  # type: ignore[arg-type]
        assert candidates.of("City", wide=False) == []
        assert next(one.item.label for one in candidates.of("City")) == "city"
        assert [one.item.number for one in candidates.of("Cairo", wide=False)] == [85]


def test_a_part_of_a_longer_name_is_no_mention(linker: WikidataLinker) -> None:
    def named(text: str) -> dict[str, str]:
        document = stated(triplet("Zubrowka", "is near", "Lutz"))
        chunk = document.chunks[0].chunk.model_copy(update={"text": text})
        given = StatedChunk(chunk=chunk, extracted=True, statements=(), mentions=mentions("", text))
        (one,) = linker.link([document.model_copy(update={"chunks": (given,)})])
        return {text[m.start : m.end]: m.entity.id for m in one.chunks[0].mentions if m.start is not None}

    assert named("The Paris family sang.") == {"The Paris": "local:The Paris"}
    assert linker.counts == {"part of a longer name": 1}
    assert named("Paris of Troy sang.")["Paris"] == "local:Paris"
    assert named("Paris of Troy sang. It is a city, Paris.")["Paris"] == "Q90"
    assert named("In the Kingdom of France they sang.")["France"] == "Q142"
    assert named("In the Republic of France they sang.")["France"] == "local:France", "the index has the longer name"


def test_a_title_is_looked_up_without_its_bracket(linker: WikidataLinker) -> None:
    (one,) = linked(linker, triplet("New York City (city)", "twinned with", "Tokyo"))
    assert (one.subject.id, one.subject.label) == ("Q60", "New York City")


SHARE = st.integers(0, 20).map(lambda tenth: tenth / 20)


@given(ends=st.lists(st.tuples(SHARE, SHARE, SHARE).map(sorted), max_size=5), least=SHARE)
def test_what_is_settled_without_its_sentence_is_what_reading_all_would_say(
    ends: list[tuple[float, float, float]], least: float
) -> None:
    known = [prospect(number, low, high) for number, (low, _, high) in enumerate(ends)]
    truth = {one.candidate.item.number: (middle, one) for (_, middle, _), one in zip(ends, known, strict=True)}

    def likeliest(kept: list[Prospect]) -> int | None:
        read = [
            (-(truth[one.candidate.item.number][0] if one.low < one.high else one.low), one.candidate.item.number)
            for one in kept
        ]
        best = min(read, default=(0.0, -1))
        return best[1] if read and -best[0] >= least else None

    settled = contending(known, (least, least))
    assert likeliest(settled) == likeliest(known)
    doubt = contending(known, (0.0, 1.0))
    assert len(doubt) in (0, len(known)) or doubt[0].low == 1.0, "a model is shown all"


def prospect(number: int, low: float, high: float) -> Prospect:
    item = IndexedItem(number=number, label="a", description="", aliases=(), types=(), prominence=0)
    return Prospect(ItemCandidate(item, LABEL, 100.0, 1.0, 0.0, 1), {}, low, high)

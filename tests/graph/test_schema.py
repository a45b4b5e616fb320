"""Facts by the relations of a schema: one group however it is said, open facts in no bridge, all of it as documents say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from kgservice.core.errors import BadRequest
from kgservice.core.records import Document, Term, Triplet
from kgservice.graph.store import Graph
from kgservice.questions.patterns import SubgraphOptions, page, subgraphs
from kgservice.questions.question_store import questions
from kgservice.questions.selection import Plan, generate, refresh
from tests.graph.documents import loaded, report
from tests.graph.snapshot import snapshot
from tests.graph.test_refresh import put

pytestmark = pytest.mark.usefixtures("unsearched")

MINE = """
[classes]
person = { words = ["poet"] }
place = {}
[relations."my:sang_in"]
label = "stage"
description = "where somebody sang"
domain = ["person"]
range = ["place"]
phrases = ["X sang in Y"]
ask_object = ["Where did X sing?"]
ask_subject = ["Who sang in Y?"]
"""


def stated(source: str, *facts: tuple[str, str, str], given: bool = False) -> Document:
    """A document that states facts beside its text, as its loader reads them, or as ready-made triplets."""
    text = " ".join(f"{s} {r} {o}." for s, r, o in facts)
    triplets = tuple(
        Triplet(subject=Term(label=s), relation=r, object=Term(label=o), sentence=f"{s} {r} {o}.") for s, r, o in facts
    )
    return Document(source=source, text=text, **({"triplets": triplets} if given else {"stated": triplets}))  # type: ignore[arg-type]


def facts(graph: Graph, corpus: str) -> dict[tuple[str, str, str], dict[str, object]]:
    """The facts of a corpus: (subject, relation, object) and properties."""
    rows = graph.read("write/chunk_statements", chunks=_chunks(graph, corpus))
    found = {}
    for row in (one for chunk in rows for one in chunk["statements"]):
        found[row["subject"]["label"], row["relation"], row["object"]["label"]] = row
    return found


def _chunks(graph: Graph, corpus: str) -> list[str]:
    nodes, _ = snapshot(graph, corpus)
    return sorted(node["properties"]["key"] for node in nodes if "Chunk" in node["labels"])


def test_one_relation_however_it_is_said(graph: Graph, corpus: str) -> None:
    loaded(graph, corpus, [stated("a", ("Acme", "is incorporated in", "Ohio")), stated("b", ("Acme", "was incorporated in", "Utah")),
                           stated("c", ("Bolt", "were incorporated in", "Ohio"))], extract="none")  # fmt: skip
    found = facts(graph, corpus)
    assert {relation for _, relation, _ in found} == {"kgs:incorporated_in"}
    assert found["Acme", "kgs:incorporated_in", "Utah"]["said"] == "was incorporated in"
    objects = {row.named[0] for row in subgraphs(graph, corpus, "single", SubgraphOptions(asked="object"))}
    assert objects == {"Bolt"}  # of Acme two states are said: no question has one answer
    loaded(graph, corpus, [stated("b", ("Acme", "was incorporated under the laws of", "Ohio"))], extract="none")
    assert {row.named[0] for row in subgraphs(graph, corpus, "single", SubgraphOptions(asked="object"))} == {
        "Acme",
        "Bolt",
    }


def test_open_facts_are_stored_and_listed_and_lead_nowhere(graph: Graph, corpus: str) -> None:
    told = [stated("a", ("Ada", "tumbled", "Bolt")), stated("b", ("Bolt", "is headquartered in", "Lun"))]
    done = loaded(graph, corpus, told, extract="none")
    assert done.relations is not None
    assert (done.relations.given, done.relations.mapped, done.relations.open) == (2, 1, {"words of no relation": 1})
    assert ("Ada", "open:tumbled", "Bolt") in facts(graph, corpus)
    assert not list(subgraphs(graph, corpus, "chain", SubgraphOptions(open=True)))
    for wanted, relations in ((False, {"P159"}), (True, {"P159", "open:tumbled"})):
        rows = list(subgraphs(graph, corpus, "single", SubgraphOptions(open=wanted)))
        assert {row.relations[0] for row in rows} == relations
    for wanted, number in ((False, 1), (True, 2)):
        generate(graph, corpus, Plan(choice=SubgraphOptions(open=wanted), second_look=False))
        asked = {one.question for one in questions(graph, corpus, state="active")}
        assert len(asked) == number and any("tumble" in text for text in asked) == wanted


def test_ready_made_triplets_stay_as_given_unless_a_schema_is_named(graph: Graph, corpus: str) -> None:
    told = stated("a", ("Ada", "tumbled", "Bolt"), ("Bolt", "is headquartered in", "Lun"), given=True)
    done = loaded(graph, corpus, [told], extract="none")
    assert done.relations is None and {r for _, r, _ in facts(graph, corpus)} == {"tumbled", "is headquartered in"}
    assert len(list(subgraphs(graph, corpus, "chain", SubgraphOptions(cross_chunk=False)))) == 2
    again = loaded(graph, corpus, [told], extract="none", schema_name="default")
    assert again.documents.stored == 1 and {r for _, r, _ in facts(graph, corpus)} == {"open:tumbled", "P159"}
    assert not list(subgraphs(graph, corpus, "chain", SubgraphOptions(cross_chunk=False)))


def test_a_symmetric_relation_holds_both_ways_and_goes_with_what_states_it(graph: Graph, corpus: str) -> None:
    loaded(
        graph,
        corpus,
        [stated("a", ("Ada Orr", "married", "Bo Lund")), stated("b", ("Cy Dahl", "was married to", "Ada Orr"))],
        extract="none",
    )
    pairs = {("Ada Orr", "Bo Lund"), ("Bo Lund", "Ada Orr"), ("Ada Orr", "Cy Dahl"), ("Cy Dahl", "Ada Orr")}
    assert {(s, o) for s, _, o in facts(graph, corpus)} == pairs
    named = {row.named for row in subgraphs(graph, corpus, "single", SubgraphOptions(asked="object"))}
    assert named == {("Bo Lund",), ("Cy Dahl",)}  # Ada Orr has two spouses
    generate(graph, corpus, Plan(patterns=("single",)))
    active = list(questions(graph, corpus, state="active"))
    assert {one.asked for one in active} == {"object"} and {one.answers for one in active} == {("Ada Orr",)}
    loaded(graph, corpus, [stated("b", ("Cy Dahl", "was born in", "Lun"))], extract="none")
    assert {(s, o) for s, r, o in facts(graph, corpus) if r == "P26"} == {
        ("Ada Orr", "Bo Lund"),
        ("Bo Lund", "Ada Orr"),
    }


def test_tables_are_asked_about_where_the_schema_lacks_their_words(graph: Graph, corpus: str) -> None:
    loaded(graph, corpus, [report("a", "| Costs of ink | $3 | $5 |")])
    rows = list(subgraphs(graph, corpus, "single", SubgraphOptions(asked="object")))
    assert {row.relations[0] for row in rows} == {"open:costs of ink"}
    assert not list(subgraphs(graph, corpus, "comparison", SubgraphOptions()))


def test_a_schema_of_ones_own(graph: Graph, corpus: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    told = [stated("a", ("Ada", "sang in", "Lun")), stated("b", ("Ada", "was born in", "Lun"))]
    loaded(graph, corpus, told, extract="none", schema_name=str(file))
    assert {(r, row["label"]) for (_, r, _), row in facts(graph, corpus).items()} == {
        ("my:sang_in", "stage"), ("open:was born in", "was born in"),
    }  # fmt: skip
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(MINE.replace('ask_object = ["Where did X sing?"]', ""))
    with pytest.raises(BadRequest, match="schema check"):
        loaded(graph, corpus, told, extract="none", schema_name=str(wrong))


def asked(graph: Graph, corpus: str) -> set[str]:
    return {one.question for one in questions(graph, corpus, state="active")}


def test_questions_are_worded_by_the_schema_of_ones_own(graph: Graph, corpus: str, tmp_path: Path) -> None:
    file, other = tmp_path / "mine.toml", tmp_path / "other.toml"
    file.write_text(MINE)
    other.write_text(MINE.replace("Where did X sing?", "On which stage was X?"))
    told = [stated("a", ("Ada Orr", "sang in", "Lun")), stated("b", ("Bo Lund", "sang in", "Oslo"))]
    loaded(graph, corpus, told, extract="none", schema_name=str(file))
    plan = Plan(patterns=("single",), choice=SubgraphOptions(asked="object"))
    generate(graph, corpus, plan)
    assert asked(graph, corpus) == {"Where did Ada Orr sing?", "Where did Bo Lund sing?"}
    loaded(graph, corpus, [stated("c", ("Cy Dahl", "sang in", "Rome"))], extract="none", schema_name=str(other))
    refresh(graph, corpus)
    moved = asked(graph, corpus)
    assert moved == {
        f"On which stage was {name}?" for name in ("Ada Orr", "Bo Lund", "Cy Dahl")
    }  # not only of what has changed
    generate(graph, corpus, plan)
    assert asked(graph, corpus) == moved


def test_ends_that_should_be_one_are_counted(graph: Graph, corpus: str) -> None:
    told = [
        stated("a", ("Ada", "was born in", "Lun"), ("Bo", "was born in", "Lun")),
        stated("b", ("Ada", "was born in", "Oslo")),
    ]
    first = loaded(graph, corpus, told[:1], extract="none")
    both = loaded(graph, corpus, told[1:], extract="none")
    assert first.relations is not None and both.relations is not None
    assert (first.relations.violations, both.relations.violations) == ({}, {"several objects where there is one": 1})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--relation", "mayor"), "no relation 'mayor' in corpus '{}': did you mean P6 (head of government)?"),
        (("--relation", "Head of goverment"), "did you mean P6 (head of government)?"),
        (("--relation", "P7", "--count"), "it has P6 (head of government)"),
        (("--relation", "zzz"), "no relation 'zzz' in corpus '{}': it has P6 (head of government)"),
        (("--type", "City"), "no entity of type 'City' in corpus '{}': did you mean city?"),
        (("--type", "zzz"), "no entity of type 'zzz' in corpus '{}': it has city"),
    ],
)
def test_a_relation_or_type_that_a_corpus_does_not_have_is_named(
    graph: Graph, corpus: str, kgs: Callable[..., Result], options: tuple[str, ...], said: str
) -> None:
    put(graph, corpus, {"a": [("Alma", "P6", "Jane Orr")]}, kind="city")
    assert kgs("subgraphs", "single", "-c", corpus, "--relation", "P6", "--type", "city", "--count").output == "2\n"
    done = kgs("subgraphs", "single", "-c", corpus, *options)
    assert (done.exit_code, done.stdout) == (1, "")
    assert said.format(corpus) in done.stderr


def test_a_relation_may_be_given_by_its_label(graph: Graph, corpus: str, kgs: Callable[..., Result]) -> None:
    put(graph, corpus, {"a": [("Alma", "P6", "Jane Orr"), ("Lun", "open:Twinned with", "Ost")]})
    by_id = kgs("subgraphs", "single", "-c", corpus, "--relation", "P6").output
    assert by_id.count("(Alma) —") == 2
    assert kgs("subgraphs", "single", "-c", corpus, "--relation", "Head of government").output == by_id
    assert kgs("subgraphs", "single", "-c", corpus, "--relation", "head of government", "--count").output == "2\n"
    assert kgs("subgraphs", "single", "-c", corpus, "--relation", "twinned with", "--open", "--count").output == "2\n"
    rows = list(page(graph, corpus, "single", SubgraphOptions(relation="P6"), limit=1, after="", seed=None))
    choice = SubgraphOptions(relation="head of government")
    following = list(page(graph, corpus, "single", choice, limit=None, after=rows[0].id, seed=None))
    assert [row.relations for row in following] == [("P6",)]

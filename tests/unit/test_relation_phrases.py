"""Relations as free text writes them: what each is said as, and what its ends are called."""

import pytest

from kgservice.core.records import Fact, Source
from kgservice.questions.wording.entity_classes import clash, kind
from kgservice.questions.wording.relation_phrases import Noun, RelationClause, phrase


def fact(relation: str, obj: str = "Y", sentence: str = "", **others: str) -> Fact:
    statements = (Source(chunk="c", document="d", sentence=sentence),)
    return Fact(key="k", subject="X", relation=relation, object=obj, statements=statements, **others)


@pytest.mark.parametrize(
    ("relation", "said"),
    [
        ("is located in", "X is located in Y"), ("located in", "X is located in Y"), ("born in", "X was born in Y"),
        ("founded", "X founded Y"), ("founded by", "X was founded by Y"), ("represented Portugal in", "X represented Portugal in Y"),
        ("returned to", "X returned to Y"), ("returned by", "X was returned by Y"), ("died in", "X died in Y"),
        ("supplies", "X supplies Y"), ("include", "X includes Y"), ("lease", "X leases Y"), ("competing in", "X competes in Y"),
        ("playing", "X plays Y"), ("operates plant in", "X operates a plant in Y"), ("member of", "X is a member of Y"),
        ("is tributary of", "X is a tributary of Y"), ("was wife of", "X was the wife of Y"), ("was sister of", "X was a sister of Y"), ("heiress of", "X is an heiress of Y"),
        ("is the father of", "X is the father of Y"), ("is largest city in", "X is the largest city in Y"),
        ("part of", "X is part of Y"), ("home to", "X is home to Y"), ("responsible for", "X is responsible for Y"),
        ("in", "X is in Y"), ("has studios in", "X has studios in Y"), ("can be found in", "X can be found in Y"),
        ("has been used by", "X has been used by Y"), ("had access to", "X had access to Y"),
        ("completed acquisition of", "X completed the acquisition of Y"), ("founding member of", "X is a founding member of Y"),
        ("is founding member of", "X is a founding member of Y"), ("is competing in", "X is competing in Y"), ("signed a lease of", "X signed a lease of Y"),
        ("took possession of", "X took possession of Y"), ("acquired minority stake in", "X acquired a minority stake in Y"),
        ("covers portion of", "X covers portion of Y"), ("completed its acquisition of", "X completed its acquisition of Y"),
        ("is more populous than", "X is more populous than Y"), ("also known as", "X is also known as Y"),
    ],
)  # fmt: skip
def test_clauses(relation: str, said: str) -> None:
    told = phrase(fact(relation))
    assert isinstance(told, RelationClause)
    assert f"X {told.predicate} Y" == said


@pytest.mark.parametrize(
    ("relation", "noun", "plural"),
    [
        ("capital", "capital", False), ("chief executive", "chief executive", False), ("net sales", "net sales", True),
        ("goods exports", "goods exports", True), ("has population of", "population", False),
        ("has a population of", "population", False), ("has important city", "important city", False),
        ("current editor is", "current editor", False),
    ],
)  # fmt: skip
def test_nouns(relation: str, noun: str, plural: bool) -> None:
    assert phrase(fact(relation)) == Noun(noun, plural)


@pytest.mark.parametrize(
    ("relation", "question"),
    [
        ("founded", "did X found"), ("supplies", "does X supply"), ("left", "did X leave"), ("won", "did X win"),
        ("located in", "is X located in"), ("can be found in", "can X be found in"), ("include", "does X include"),
        ("was wife of", "was X the wife of"), ("completed acquisition of", "did X complete the acquisition of"), ("had access to", "did X have access to"),
    ],
)  # fmt: skip
def test_asked(relation: str, question: str) -> None:
    told = phrase(fact(relation))
    assert isinstance(told, RelationClause)
    assert told.asked_of("X") == question


@pytest.mark.parametrize(
    ("relation", "active"),
    [
        ("was directed by", "directed"), ("written and directed by", "wrote and directed"), ("is owned by", "owns"),
        ("taken over by", ""), ("supported in the war by", ""), ("located in", ""),
    ],
)  # fmt: skip
def test_turned_round(relation: str, active: str) -> None:
    told = phrase(fact(relation))
    assert isinstance(told, RelationClause)
    assert told.active == active


@pytest.mark.parametrize(("relation", "passive"), [("supplies", "supplied by"), ("wrote", "written by"), ("has", "")])
def test_undergone(relation: str, passive: str) -> None:
    told = phrase(fact(relation))
    assert isinstance(told, RelationClause)
    assert told.undergone == passive


@pytest.mark.parametrize(
    ("sentence", "said"),
    [("X was performed in Y.", "was performed in"), ("X is often performed in Y.", "is performed in")],
)
def test_the_sentence_tells_whether_it_was_done_to_the_subject(sentence: str, said: str) -> None:
    assert phrase(fact("performed in")).predicate == "performed in"  # type: ignore[union-attr]
    assert phrase(fact("performed in", sentence=sentence)).predicate == said  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("given", "subject", "expected"),
    [
        (fact("was directed by"), False, "person"), (fact("owned by"), False, "person or organization"),
        (fact("located in"), False, "place"), (fact("located in"), True, ""), (fact("born in"), True, "person"),
        (fact("born in", object_kind="date", obj="1990"), False, "year"),
        (fact("born on", object_kind="date", obj="1 May 1990"), False, "day"),
        (fact("is a town in"), True, "town"), (fact("is the father of"), True, "person"), (fact("member of"), True, ""),
        (fact("mayor"), False, "person"), (fact("publisher"), False, "person or organization"), (fact("is owner of"), True, "person or organization"),
        (fact("owner of"), False, ""), (fact("population"), True, "place"),
        (fact("located in", object_type="city"), False, "city"), (fact("studied by"), True, ""),
        (fact("built in", obj="late 15th century"), False, "time"), (fact("stars", obj="Elaine May"), False, "person"),
    ],
)  # fmt: skip
def test_kinds(given: Fact, subject: bool, expected: str) -> None:
    assert kind(((given, subject),)) == expected


def test_a_type_of_the_other_fact_comes_before_what_a_relation_says() -> None:
    assert kind(((fact("located in"), False), (fact("capital", subject_type="country"), True))) == "country"


def test_a_player_is_no_place() -> None:
    assert clash(fact("filmed in", object_type="player"))
    assert not clash(fact("filmed in", object_type="city"))
    assert not clash(fact("auditor", object_type="company"))

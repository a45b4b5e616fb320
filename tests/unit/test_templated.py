"""Template questions read as English and never name the bridge."""

import pytest

from kgservice.model import Fact, Reading, Subgraph
from kgservice.questions.templated import form, worded


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("capital", "noun"), ("chief executive", "noun"), ("net sales", "noun"), ("employees", "noun"),
        ("member of", "noun of"), ("part of", "noun of"),
        ("headquartered in", "participle"), ("published by", "participle"), ("born in", "participle"),
        ("also known as", "participle"), ("in", "participle"), ("home to", "participle"), ("starring", "participle"),
        ("supplies", "verb"), ("acquired", "verb"), ("operates plant in", "verb"), ("is located in", "verb"),
        ("studied at", "verb"), ("led to", "verb"), ("won", "verb"), ("include", "verb"),
    ],
)  # fmt: skip
def test_form_of_a_relation(relation: str, expected: str) -> None:
    assert form(relation) == expected


def fact(
    subject: str, relation: str, obj: str, subject_type: str | None = None, object_type: str | None = None
) -> Fact:
    return Fact(
        key=f"{subject}-{relation}-{obj}", subject=subject, relation=relation, object=obj, statements=(),
        subject_type=subject_type, object_type=object_type,
    )  # fmt: skip


def subgraph(pattern: str, asked: str, *facts: Fact) -> Subgraph:
    return Subgraph(
        id="x", pattern=pattern, asked=asked, relations=[f.relation for f in facts], named=["n"], answers=["a"],
        readings=[Reading(pivots=["P"], facts=facts)],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "question"),
    [
        (subgraph("single", "object", fact("Estmark", "capital", "Lun")), "What is the capital of Estmark?"),
        (subgraph("single", "object", fact("Acme", "chief executive", "Ada", "company", "person")),
         "Who is the chief executive of Acme?"),
        (subgraph("single", "object", fact("Acme", "headquartered in", "Lun")), "What is Acme headquartered in?"),
        (subgraph("single", "object", fact("Ada", "born in", "1990").model_copy(update={"object_kind": "date"})),
         "When was Ada born?"),
        (subgraph("single", "object", fact("Acme", "founded in", "Lun")), "What was Acme founded in?"),
        (subgraph("single", "object", fact("Solaris", "was directed by", "Ada")), "What was Solaris directed by?"),
        (subgraph("single", "object", fact("Ada", "was born on", "1 May 1990").model_copy(update={"object_kind": "date"})),
         "When was Ada born?"),
        (subgraph("single", "subject", fact("Ada", "was wife of", "Tom")), "What was a wife of Tom?"),
        (subgraph("chain", "last", fact("Solaris", "was directed by", "P"), fact("P", "was born in", "Lun")),
         "What was the one that Solaris was directed by born in?"),
        (subgraph("single", "object", fact("Acme", "acquired", "Bolt", "company", "company")),
         "Which company is it that Acme acquired?"),
        (subgraph("single", "subject", fact("Acme", "supplies", "steel", "company")), "Which company supplies steel?"),
        (subgraph("single", "subject", fact("Acme", "capital", "Lun")), "What has Lun as its capital?"),
        (subgraph("set_of_subjects", "members", fact("Acme", "supplies", "steel", "company")),
         "Name every company that supplies steel."),
        (subgraph("set_of_objects", "members", fact("Acme", "member of", "OPQ")), "Name everything that Acme is a member of."),
        (subgraph("chain", "last", fact("Acme", "headquartered in", "P", None, "city"), fact("P", "mayor", "Ada", None, "person")),
         "Who is the mayor of the city that Acme is headquartered in?"),
        (subgraph("chain", "first", fact("Acme", "headquartered in", "P", "company", "city"), fact("P", "mayor", "Ada", "city")),
         "Which company is headquartered in the city whose mayor is Ada?"),
        (subgraph("star", "last", fact("P", "auditor", "Kell", "company"), fact("P", "founder", "Ada", "company", "person")),
         "Who is the founder of the company whose auditor is Kell?"),
        (subgraph("star", "first", fact("P", "auditor", "Kell", "company"), fact("P", "founder", "Ada", "company")),
         "What is the auditor of the company whose founder is Ada?"),
        (subgraph("inverted_star", "last", fact("Acme", "auditor", "P"), fact("Bolt", "supplies", "P", "company")),
         "Which company supplies the auditor of Acme?"),
        (subgraph("inverted_star", "first", fact("Acme", "auditor", "P"), fact("Bolt", "supplies", "P")),
         "What has the one that Bolt supplies as its auditor?"),
        (subgraph("conditional_star", "pivot", fact("P", "located in", "Lun", "company"), fact("P", "supplies", "steel", "company")),
         "Which company is both the company located in Lun and the company that supplies steel?"),
        (subgraph("conditional_chain", "pivot", fact("Acme", "acquired", "P"), fact("P", "capital", "Lun")),
         "Which one is both the one that Acme acquired and the one whose capital is Lun?"),
        (subgraph("chain3", "last", fact("Acme", "supplies", "P", None, "company"), fact("P", "headquartered in", "Q", None, "city"), fact("Q", "mayor", "Ada", None, "person")),
         "Who is the mayor of the city that the company that Acme supplies is headquartered in?"),
        (subgraph("chain3", "first", fact("Acme", "supplies", "P", "company"), fact("P", "headquartered in", "Q", "company"), fact("Q", "mayor", "Ada", "city")),
         "Which company supplies the company headquartered in the city whose mayor is Ada?"),
        (subgraph("star3", "pivot", fact("P", "auditor", "Kell", "company"), fact("P", "located in", "Lun", "company"), fact("P", "supplies", "steel", "company")),
         "Which company is at once the company whose auditor is Kell, the company located in Lun and the company that supplies steel?"),
        (subgraph("inverted_star3", "pivot", fact("Acme", "auditor", "P"), fact("Bolt", "located in", "P"), fact("Corr", "supplies", "P")),
         "Which one is at once the auditor of Acme, the one that Bolt is located in and the one that Corr supplies?"),
        (subgraph("comparison", "larger", fact("Lun", "population", "9", "city"), fact("Ost", "population", "7", "city")),
         "Which city has the larger population, Lun or Ost?"),
        (subgraph("comparison", "earlier", fact("Acme", "founded in", "1990", "company"), fact("Bolt", "founded in", "1991")),
         "Which was founded earlier, Acme or Bolt?"),
        (subgraph("comparison", "later", fact("Ada", "born on", "1990-01-01", "person"), fact("Kim", "born on", "1991-01-01", "person")),
         "Who was born later, Ada or Kim?"),
        (subgraph("comparison", "smaller", fact("Acme", "employs", "90", "company"), fact("Bolt", "employs", "70", "company")),
         "Which company employs less, Acme or Bolt?"),
    ],
)  # fmt: skip
def test_wording(given: Subgraph, question: str) -> None:
    assert worded(given) == question

"""Template questions read as English and never name the bridge."""

import pytest

from kgservice.core.records import Fact, Reading, Source, Subgraph
from kgservice.questions.wording.templates import worded


def fact(
    subject: str, relation: str, obj: str, subject_type: str | None = None, object_type: str | None = None
) -> Fact:
    return Fact(
        key=f"{subject}-{relation}-{obj}", subject=subject, relation=relation, object=obj, statements=(),
        subject_type=subject_type, object_type=object_type,
    )  # fmt: skip


def stated(subject: str, relation: str, obj: str, sentence: str) -> Fact:
    said = Source(chunk="c", document="d", sentence=sentence)
    return fact(subject, relation, obj).model_copy(update={"statements": (said,)})


def of(property_: str, subject: str, relation: str, obj: str) -> Fact:
    return fact(subject, relation, obj).model_copy(update={"property": property_})


REVENUE = of("P2139", "P", "total revenue", "$5 million").model_copy(
    update={"period": "fiscal 2031", "object_kind": "number"}
)


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
        (subgraph("single", "object", fact("Acme", "headquartered in", "Lun")), "Where is Acme headquartered?"),
        (subgraph("single", "object", fact("Ada", "born in", "1990").model_copy(update={"object_kind": "date"})),
         "When was Ada born?"),
        (subgraph("single", "object", fact("Acme", "founded in", "Lun")), "Where was Acme founded?"),
        (subgraph("single", "object", fact("Solaris", "was directed by", "Ada")), "Who directed Solaris?"),
        (subgraph("single", "object", fact("Solaris (1972 film)", "was directed by", "Ada")), "Who directed the 1972 film Solaris?"),
        (subgraph("single", "subject", fact("Ada", "studied at", "Film & Music Institute of Lun")), "Who studied at the Film & Music Institute of Lun?"),
        (subgraph("single", "object", fact("Ada Orr (poet)", "was born in", "Lun")), "Where was the poet Ada Orr born?"),
        (subgraph("single", "object", fact("Bo Lund (cricketer, born 1900)", "was born in", "Lun")), "Where was the cricketer Bo Lund born?"),
        (subgraph("single", "object", fact("Bo Lund (soccer)", "was born in", "Lun")), "Where was the soccer player Bo Lund born?"),
        (subgraph("single", "object", fact("Bo Lund (politics)", "was born in", "Lun")), "Where was Bo Lund (politics) born?"),
        (subgraph("single", "object", fact("Brian (Family Guy)", "was created by", "Ada")), "Who created Brian (Family Guy)?"),
        (subgraph("single", "object", fact("Walls (Ada Orr song)", "was written by", "Bo")), "Who wrote the Ada Orr song Walls?"),
        (subgraph("single", "object", fact("Walls (The Red Kites song)", "was written by", "Bo")), "Who wrote the Red Kites song Walls?"),
        (subgraph("single", "object", fact("Walls (Ada Orr's 1987 song)", "was written by", "Bo")), "Who wrote the Ada Orr 1987 song Walls?"),
        (subgraph("single", "object", fact("Walls (the Kites' song)", "was written by", "Bo")), "Who wrote the Kites song Walls?"),
        (subgraph("single", "object", fact("Rusty (Lun's Eleven character)", "was created by", "Bo")), "Who created the Lun's Eleven character Rusty?"),
        (subgraph("single", "object", fact("Lunsk FC (1960–61 season)", "was led by", "Bo")), "Who led Lunsk FC (1960–61 season)?"),
        (subgraph("single", "object", stated("Houston Rockets", "moved to", "Lun", "The Houston Rockets moved to Lun.")), "What did the Houston Rockets move to?"),
        (subgraph("single", "object", stated("Orr–Berg Band", "moved to", "Lun", "The Orr Berg Band (OBB) moved to Lun.")), "What did the Orr–Berg Band move to?"),
        (subgraph("single", "object", stated("Lun-Kell Quartet", "moved to", "Oria", "The Lun–Kell Quartet moved to Oria.")), "What did the Lun-Kell Quartet move to?"),
        (subgraph("single", "object", stated("Orr–Berg Band", "moved to", "Lun", "Orr Berg Band moved to Lun.")), "What did Orr–Berg Band move to?"),
        (subgraph("single", "object", fact("William II of the Netherlands", "moved to", "Lun")), "What did William II of the Netherlands move to?"),
        (subgraph("single", "object", stated("Apple", "moved to", "Lun", "The Apple division moved to Lun.")), "What did Apple move to?"),
        (subgraph("single", "object", fact("Ada", "was born on", "1 May 1990").model_copy(update={"object_kind": "date"})),
         "When was Ada born?"),
        (subgraph("single", "subject", fact("Ada", "was wife of", "Tom")), "Who was the wife of Tom?"),
        (subgraph("chain", "last", fact("Solaris", "was directed by", "P"), fact("P", "was born in", "Lun")),
         "Where was the person who directed Solaris born?"),
        (subgraph("single", "object", fact("Acme", "acquired", "Bolt", "company", "company")),
         "Which company did Acme acquire?"),
        (subgraph("single", "subject", fact("Acme", "supplies", "steel", "company")), "Which company supplies steel?"),
        (subgraph("single", "subject", fact("Acme", "capital", "Lun")), "Which place's capital is Lun?"),
        (subgraph("set_of_subjects", "members", fact("Acme", "supplies", "steel", "company")),
         "Name every company that supplies steel."),
        (subgraph("set_of_objects", "members", fact("Acme", "member of", "OPQ")), "Name everything that Acme is a member of."),
        (subgraph("chain", "last", fact("Acme", "headquartered in", "P", None, "city"), fact("P", "mayor", "Ada", None, "person")),
         "Who is the mayor of the city in which Acme is headquartered?"),
        (subgraph("chain", "last", of("P19", "Ada", "place of birth", "P"), of("P17", "P", "country", "Estmark")),
         "In which country was Ada born?"),
        (subgraph("chain3", "last", of("P57", "Solaris", "director", "Q"), of("P20", "Q", "place of death", "P"), of("P17", "P", "country", "Estmark")),
         "In which country did the director of Solaris die?"),
        (subgraph("chain", "last", of("P749", "Bolt", "parent organization", "P"), REVENUE),
         "In fiscal 2031, what was the revenue of the parent organization of Bolt?"),
        (subgraph("star", "last", of("P169", "P", "chief executive officer", "Ada"), REVENUE),
         "In fiscal 2031, what was the revenue of the organization whose chief executive officer is Ada?"),
        (subgraph("star", "last", of("kgs:acquired", "P", "acquisition", "Bolt"), REVENUE),
         "In fiscal 2031, what was the revenue of the organization that acquired Bolt?"),
        (subgraph("chain", "last", of("P749", "Bolt", "parent organization", "P"), fact("P", "supplies", "Tom").model_copy(update={"period": "fiscal 2031"})),
         "In fiscal 2031, what does the parent organization of Bolt supply?"),
        (subgraph("single", "object", REVENUE), "What was P's total revenue in fiscal 2031?"),
        (subgraph("chain", "first", fact("Acme", "headquartered in", "P", "company", "city"), fact("P", "mayor", "Ada", "city")),
         "Which company is headquartered in the city whose mayor is Ada?"),
        (subgraph("star", "last", fact("P", "auditor", "Kell", "company"), fact("P", "founder", "Ada", "company", "person")),
         "Who is the founder of the company whose auditor is Kell?"),
        (subgraph("star", "first", fact("P", "auditor", "Kell", "company"), fact("P", "founder", "Ada", "company")),
         "What is the auditor of the company whose founder is Ada?"),
        (subgraph("inverted_star", "last", fact("Acme", "auditor", "P"), fact("Bolt", "supplies", "P", "company")),
         "Which company supplies the auditor of Acme?"),
        (subgraph("inverted_star", "first", fact("Acme", "auditor", "P"), fact("Bolt", "supplies", "P")),
         "What has as its auditor the thing that Bolt supplies?"),
        (subgraph("conditional_star", "pivot", fact("P", "located in", "Lun", "company"), fact("P", "supplies", "steel", "company")),
         "Which company is located in Lun and supplies steel?"),
        (subgraph("conditional_chain", "pivot", fact("Acme", "acquired", "P"), fact("P", "capital", "Lun")),
         "Which place has Lun as its capital and was acquired by Acme?"),
        (subgraph("chain3", "last", fact("Acme", "supplies", "P", None, "company"), fact("P", "headquartered in", "Q", None, "city"), fact("Q", "mayor", "Ada", None, "person")),
         "Who is the mayor of the city in which is headquartered the company that Acme supplies?"),
        (subgraph("chain3", "first", fact("Acme", "supplies", "P", "company"), fact("P", "headquartered in", "Q", "company"), fact("Q", "mayor", "Ada", "city")),
         "Which company supplies the company headquartered in the city whose mayor is Ada?"),
        (subgraph("star3", "pivot", fact("P", "auditor", "Kell", "company"), fact("P", "located in", "Lun", "company"), fact("P", "supplies", "steel", "company")),
         "Which company has Kell as its auditor, is located in Lun and supplies steel?"),
        (subgraph("inverted_star3", "pivot", fact("Acme", "auditor", "P"), fact("Bolt", "located in", "P"), fact("Corr", "supplies", "P")),
         "Which place is an auditor of Acme, is supplied by Corr and is the one where Bolt is located?"),
        (subgraph("conditional_inverted_star", "pivot", fact("Acme", "located in", "P"), fact("Bolt", "operates in", "P")),
         "Which place is the one where Acme is located and in which Bolt operates?"),
        (subgraph("conditional_inverted_star", "pivot", fact("Acme", "located in", "P"),
                  fact("Ada", "place of birth", "P", "person").model_copy(update={"property": "P19"})),
         "In which place is Acme located and was Ada born?"),
        (subgraph("chain3", "last", fact("Acme", "located in", "P"), fact("P", "situated in", "Q"), fact("Q", "capital", "Lun")),
         "What is the capital of the place in which is situated the place where Acme is located?"),
        (subgraph("inverted_star", "last", fact("Acme", "made", "P"), fact("Bolt", "located in", "P")),
         "What is located in the place that Acme made?"),
        (subgraph("single", "object", fact("Acme Inc.", "were awarded", "contract")), "What was Acme Inc. awarded?"),
        (subgraph("single", "object", fact("Kim", "is half-brother of", "Ada")), "Whose half-brother is Kim?"),
        (subgraph("single", "subject", fact("Acme", "attempted to cross", "Lun")), "Who or what attempted to cross Lun?"),
        (subgraph("single", "object", fact("Acme", "is familiar with", "Lun")), "What is Acme familiar with?"),
        (subgraph("set_of_objects", "members", fact("Acme", "has seasons", "Lun")), "Name all seasons of Acme."),
        (subgraph("set_of_subjects", "members", fact("Acme", "located in", "Lun", "company"), fact("Fund", "located in", "Lun", "fund")),
         "Name everything that is located in Lun."),
        (subgraph("set_of_objects", "members", fact("Ada", "served as", "Chair")), "Name every role in which Ada served."),
        (subgraph("star", "last", fact("P", "raised dividend from", "one"), fact("P", "located in", "Lun")),
         "Where is the thing that raised a dividend from one located?"),
        (subgraph("single", "object", fact("Acme", "made", "5 films").model_copy(update={"object_kind": "number"})),
         "How many films did Acme make?"),
        (subgraph("single", "object", fact("Acme", "employees", "90").model_copy(update={"object_kind": "number"})),
         "How many employees does Acme have?"),
        (subgraph("single", "object", fact("Acme", "member of", "OPQ", "company", "bloc")), "Of which bloc is Acme a member?"),
        (subgraph("single", "subject", fact("Acme", "located in", "United States")), "What is located in the United States?"),
        (subgraph("single", "subject", fact("Acme", "won", "Cup")), "Who or what won Cup?"),
        (subgraph("single", "object", fact("Ada", "is the elder sister of", "Tom")), "Whose elder sister is Ada?"),
        (subgraph("set_of_subjects", "members", fact("Ada", "born in", "Lun")), "Name everyone who was born in Lun."),
        (subgraph("set_of_objects", "members", fact("Solaris", "written by", "Ada")), "Name everyone who wrote Solaris."),
        (subgraph("set_of_objects", "members", fact("Acme", "located in", "Lun")), "Name every place where Acme is located."),
        (subgraph("chain", "last", fact("Acme", "married", "P", None, "person"), fact("P", "capital", "Ada")),
         "What is the capital of the person whom Acme married?"),
        (subgraph("inverted_star", "first", fact("Ada", "died in", "P"), fact("Bolt", "founded in", "P")),
         "Who died in the place where Bolt was founded?"),
        (subgraph("chain3", "last", fact("Acme", "headquartered in", "P", None, "city"), fact("P", "located in", "Q", "city", "country"), fact("Q", "capital", "Lun", "country")),
         "What is the capital of the country in which is located the city in which Acme is headquartered?"),
        (subgraph("comparison", "larger", fact("Lun", "population", "9", "city"), fact("Ost", "population", "7", "city")),
         "Which city has the larger population, Lun or Ost?"),
        (subgraph("comparison", "earlier", fact("Acme", "founded in", "1990", "company"), fact("Bolt", "founded in", "1991")),
         "Which was founded first, Acme or Bolt?"),
        (subgraph("comparison", "later", fact("Ada", "born on", "1990-01-01", "person"), fact("Kim", "born on", "1991-01-01", "person")),
         "Who was born later, Ada or Kim?"),
        (subgraph("comparison", "smaller", fact("Acme", "employs", "90", "company"), fact("Bolt", "employs", "70", "company")),
         "Which company employs less, Acme or Bolt?"),
        (subgraph("inverted_star", "first", fact("Acme", "is incorporated in", "P", "company", "state"), fact("Bolt Inc.", "were founded in", "P", "company", "state")),
         "Which company is incorporated in the state in which Bolt Inc. was founded?"),
        (subgraph("star", "last", fact("P", "sits on", "Board of Directors of Acme", "person", "board"), fact("P", "is chief executive officer of", "Bolt", "person", "company")),
         "Of which company is the person who sits on the Board of Directors of Acme the chief executive officer?"),
        (subgraph("conditional_star", "pivot", fact("P", "age", "66", "person"), fact("P", "is chair of", "Acme", "person", "company")),
         "Who is the chair of Acme and is the one whose age is 66?"),
        (subgraph("set_of_subjects", "members", fact("Acme", "is listed on", "New York Stock Exchange", "company")),
         "Name every company that is listed on the New York Stock Exchange."),
        (subgraph("inverted_star", "first", fact("Bolt America", "is owner of", "P", None, "company"), fact("Ada", "is chair of", "P", "person", "company")),
         "Who is an owner of the company of which Ada is the chair?"),
        (subgraph("chain", "first", fact("Ada", "is chair of", "P", "person", "company"), fact("P", "is signatory of", "Lun Pledge", "company")),
         "Who is the chair of the company that is a signatory of the Lun Pledge?"),
        (subgraph("set_of_subjects", "members", fact("Ms. Lun", "joined", "Acme"), fact("Bolt", "joined", "Acme")),
         "Name everyone who joined Acme."),
        (subgraph("single", "subject", fact("Mr. Lun", "was made by", "Bolt Pictures")), "What was made by Bolt Pictures?"),
        (subgraph("single", "object", fact("Bolt", "publisher", "Kell")), "Who is the publisher of Bolt?"),
        (subgraph("set_of_subjects", "members", fact("Kell", "is owner of", "Bolt")), "Name everyone who is an owner of Bolt."),
        (subgraph("single", "subject", fact("Acme", "completed acquisition of", "Bolt", "company")),
         "Which company completed the acquisition of Bolt?"),
        (subgraph("set_of_subjects", "members", fact("Ada", "age", "66")), "Name everyone whose age is 66."),
        (subgraph("star", "last", fact("P", "offer subscriptions with", "Credits", "company"), fact("P", "ticker symbol", "BLT", "company")),
         "What is the ticker symbol of the company that offers subscriptions with Credits?"),
        (subgraph("set_of_objects", "members", fact("Bolt Inc.", "ticker symbol", "BLT", "company")),
         "Name every ticker symbol of Bolt Inc."),
    ],
)  # fmt: skip
def test_wording(given: Subgraph, question: str) -> None:
    assert worded(given) == question


@pytest.mark.parametrize(
    ("name", "relation", "sentence", "question"),
    [
        ("The Coral Housing Fund", "founded by", "The Coral Housing Fund was founded by Ada.", "Who founded the Coral Housing Fund?"),
        ("The Glass Herons", "founded by", "In 1994 the Glass Herons were founded by Ada.", "Who founded the Glass Herons?"),
        ("The Who", "founded by", "The Who was founded by Ada.", "Who founded The Who?"),
        ("The Morning Society", "founded by", "Then The Morning Society was founded by Ada.", "Who founded The Morning Society?"),
        ("The Birthday Party", "was directed by", "The Birthday Party was directed by Ada.", "Who directed the film The Birthday Party?"),
    ],
)  # fmt: skip
def test_an_article_at_the_start_of_a_name_is_written_as_the_text_writes_it(
    name: str, relation: str, sentence: str, question: str
) -> None:
    told = stated(name, relation, "Ada", sentence)
    typed = told.model_copy(update={"subject_type": "film"}) if "directed" in relation else told
    assert worded(subgraph("single", "object", typed)) == question


def test_the_owner_of_a_figure_has_its_article_within_the_sentence() -> None:
    cell = Source(chunk="c", document="d", sentence="| 2031 | 7 |", cell="row 1, column 1")
    told = fact("The Coral Housing Fund", "net income", "7").model_copy(
        update={"statements": (cell,), "object_kind": "number", "period": "2031"}
    )
    assert worded(subgraph("single", "object", told)) == "What was the Coral Housing Fund's net income in 2031?"


@pytest.mark.parametrize(
    ("name", "relation", "sentence", "question"),
    [
        ("Rhine", "flows into", "The Rhine flows into the sea.", "What does the Rhine flow into?"),
        ("Dallas Cowboys", "plays in", "The Dallas Cowboys play in the NFL.", "What do the Dallas Cowboys play in?"),
        ("Alps", "moved to", "The Alps are in Lun.", "What did the Alps move to?"),
        ("Alps", "located in", "The Alps are located in Lun.", "Where are the Alps located?"),
        ("Apple", "moved to", "The Apple watch is in Lun.", "What did Apple move to?"),
        ("Apple", "moved to", "The Apple phones.", "What did Apple move to?"),
        ("Acme", "moved to", "Ada, who founded Acme, kept the Acme shares until 1999.", "What did Acme move to?"),
        ("Acme", "moved to", "Ada kept the Acme shares until 1999.", "What did Acme move to?"),
        ("Acme", "moved to", "The Acme stores in Lun were closed.", "What did Acme move to?"),
        ("Acme", "moved to", "The Acme stores in Lun. Acme is large.", "What did Acme move to?"),
        ("Acme", "moved to", "Lun is where the Acme specifies all.", "What did the Acme move to?"),
        ("Rhine", "moved to", "Lun is where the Rhine flows into the sea.", "What did the Rhine move to?"),
        ("Thames", "flows into", "Boats on the Thames were slow.", "What does the Thames flow into?"),
        ("Glass Herons", "flows into", "In Lun, the Glass Herons are many.", "What do the Glass Herons flow into?"),
    ],
)
def test_an_article_stays_before_a_verb_in_the_present(name: str, relation: str, sentence: str, question: str) -> None:
    told = stated(name, relation, "Lun", sentence)
    typed = told.model_copy(update={"subject_type": "team"}) if "Cowboys" in name else told
    assert worded(subgraph("single", "object", typed)) == question


@pytest.mark.parametrize(
    ("measured", "value", "has"),
    [
        ("radius", "80 km", "has a radius of 80 km"),
        ("census population", "1,200", "has a census population of 1,200"),
        ("bus fleet", "80", "has a bus fleet of 80"),
        ("cash and cash equivalents", "1,200", "has cash and cash equivalents of 1,200"),
        ("total assets", "1,200", "has total assets of 1,200"),
        ("shares outstanding", "1,200", "has shares outstanding of 1,200"),
        ("earnings per share", "1.2 USD", "has earnings per share of 1.2 USD"),
        ("railway stations", "12", "has 12 railway stations"),
    ],
)
def test_a_number_is_said_with_the_article_and_the_form_that_its_noun_takes(
    measured: str, value: str, has: str
) -> None:
    told = fact("P", measured, value, "company").model_copy(update={"object_kind": "number"})
    question = f"Where is the company that {has} located?"
    assert worded(subgraph("star", "last", told, fact("P", "located in", "Lun"))) == question

"""Trees of spaCy's en_core_web models, which the packaged pipeline is one of, as Universal Dependencies."""

from __future__ import annotations

import pytest

from kgservice.extraction.syntax.parser import PACKAGED, Parser


@pytest.mark.parametrize(
    ("text", "relations"),
    [
        ("Ada lives in Oslo.", {("Ada", "nsubj", "lives"), ("Oslo", "obl", "lives"), ("in", "case", "Oslo")}),
        ("Ada is the mayor of Oslo.", {("Ada", "nsubj", "mayor"), ("is", "cop", "mayor"), ("Oslo", "nmod", "mayor")}),
        ("Oslo is in Norway.", {("Oslo", "nsubj", "Norway"), ("is", "cop", "Norway"), ("in", "case", "Norway")}),
        ("Acme was founded by Ada.", {("Acme", "nsubj:pass", "founded"), ("Ada", "obl:agent", "founded")}),
        ("Ada met Bo, Carl and Dag.", {("Carl", "conj", "Bo"), ("Dag", "conj", "Bo"), ("and", "cc", "Dag")}),
        ("Ada works in Rome and in Paris.", {("Rome", "obl", "works"), ("Paris", "conj", "Rome")}),
        ("Ada left after winning the race.", {("winning", "advcl", "left"), ("after", "mark", "winning")}),
        ("There is a harbour in Oslo.", {("harbour", "nsubj", "is")}),
        ("Sales rose 12% in spring.", {("%", "obj", "rose")}),
        ("Acme's chief, whom Ada met, left.", {("Acme", "nmod:poss", "chief"), ("met", "acl:relcl", "chief")}),
    ],
)
def test_a_tree_is_turned(parser: Parser, text: str, relations: set[tuple[str, str, str]]) -> None:
    found = {(word.text, word.dep_, word.head.text) for word in parser.sentence(text)}
    assert relations <= found


def test_a_name_has_no_article_and_a_class_of_three(parser: Parser) -> None:
    (doc,) = parser.parse("The European Union fined Google in Brussels on Tuesday.")
    assert {(name.text, name.label_) for name in doc.ents} == {
        ("European Union", "ORG"),
        ("Google", "ORG"),
        ("Brussels", "LOC"),
    }


def test_a_title_is_read_as_a_plain_name_and_keeps_its_words(parser: Parser) -> None:
    text = "Come On, Rangers is a 1938 film directed by Joseph Kane."
    (doc,) = parser.parse(text, "Come On, Rangers")
    assert doc.text == text
    title = doc[0]
    assert (title.text, title.lemma_, title.dep_, title.head.text) == (
        "Come On, Rangers",
        "Come On, Rangers",
        "nsubj",
        "film",
    )


@pytest.mark.parametrize("title", ["Now – Then", "...And Justice", "A - B", "— Yes, Yes —"])
def test_any_title_is_read(parser: Parser, title: str) -> None:
    (doc,) = parser.parse(f"The song {title} was written by Joseph Kane.", title)
    assert title in doc.text


def test_a_pipeline_is_named_by_its_folder() -> None:
    assert "universal_dependencies" in Parser(str(PACKAGED)).nlp.pipe_names


def test_more_than_one_blank_is_no_word(parser: Parser) -> None:
    (doc,) = parser.parse("Oslo  is   a city.")
    assert [word.text for word in doc] == ["Oslo", "is", "a", "city", "."]
    assert doc.user_data["written"] == "Oslo  is   a city."

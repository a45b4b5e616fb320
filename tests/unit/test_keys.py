"""Keys are deterministic, ordered as text, and start with the corpus."""

from kgservice.core import keys


def test_shapes() -> None:
    document, entity = keys.document_key("c", "d"), keys.entity_key("c", "local:A")
    fact = keys.fact_key("c", entity, "r", entity)
    assert [len(key) for key in (keys.corpus_code("c"), document, entity, fact)] == [6, 20, 20, 20]
    assert len(keys.chunk_key(document, "hash", 0)) == 31
    assert len(entity + keys.relation_code("r")) == keys.GROUP
    assert all(key.startswith(keys.corpus_code("c")) for key in (document, entity, fact))
    assert keys.chunk_key(document, "hash", 0).startswith(document)


def test_parts_are_kept_apart() -> None:
    assert keys.digest(20, "ab", "c") != keys.digest(20, "a", "bc")
    assert keys.digest(20, "a", None) != keys.digest(20, "a", "None")
    assert keys.entity_key("a", "x") != keys.entity_key("b", "x")


def test_keys_never_change() -> None:
    """Releases refer to keys: a change of these values breaks every one of them."""
    assert keys.corpus_code("demo") == "v8dpfc"
    assert keys.document_key("demo", "d") == "v8dpfcn2v0lkfd41554o"
    assert keys.question_key("x" * 28, "chain", "last", [("p", ""), ("q", "")], ["n"], ["a"])[28:] == "tfrn0eds2a"


def test_range_markers_lie_outside_the_alphabet() -> None:
    alphabet = set("0123456789abcdefghijklmnopqrstuv")
    assert all("!" < character < "~" for character in alphabet | {"-"})
    assert set(keys.digest(64, "anything")) <= alphabet

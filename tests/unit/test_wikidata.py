"""The index of Wikidata: every layout is read, every row counted, a stopped run goes on, hostile names are looked up."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from kgservice.core.errors import BadRequest, NotFound
from kgservice.linking import index_build
from kgservice.linking.index_build import Building
from kgservice.linking.item_vectors import Vectors, make_vectors
from kgservice.linking.wikidata_dump import ItemClaim, WikidataItem, read
from kgservice.linking.wikidata_index import ALIAS, INITIALS, LABEL, Wikidata, folded, initials
from tests.wikidata import ENTITIES, Trigrams, dump, entity, indexed


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(tmp_path_factory.mktemp("index"))


def reasons(path: Path, *languages: str) -> Counter[str]:
    return Counter(one if isinstance(one, str) else type(one).__name__ for one in read(path, languages or ("en",)))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("qwikidata/wd_Q42.json.gz", {"WikidataItem": 1}),
        ("toolkit/item.json.gz", {"WikidataItem": 1}),
        ("toolkit/wbgetentities-Q6-Q42-P31.json.gz", {"WikidataItem": 2, "missing entity": 1}),
        ("toolkit/wbgetentities-Q32063953.json.gz", {"WikidataItem": 1}),
        ("toolkit/mock-dump-for-testing.json.gz", {"WikidataItem": 3, "no Q or P id": 1}),
        ("toolkit/mock-dump-with-bugs.json.gz", {"no label in en, de": 101}),
    ],
)
def test_layouts_of_wikidata(shared_data: Path, name: str, expected: dict[str, int]) -> None:
    assert reasons(shared_data / "wikidata-json" / name, "en", "de") == expected


def test_an_entity_as_the_dump_has_it(shared_data: Path) -> None:
    (adams,) = read(shared_data / "wikidata-json" / "qwikidata" / "wd_Q42.json.gz", ("en",))
    assert isinstance(adams, WikidataItem)
    assert (adams.number, adams.label, adams.description, adams.types) == (
        42,
        "Douglas Adams",
        "author and humorist",
        (5,),
    )
    assert "Douglas Noël Adams" in adams.aliases
    assert (19, 350) in adams.claims, "born in Cambridge"
    assert adams.sitelinks == 107


def test_an_answer_without_entities_is_refused(shared_data: Path) -> None:
    with pytest.raises(BadRequest, match="holds no entities"):
        list(read(shared_data / "wikidata-json" / "toolkit" / "wbsearchentities-abc.json.gz", ("en",)))


def test_tables_of_items_and_of_triples(tmp_path: Path) -> None:
    items, triples = tmp_path / "items.csv", tmp_path / "triples.tsv"
    items.write_text('id,label,aliases,types\nQ1,"One, two",a|b,Q7|Q8\nL1,x,,\nQ2,,,\nQ3,too,many,fields,here\n')
    triples.write_text("head\trelation\ttail\tsplit\nQ1\tP2\tQ3\ttrain\nQ1\tQ2\tQ3\ttrain\nQ1\tP2\t1999\ttest\n")
    assert list(read(items, ())) == [
        WikidataItem(1, "One, two", "", ("a", "b"), (7, 8), 0, ((31, 7), (31, 8))), "no Q or P id", "no label", "wrong number of fields",
    ]  # fmt: skip
    assert list(read(triples, ())) == [ItemClaim(1, 2, 3), "not a triple of ids", "not a triple of ids"]


@pytest.mark.parametrize(
    ("content", "message"), [("", "is empty"), ("name,text\na,b\n", "header"), ("{\n broken", "neither a dump")]
)
def test_what_is_no_source_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "source.json"
    path.write_text(content)
    with pytest.raises(BadRequest, match=message):
        list(read(path, ("en",)))


@pytest.mark.parametrize("end", [b"", b"\xff" * 40], ids=["cut", "damaged"])
def test_a_cut_or_damaged_dump_says_so(tmp_path: Path, end: bytes) -> None:
    whole = dump(tmp_path / "d.json.gz").read_bytes()
    (tmp_path / "d.json.gz").write_bytes(whole[: len(whole) // 2] + end)
    with Building(tmp_path / "i.sqlite", ("en",)) as building, pytest.raises(BadRequest, match="fetch it again"):
        building.add(tmp_path / "d.json.gz")


def test_bad_lines_are_counted(tmp_path: Path) -> None:
    lines = [
        ENTITIES[3],
        '{"id": "Q1", ',
        '"text"',
        {"id": "Q2", "labels": 5},
        {"id": "Q3", "labels": {"de": {"value": "x"}}},
    ]
    with Building(tmp_path / "i.sqlite", ("en",)) as building:
        report = building.add(dump(tmp_path / "d.json.gz", lines))
    assert report.rejected == {"no label": 1, "no label in en": 1, "not JSON": 2}
    assert report.given == report.items + report.claims + sum(report.rejected.values()) == 5


def test_a_stopped_run_goes_on(tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_build, "COMMIT", 4)
    source, path = dump(tmp_path / "dump.json.gz"), tmp_path / "wikidata.sqlite"

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Building(path, ("en",)) as building:
        building.add(source, stop)
    with pytest.raises(NotFound, match="not finished"), Wikidata(path):
        pass
    with Building(path, ("en",)) as building:
        report = building.add(source)
        building.finish()
    assert (report.resumed, report.given, report.items) == (4, len(ENTITIES), len(ENTITIES))
    tables = ("items", "names", "forms", "claims")
    rows = [
        [sqlite3.connect(at).execute(f"SELECT * FROM {t} ORDER BY 1, 2").fetchall() for t in tables]
        for at in (path, index)
    ]
    assert rows[0] == rows[1]


def test_a_source_is_read_once_and_another_of_its_name_is_refused(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    with Wikidata(path) as made:
        before = made.fingerprint
    with Building(path, ("en",)) as building:
        report = building.add(tmp_path / "dump.json.gz")
        building.finish()
        assert report.resumed == report.given == len(ENTITIES)
        dump(tmp_path / "dump.json.gz", ENTITIES[:3])
        with pytest.raises(BadRequest, match="give another --out"):
            building.add(tmp_path / "dump.json.gz")
        building.add(dump(tmp_path / "more.json.gz", [entity("Q7", "Seven")]))
        building.finish()
    with Wikidata(path) as made:
        assert made.fingerprint != before
        assert [one.item for one in made.named("seven")] == [7]
    with pytest.raises(BadRequest, match="languages en, not de"), Building(path, ("de",)):
        pass


@pytest.mark.parametrize(
    ("name", "items"),
    [
        ("Paris", [90, 167646]), ("the PARIS", [90, 167646]), ("City of Paris", [90]), ("🗽", [60]), ("東京", [1490]),
        ("Tokyo", [1490]), ("القدس", [3114]), ("\u200fالقدس\u200e", [3114]), ("Ｐａｒｉｓ", [90, 167646]), ("Párís", [90, 167646]),
        ("x" * 10_000, []), ("", []), ("'; DROP TABLE items; --", []), ('"', []),
    ],
)  # fmt: skip
def test_names_of_any_script_the_best_known_first(index: Path, name: str, items: list[int]) -> None:
    with Wikidata(index) as made:
        assert [one.item for one in made.named(folded(name))] == items
        assert isinstance(made.similar(folded(name), 5), list)


def test_how_an_item_has_a_name(index: Path) -> None:
    with Wikidata(index) as made:
        assert [(one.item, one.how) for one in made.named("paris")] == [(90, LABEL), (167646, LABEL)]
        assert [(one.item, one.how) for one in made.named("jfk")] == [(9696, ALIAS)]
        assert [(one.item, one.how) for one in made.named("osc")] == [(36180, INITIALS)]
    assert initials("University of Oslo") == ""


@pytest.mark.parametrize(
    ("name", "item"), [("Jon F Kenedy", 9696), ("New York Cty", 60), ("Kennedy", 9696), ("Frence", 142)]
)
def test_names_spelt_otherwise(index: Path, name: str, item: int) -> None:
    with Wikidata(index) as made:
        found = made.similar(folded(name), 3)
    assert found[0].item == item
    assert 70 <= found[0].likeness < 100


def test_where_all_trigrams_are_frequent_the_rarest_are_asked_for_together(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgservice.linking.wikidata_index.POSTINGS", 1)
    monkeypatch.setattr(
        "kgservice.linking.wikidata_index.Wikidata._count", lambda _, gram: (2,) if gram in "york city" else None
    )
    with Wikidata(index) as made:
        assert [one.item for one in made.similar("york city", 3)] == [60]


def test_claims(index: Path) -> None:
    with Wikidata(index) as made:
        assert made.claims_between(142, 90) == {36}
        assert made.claims_between(90, 142) == {17}
        assert made.related(90, [142, 60, 90]) == 1
        assert made.served(90, 36, subject=False) == 1
        assert made.served(90, 36, subject=True) == 0
        assert [one.number for one in made.properties] == [-17, -19, -36]
        status = made.status()
    assert (status.items, status.properties, status.claims) == (13, 3, 14)


def test_vectors_of_labels_go_on_after_a_stop(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgservice.linking.item_vectors.BATCH", 4)
    embedder = Trigrams()

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_vectors(index, "print", embedder, stop)  # type: ignore[arg-type]
    assert not Vectors(index).exist("print", "trigrams")
    assert make_vectors(index, "print", embedder, lambda _: None) == 9  # type: ignore[arg-type]
    assert make_vectors(index, "print", embedder, lambda _: None) == 0  # type: ignore[arg-type]
    vectors = Vectors(index)
    import numpy as np

    wanted = [np.array(one, dtype=np.float32) for one in embedder.embed(["New York", *map(str, range(70)), "Paris"])]
    found = vectors.nearest(wanted, 2)
    assert (found[0][0], found[-1]) == (60, [90, 167646])
    assert [vectors.nearest([one], 2)[0] for one in wanted] == found
    assert vectors.of(61) is None
    assert vectors.properties.shape == (2, 3, 64)
    assert (
        vectors.properties[1, 0].tolist()
        == np.float32(embedder.embed(["country: sovereign state that this item is in"])[0]).tolist()
    )


def test_what_is_no_index_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="wikidata index SOURCE"), Wikidata(tmp_path / "none.sqlite"):
        pass
    (tmp_path / "other.sqlite").write_text(json.dumps({}) * 100)
    with pytest.raises(NotFound, match="no index of Wikidata"), Wikidata(tmp_path / "other.sqlite"):
        pass


def test_a_dump_may_be_bz2_or_plain(tmp_path: Path) -> None:
    import bz2

    plain = gzip.decompress(dump(tmp_path / "d.json.gz").read_bytes())
    (tmp_path / "d.json").write_bytes(plain)
    (tmp_path / "d.json.bz2").write_bytes(bz2.compress(plain))
    found = [list(read(tmp_path / name, ("en",))) for name in ("d.json.gz", "d.json", "d.json.bz2")]
    assert found[0] == found[1] == found[2]

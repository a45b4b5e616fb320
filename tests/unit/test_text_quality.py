"""How sound texts are, their language, and the account of what was not read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgservice.core.journal import Journal
from kgservice.core.records import Document, Totals
from kgservice.extraction.workers import RuleExtractor
from kgservice.ingest.load_report import LoadCounts, LoadReport
from kgservice.ingest.pipeline import Recipe, write_all
from kgservice.ingest.text_quality import health
from tests.unit.test_pipeline import Memory

ENGLISH = (
    "The committee met in the town hall on Monday and agreed to repair the old bridge before the winter comes. " * 3
)
GERMAN = (
    "Der Ausschuss traf sich am Montag im Rathaus und beschloss, die alte Brücke noch vor dem Winter zu reparieren. "
)
CODE = (
    "def main(argv): parser = ArgumentParser(); parser.add_argument('--json'); return json.dumps(argv, indent=2) " * 5
)


def test_languages_are_told_apart() -> None:
    texts = {
        "en": ENGLISH,
        "de": GERMAN * 3,
        "fr": "Le comité s'est réuni lundi à la mairie et a décidé de réparer le vieux pont avant l'hiver prochain. "
        * 3,
        "ru": "Комитет собрался в понедельник в ратуше и решил отремонтировать старый мост до наступления зимы. " * 3,
    }
    assert {code: health(text).language for code, text in texts.items()} == {code: code for code in texts}


def test_what_is_too_short_or_no_prose_counts_as_english() -> None:
    for text in ("", "Guten Tag", "1 2 3 4", CODE, "| a | b |\n" * 100):
        assert health(text).language == "en"


def test_glued_words_and_lost_signs_are_warned_of() -> None:
    assert health(ENGLISH).warnings() == []
    assert health(CODE).warnings() == []
    glued = " ".join("thissomewhatstrangesituationisafeature" for _ in range(40))
    assert health(glued).warnings() == ["words without spaces between them"]
    assert health("The (cid:12)(cid:7) of \ufffd\ufffd " * 20).warnings()[0] == "signs that the file does not name"


def test_a_text_of_any_size_is_looked_at_in_parts() -> None:
    long = ENGLISH * 3_000
    assert health(long).words == len(long.split())
    assert health(ENGLISH * 100 + GERMAN * 9_000).language == "de"


def _load(folder: Path, documents: list[Document], extract: str) -> tuple[LoadReport, Journal]:
    with Journal(folder, "load") as journal:
        tally = LoadCounts(journal)
        write_all(Memory(), documents, "c", Recipe(extract=extract), tally, lambda *_: None)
        report = tally.report(Totals(documents=0, chunks=0, facts=0, entities=0))
        journal.finish(report)
        return report, journal


@pytest.mark.whole
def test_the_journal_holds_every_statement_that_became_no_fact(tmp_path: Path) -> None:
    texts = (
        "It may rain in Paris. The dog was sold in 2010. Ada Lun was born in Oslo.",
        "He may go to Rome.",
        GERMAN * 3,
    )
    report, journal = _load(tmp_path, [Document(source=f"d{at}", text=text) for at, text in enumerate(texts)], "rules")
    lost = list(journal.problems("triplet"))
    assert len(lost) == sum(report.triplets.rejected.values()) == report.triplets.given - report.triplets.kept > 1
    assert all(any(sentence in problem.detail for sentence in texts[0].split(". ")) for problem in lost[:2])
    assert report.reading is not None
    assert (report.reading.empty, report.reading.notes) == (2, {"language: German": 1})
    assert report.reading.words == sum(len(text.split()) for text in texts)
    assert report.reading.reasons[0].example in {problem.detail for problem in lost}
    assert [problem.source for problem in journal.problems("text")] == ["d2"]
    assert json.loads(journal.path.read_text().splitlines()[-1])["report"]["reading"]["empty"] == 2


def test_a_pipeline_that_was_named_reads_any_language() -> None:
    assert RuleExtractor("rules:xx_some_pipeline").reads_language("de")
    assert not RuleExtractor("rules").reads_language("de")
    assert not RuleExtractor("none").reads_language("en")

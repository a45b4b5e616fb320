"""Facts drawn for a reader to judge, a JSON line each, from the half of the texts that no rule is made on.

The news of this half have taught the relation reader since.

67 are of the texts of eight 10-K filings, 67 of news (up to 10 of evidence sentences, the rest of passages that have
lost most full stops), 66 of Wikipedia introductions. With --texts they are of a folder: FOLDER/GENRE/NAME.txt with
the title in the first line, or a filing's NAME.html; a genre is news, encyclopaedia or filings. With --tables 40 are of
the filings' tables. `--without` lists facts judged before, whose passages and sentences are not drawn again. With
--count nothing is drawn: it prints the usable shares in tests/data, with intervals. With --yield it prints kept facts
per 100 words of each genre.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path[:0] = [str(Path(__file__).parent.parent)]

from scipy.stats import binomtest

from kgservice.core.records import Document, Scalar
from kgservice.core.schema import DEFAULT, known_id
from kgservice.extraction.extractor import Passages, Read
from kgservice.extraction.phrasebook import phrasebook
from kgservice.extraction.tables.table_facts import table_triplets
from kgservice.extraction.workers import RuleExtractor
from kgservice.ingest.pipeline import settled
from kgservice.names.identity import identify
from kgservice.names.local_entities import link
from kgservice.text.chunking import chunks
from loaders.sec.filings_10k import Filing10kLoader

DATA = Path(os.environ.get("KGS_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
JUDGED = Path(__file__).parents[1] / "tests" / "data"
FILINGS = ("AAPL", "BA", "GME", "IBM", "JNJ", "META", "TSLA", "UNH")
SETS = {"articles": "evidence_articles", "passages": "passages_partial"}
WANTED = {"filings": 67, "articles": 10, "passages": 57, "encyclopaedia": 66}
TEXTS = {"filings": 1000, "articles": 163, "passages": 1400, "encyclopaedia": 130}  # read before facts are drawn
TABLES = 40
EACH = {"news": 2, "encyclopaedia": 2, "filings": 10}  # facts of one text, with --texts
SURE = 150  # characters of a sentence or a row that identify it; lists cut them at 200


class Text(NamedTuple):
    """A text of a genre. `source` names it, a number in the half for making rules."""

    source: str
    title: str
    text: str
    about: tuple[tuple[str, Scalar], ...] = ()


def main() -> None:
    """Print the drawn facts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--yield", dest="yields", action="store_true")
    parser.add_argument("--extract", default="rules+reader", help="rules, reader or rules+reader")
    parser.add_argument("--draw", type=int, help="so many facts, of all genres alike, in place of 200")
    parser.add_argument(
        "--added", type=int, help="so many that the relation reader adds to the rules, of news and Wikipedia"
    )
    parser.add_argument("--without", type=Path, nargs="*", default=[])
    parser.add_argument("--texts", type=Path, metavar="FOLDER", help="draw from these, --draw facts of each genre")
    parser.add_argument("--even", action="store_true", help="the other half, on which rules are made")
    options = parser.parse_args()
    if options.count:
        print(json.dumps(_shares()))
        return
    if not DATA.exists():
        print(json.dumps({"skip": f"no data at {DATA}; set KGS_TEST_DATA"}))
        return
    before = [json.loads(line) for path in options.without for line in path.read_text(encoding="utf-8").splitlines()]
    chance, odd = random.Random(options.seed), not options.even
    if options.yields:
        print(json.dumps({genre: _yield(genre, chance, odd, options.extract) for genre in WANTED}))
        return
    if options.texts:
        judged = {row.get("sentence", "")[:SURE] for row in before}
        _print_of(options.texts, options.draw or 40, random.Random(options.seed), judged, options.extract)
        return
    wanted = dict.fromkeys(WANTED, options.draw // len(WANTED)) if options.draw else WANTED
    if options.tables:
        cells = {_cell(row) for row in before if "cell" in row}
        rows = [row for row in _tables(odd) if _cell(row) not in cells]
        for row in chance.sample(rows, TABLES):
            print(json.dumps(row, ensure_ascii=False))
        return
    seen = {str(row.get("source", "")) for row in before} - set(FILINGS)
    seen |= {row.get("sentence", "")[:SURE] for row in before}
    if options.added:
        _print_added(options.added, chance, seen, odd)
        return
    missing, part = 0, 5 if options.draw else 1
    for genre, number in wanted.items():
        texts = [text for text in given(genre, odd=odd) if text.source not in seen]
        rows = [
            row
            for row in stated(genre, chance.sample(texts, min(TEXTS[genre] // part, len(texts))), options.extract)
            if row["sentence"][:SURE] not in seen
        ]
        drawn_number = min(number + missing, len(rows))
        missing = number + missing - drawn_number  # missing evidence sentences are made up by passages
        for row in chance.sample(rows, drawn_number):
            print(json.dumps(row, ensure_ascii=False), flush=True)


def _print_added(number: int, chance: random.Random, seen: set[str], odd: bool) -> None:
    """Print facts that the reader adds: of all news, and of a fifth of the introductions that no list has.

    Lists have most news in which rules find a fact, so of news only their sentences are left out.
    """
    for genres in (("articles", "passages"), ("encyclopaedia",)):
        counts, rows = Counter[str](), list[dict[str, str]]()
        for genre in genres:
            texts = list(given(genre, odd=odd))
            if genre == "encyclopaedia":
                texts = [text for text in texts if text.source not in seen]
                texts = chance.sample(texts, len(texts) // 5)
            for row in stated(genre, texts, "rules+reader"):
                added = known_id(row["said"])
                counts["added" if added else "by rules"] += 1
                if added and row["sentence"][:SURE] not in seen:
                    rows.append(row)
        print(json.dumps({"genres": genres, **counts}), file=sys.stderr)
        for row in chance.sample(rows, min(number, len(rows))):
            print(json.dumps(row, ensure_ascii=False), flush=True)


def _print_of(folder: Path, number: int, chance: random.Random, judged: set[str], way: str) -> None:
    """Print facts of a folder's texts, at most `EACH` of one, and their words and facts by genre."""
    for genre in sorted(path for path in folder.iterdir() if path.is_dir()):
        by_text, words, count = defaultdict[str, list[dict[str, str]]](list), 0, 0
        texts = [text for path in sorted(genre.iterdir()) for text in of_file(path)]
        for text, rows in zip(texts, _by_text(genre.name, texts, way), strict=True):
            words, count = words + len(text.text.split()), count + len(rows)
            by_text[text.source] += [row for row in rows if row["sentence"][:SURE] not in judged]
        print(json.dumps({"genre": genre.name, "words": words, "facts": count}), file=sys.stderr)
        some = [row for rows in by_text.values() for row in chance.sample(rows, min(EACH[genre.name], len(rows)))]
        for row in chance.sample(some, min(number, len(some))):
            print(json.dumps(row, ensure_ascii=False), flush=True)


def of_file(path: Path) -> Iterator[Text]:
    """Yield a file's text, of a filing its chunks without tables."""
    if path.suffix == ".txt":
        title, _, text = path.read_text(encoding="utf-8").partition("\n")
        yield Text(path.stem, title.strip(), text.strip())
        return
    (filing,) = Filing10kLoader(path).read()
    assert isinstance(filing, Document), filing
    about = tuple(filing.metadata.items())
    yield from (Text(path.stem, filing.title, chunk.text, about) for chunk in chunks(filing) if chunk.kind == "text")


def _cell(row: dict[str, str]) -> tuple[str, str, str]:
    return row["filing"], row["sentence"][:SURE], row["cell"]


def given(genre: str, *, odd: bool) -> Iterator[Text]:
    """Yield the texts of a genre's half: chunks of filings, articles' sentences, passages, introductions."""
    if genre == "filings":
        for document in filings(odd=odd):
            about = tuple(document.metadata.items())
            for chunk in chunks(document):
                if chunk.kind == "text":
                    yield Text(str(document.metadata["ticker"]), document.title, chunk.text, about)
        return
    wiki = genre == "encyclopaedia"
    name = "hipporag/2wikimultihopqa_corpus" if wiki else f"multihop-rag/{SETS[genre]}"
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as stream:
        for row in map(json.loads, stream):
            if row["idx"] % 2 == odd:
                text = "\n\n".join(row["facts"]) if genre == "articles" else row["text"]
                yield Text(str(row["idx"]) if wiki else f"{genre[:-1]}-{row['idx']}", row.get("title", ""), text)


def filings(*, odd: bool) -> Iterator[Document]:
    """Yield the eight filings of a half."""
    for path in sorted((DATA / "sec-10k").glob("*.html.gz")):
        if (path.name.split("_")[0] in FILINGS) == odd:
            (filing,) = Filing10kLoader(path).read()
            assert isinstance(filing, Document), filing
            yield filing


def _yield(genre: str, chance: random.Random, odd: bool, way: str) -> dict[str, float]:
    """Return the kept facts per 100 words of a genre's texts, and the number of words."""
    all_texts = list(given(genre, odd=odd))
    texts = chance.sample(all_texts, min(TEXTS[genre] // 5, len(all_texts)))
    words = sum(len(text.text.split()) for text in texts)
    kept = sum(1 for _ in stated(genre, texts, way))
    return {"words": words, "kept_per_100_words": round(100 * kept / words, 2)}


def stated(genre: str, texts: list[Text], way: str = "rules") -> Iterator[dict[str, str]]:
    """Yield the kept facts of the texts. Two statements of one sentence with one relation are one."""
    for rows in _by_text(genre, texts, way):
        yield from rows


def _by_text(genre: str, texts: list[Text], way: str) -> Iterator[list[dict[str, Any]]]:
    book = phrasebook(DEFAULT)
    with RuleExtractor(way) as extractor:
        reads = list(extractor.read([Passages(text.title, (text.text,), about=text.about) for text in texts]))
    for text, read in zip(texts, reads, strict=True):
        assert isinstance(read, Read), read
        seen, rows = set[tuple[str, ...]](), list[dict[str, Any]]()
        ends = (end.label for one in read.triplets[0] for end in (one.subject, one.object) if end.kind == "entity")
        known = identify(text.title, (text.text,), ends, read.kinds)  # as the graph names them: "American"
        for one in (settled(triplet, known) for triplet in read.triplets[0]):
            if one.subject.label == one.object.label:  # two names of one thing, which a load drops
                continue
            (meant,) = book.put(link((one,)))[0] if book else link((one,))
            key = meant.subject.label, meant.relation, meant.object.label, meant.sentence
            if key in seen:
                continue
            seen.add(key)
            said = {"subject": meant.subject.label, "relation": meant.label, "object": meant.object.label}
            row = {"genre": genre, "source": text.source, **said, "said": one.relation, "sentence": one.sentence}
            rows.append({**row, "confidence": one.confidence} | ({"period": one.period} if one.period else {}))
        yield rows


def _shares() -> dict[str, float | dict[str, list[float]]]:
    """Return the share of usable facts in each kind of the judged lists and in all texts, with Wilson intervals."""
    kinds = defaultdict[str, list[bool]](list)
    for name in (
        "text",
        "text_5201",
        "text_5302",
        "text_5402",
        "text_5601",
        "text_5603",
        "text_5701",
        "text_5702",
        "text_5801",
        "text_5802",
        "text_5803",
        "text_6101",
        "text_6202",
        "text_6301",
        "text_6401",
        "text_6601",
        "text_7101",
        "text_7201",
        "text_7301",
        "text_7401",
        "text_7501",
        "text_8001",
        "text_8101",
        "text_8201",
        "text_8301",
        "text_8401",
        "text_8501",
        "text_8601",
        "text_8701",
        "tables",
        "filings",
        "lists",
    ):
        seed = f"{name.partition('_')[2]}, ".removeprefix(", ")
        for line in (JUDGED / f"judged_{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            of = row.get("genre") or (f"four filings, {row['kind']}" if name == "filings" else name)
            for kind in (of, "text") if "genre" in row else (of,):
                kinds[seed + kind].append(row["usable"])
    shares = {of: round(sum(usable) / len(usable), 3) for of, usable in kinds.items()}
    within = {of: binomtest(sum(usable), len(usable)).proportion_ci(method="wilson") for of, usable in kinds.items()}
    return {**shares, "interval": {of: [round(one.low, 3), round(one.high, 3)] for of, one in within.items()}}


def _tables(odd: bool) -> Iterator[dict[str, str]]:
    for document in filings(odd=odd):
        for chunk in chunks(document):
            for one in table_triplets(chunk, document)[0] if chunk.contains_table else ():
                yield {
                    "filing": str(document.metadata["ticker"]),
                    "subject": one.subject.label,
                    "relation": one.relation,
                    "object": one.object.label,
                    "sentence": one.sentence,
                    "cell": one.cell,
                    "above": chunk.text[: chunk.text.find("|")][-300:],
                }


if __name__ == "__main__":
    main()

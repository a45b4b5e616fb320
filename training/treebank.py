"""The UD English Web Treebank with Universal NER's spans as spaCy documents."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from itertools import groupby, pairwise
from pathlib import Path
from typing import NamedTuple

from spacy.tokens import Doc, DocBin
from spacy.training import biluo_tags_to_spans, iob_to_biluo
from spacy.vocab import Vocab

SENTENCES = 10  # a document: enough that the parser learns where sentences end
NAMES = ("PER", "LOC", "ORG")  # other tags of the first version (OTH, O) are no names


class Sentence(NamedTuple):
    """A sentence's columns; `heads` count from the sentence's first word, `names` is None where nobody annotated."""

    document: str
    words: list[str]
    spaces: list[bool]
    pos: list[str]
    morphs: list[str]
    lemmas: list[str]
    heads: list[int]
    deps: list[str]
    names: list[str] | None


def sentences(folder: Path, part: str) -> Iterator[Sentence]:
    """Yield the sentences of "train", "dev" or "test"; names are joined by sentence id where the words agree."""
    tags = dict(_tags(folder / f"uner-{part}.iob2.gz"))
    document = ""
    for comments, rows in _blocks(folder / f"en_ewt-ud-{part}.conllu.gz"):
        document = comments.get("newdoc id", document)
        words, spaces = _words(rows)
        own = [row for row in rows if row[0].isdigit()]
        found = tags.get(comments["sent_id"])
        yield Sentence(
            document,
            words,
            spaces,
            [row[3] for row in own],
            ["" if row[5] == "_" else row[5] for row in own],
            [row[2] for row in own],
            [max(int(row[6]) - 1, 0) if row[7] != "root" else index for index, row in enumerate(own)],
            ["ROOT" if row[7] == "root" else row[7] for row in own],
            found if found and len(found) == len(words) else None,
        )


def write(folder: Path, part: str, target: Path, *, names: bool) -> int:
    """Write the documents of a part as a DocBin; with `names` those that are annotated for names. Returns the words."""
    vocab, count = Vocab(), 0
    bank = DocBin(attrs=["ORTH", "SPACY", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START", "ENT_IOB", "ENT_TYPE"])
    for _, group in groupby(sentences(folder, part), key=lambda item: item.document):
        given = [item for item in group if item.names or not names]
        for start in range(0, len(given), SENTENCES):
            document = _document(vocab, given[start : start + SENTENCES])
            count += len(document)
            bank.add(document)
    bank.to_disk(target)
    return count


def _document(vocab: Vocab, given: list[Sentence]) -> Doc:
    heads: list[int] = []
    for item in given:
        start = len(heads)
        heads += [start + head for head in item.heads]
    document = Doc(
        vocab,
        words=[word for item in given for word in item.words],
        spaces=[space for item in given for space in item.spaces],
        pos=[tag for item in given for tag in item.pos],
        morphs=[morph for item in given for morph in item.morphs],
        lemmas=[lemma for item in given for lemma in item.lemmas],
        heads=heads,
        deps=[dep for item in given for dep in item.deps],
        sent_starts=[index == 0 for item in given for index in range(len(item.words))],
    )
    tags = [tag for item in given for tag in (item.names or ["O"] * len(item.words))]
    document.set_ents(biluo_tags_to_spans(document, iob_to_biluo(tags)), default="outside")
    return document


def _words(rows: list[list[str]]) -> tuple[list[str], list[bool]]:
    """Words and whether a blank follows; the parts of "don't" have none between them."""
    words: list[str] = []
    spaces: list[bool] = []
    inside, after = 0, True
    for row in rows:
        if "-" in row[0]:
            inside, after = int(row[0].split("-")[1]), "SpaceAfter=No" not in row[9]
        elif row[0].isdigit():
            words.append(row[1])
            number = int(row[0])
            own = "SpaceAfter=No" not in row[9]
            spaces.append(own if number > inside else after and number == inside)
    return words, spaces


def _tags(path: Path) -> Iterator[tuple[str, list[str]]]:
    for comments, rows in _blocks(path):
        tags = [row[2] if row[2][2:] in NAMES else "O" for row in rows]
        first = [tag.replace("I-", "B-") if before[2:] != tag[2:] else tag for before, tag in pairwise(["O", *tags])]
        yield comments["sent_id"], first


def _blocks(path: Path) -> Iterator[tuple[dict[str, str], list[list[str]]]]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for blank, lines in groupby((line.rstrip("\n") for line in stream), key=lambda line: not line):
            if not blank:
                kept = list(lines)
                comments = dict(line[2:].split(" = ", 1) for line in kept if line.startswith("# ") and " = " in line)
                yield comments, [line.split("\t") for line in kept if not line.startswith("#")]

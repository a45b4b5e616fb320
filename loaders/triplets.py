"""Ready-made triplets: JSONL records of a text and its triplets, or a TSV table of bare triples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from kgservice.core.records import Document, Problem, Term, Triplet
from loaders.shared.fields import Json, Refused, folded, identity, metadata, published, string
from loaders.shared.files import File, Line, lines, matches, rejected
from loaders.shared.loader import RecordLoader
from loaders.triples import read_triplet

COLUMNS = ("head", "relation", "tail")
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')


class TripletsLoader(RecordLoader):
    """A loader of JSONL {id | idx, title, text, triplets | extracted_triples, …} or TSV with head, relation, tail.

    Names are kept as given, with white space folded. The quotes that a program put around a TSV's cells go: of all
    cells where the columns are named in quotes too, else of those with doubled quotes within. A triplet that cannot be
    read is in the document's `malformed`.
    """

    suffixes = (".jsonl", ".ndjson", ".tsv", ".txt")

    def documents(self, file: File) -> Iterator[Document | Problem]:
        """Yield the records of one file, TSV or JSONL by its first line."""
        content = lines(file)
        first = next(content, None)
        if first is None:
            return
        header, quoted = ([], False) if isinstance(first, Problem) else read_header(first.text)
        if all(name in header for name in COLUMNS):
            yield from _rows(content, file.name, [header.index(name) for name in COLUMNS], quoted=quoted)
        elif matches(file.path.name, (".tsv", ".txt")) and not isinstance(first, Problem):
            yield rejected(file.name, "no header", "the first line must name the columns head, relation, tail")
        else:
            yield from self.objects(chain([first], content), file.name)

    def document(self, record: Json, file: str, line: int) -> Document:
        """Return one text with its triplets. Raises Refused if it has neither."""
        source = identity(record, ("id", "_id"), file, line)
        triplets, malformed = _triplets(record, source)
        text = string(record, "text")
        if not text.strip():
            text = _text(triplets or ())
        if not text:
            raise Refused("no text", f'no "text" and no triplet to take one from; {len(malformed)} malformed')
        when = published(record)
        return Document(
            source=source,
            text=text,
            title=folded(string(record, "title")),
            doc_type=folded(string(record, "doc_type")) or "text",
            url=string(record, "url").strip() or None,
            published=when.date() if when else None,
            domain=folded(string(record, "domain")) or None,
            metadata=metadata(record),
            triplets=triplets,
            malformed=malformed,
        )


def read_header(line: str) -> tuple[list[str], bool]:
    """Return the names of a table's columns in lower case, and whether all are in quotes."""
    cells = [cell.strip().lower() for cell in line.split("\t")]
    quoted = all(map(_QUOTED.fullmatch, cells))
    return [_unquoted(cell) for cell in cells] if quoted else cells, quoted


def _unquoted(cell: str) -> str:
    return cell[1:-1].replace('""', '"')


def _triplets(record: Json, source: str) -> tuple[tuple[Triplet, ...] | None, tuple[Problem, ...]]:
    key = "triplets" if record.get("triplets") is not None else "extracted_triples"
    shapes = record.get(key)
    if shapes is None:
        return None, ()
    if not isinstance(shapes, list):
        raise Refused("malformed line", f'"{key}" must be a list, not {type(shapes).__name__}')
    good: list[Triplet] = []
    malformed: list[Problem] = []
    for shape in shapes:
        try:
            good.append(read_triplet(shape))
        except Refused as refusal:
            malformed.append(refusal.problem(source))
    return tuple(good), tuple(malformed)


def _text(triplets: tuple[Triplet, ...]) -> str:
    """Return one line a triplet: its sentence, or its three parts."""
    sentences = (t.sentence or f"{t.subject.label} {t.relation} {t.object.label}." for t in triplets)
    return "\n".join(dict.fromkeys(sentences))


def _rows(
    content: Iterator[Line | Problem], file: str, columns: list[int], *, quoted: bool
) -> Iterator[Document | Problem]:
    for line in content:
        if isinstance(line, Problem):
            yield line
            continue
        cells = line.text.split("\t")
        try:
            if len(cells) <= max(columns):
                raise Refused("not three parts", f"{len(cells)} columns: {line.text[:80]}")
            yield _row(*(folded(_cell(cells[column].strip(), quoted=quoted)) for column in columns))
        except Refused as refusal:
            yield refusal.problem(f"{file}:{line.number}")


def _cell(cell: str, *, quoted: bool) -> str:
    found = _QUOTED.fullmatch(cell)
    return _unquoted(cell) if found and (quoted or '""' in found[1]) else cell


def _row(head: str, relation: str, tail: str) -> Document:
    if not (head and relation and tail):
        raise Refused("empty end", f"{head} | {relation} | {tail}"[:80])
    return Document(
        source=" | ".join(part.replace("\\", "\\\\").replace("|", "\\|") for part in (head, relation, tail)),
        text=f"{head} {relation} {tail}",
        doc_type="triple",
        triplets=(Triplet(subject=Term(label=head), relation=relation, object=Term(label=tail)),),
    )

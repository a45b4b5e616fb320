"""What the entries of manuals state: options, settings and directives with their defaults and other fields.

A manual names a thing in a line of its own (a heading, a term of a definition list, the code that begins an item) and
says below it what it is. Read are

- the first sentence, where it says what the thing does (`descriptions.py`): under "--quiet" of pgbench "Suppress
  progress messages." is ("pgbench --quiet", "description", "Suppress progress messages");
- sentences that give its default: under "--scale=factor" of pgbench "The default is 1." is ("pgbench --scale",
  "default value", "1");
- tables of two columns whose first is one field after the other ("Status: | Extension"), which are about the heading.

A setting whose name is made for it (`max_connections`, `log.level`) is the same wherever it is described; an option
(`--scale`) is one of its program, which the title names. What two entries of a page do alike is left out. What a
condition limits ("If …", "on Windows") is no default, and two defaults of one thing are two facts, so that no question
asks for the one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from kgservice.core.records import Chunk, Document, Term, Triplet
from kgservice.extraction.tables.cells import clean, split
from kgservice.extraction.tables.descriptions import (
    BLOCK,
    alike,
    describes,
    description_of_entry,
    description_of_program,
    without_code,
)
from kgservice.extraction.tables.lists import single_value
from kgservice.text.english import is_distinct, is_made, is_set, program

_NEXT_IN_CAPITALS = re.compile(r"(?<=[.)]) (?=[A-Z][A-Z_\d]{2,} [A-Z][a-z])")  # a PDF's "… of TERM. LANG Used to …"
DEFAULT, DESCRIPTION = "default value", "description"
MAX_EVIDENCE = 300  # characters
LONGEST = 200  # characters of the line that names a thing
_BRACKET = re.compile(r"\([^()]*\)")
_FIELDS = re.compile(r"\|[^|\n]*: *\|")
_HASHES = re.compile(r"#{1,6}[ \t]+")
_ITEM = re.compile(r"[-*+•][ \t]+")
_OPTION = re.compile(r"(?<![\w-])(--?[A-Za-z][\w-]*)")
_LED = re.compile(  # "`max_size` (int): …", "--jobs N — …"
    r"(?P<term>`[^`\n]+`|--?[a-z][\w-]*)"
    r"(?:[ ,]+(?:\([^()\n]*\)|`[^`\n]+`|--?[a-z][\w-]*|[A-Z]+|<[^<>\n]+>))*\s*(?::|–|—|-(?=\s)|$)"
)
_KIND = re.compile(r"(?i)\s*(?:\([^()]*\)|directive|option|setting|parameter|variable|property|¶|:)\s*$")
_SETTING = re.compile(r"(?i)\b(?:directive|option|setting|parameter|variable)\b")
_STOPS = re.compile(r"(?<=[.;])\s+(?=[A-Z(\"'`])|\n")
_WORD = r"[\w./:@%+*~$-]*[\w/%*]"
_UNIT = (
    r"(?:[kKMGT]i?B|ms|bytes?|bits?|(?:milli|micro)?seconds?|minutes?|hours?|days?|characters|lines|columns|pixels|"
    r"percent|%)"
)
_VALUE = rf"(?P<value>\"[^\"\n]{{1,40}}\"|'[^'\n]{{1,40}}'|`[^`\n]{{1,40}}`|[-+]?\d[\d,.]*\s?{_UNIT}(?![\w-])|{_WORD})"
_STATED = re.compile(
    r"(?:(?i:the )?\b(?i:default)(?: value| setting)?(?: is| =|:|=)|(?i:(?P<of>\S+ )?defaults to))"
    rf"\s+(?:set to )?{_VALUE}(?=\s*[.;,)]|\s+\(|\s*$)"
)
_FIELD = re.compile(r"(?i)default(?: value)?:?[ \t]*")
_BELOW = re.compile(rf"(?im)^default(?: value)?:?[ \t]*\n\s*{_VALUE}[ \t]*$")
_LIMITED = re.compile(
    r"(?i)\b(?:if|when|unless|otherwise|depend\w*|normally|typically|usually|generally|platforms?|systems|compile\w*|"
    r"except|previous\w*|before|prior|since|older|earlier|was|were|windows|linux|unix|macos|solaris|bsd)\b"
)
_NO_VALUE = frozenset(
    "a an the to not no that this these those it its they one same all any as in on of for from with used set and or "
    "usually determined what whatever how where which taken based".split()
)


class _Entry(NamedTuple):
    """A thing that a manual describes, what it is called ("" if nothing tells), and where its part begins and ends."""

    name: str
    kind: str
    start: int
    end: int


class _Statement(NamedTuple):
    """What an entry states: its name, the field, the value, and where the words that say so are in the document."""

    name: str
    kind: str
    field: str
    value: str
    entry: int
    start: int
    end: int


def entry_triplets(chunk: Chunk, document: Document) -> list[Triplet]:
    """Return what the entries of a document state within a chunk.

    The evidence is the sentence or row, with all from the entry's name on where that is short.
    """
    found = []
    for one in _stated(document.text, document.title):
        if chunk.holds(one.start, one.end):
            short = chunk.start <= one.entry and one.end - one.entry <= MAX_EVIDENCE
            said = document.text[one.entry if short else one.start : one.end]
            subject, value = Term(label=one.name, kind="entity", type=one.kind or None), Term(label=one.value)
            found.append(Triplet(subject=subject, relation=one.field, object=value, sentence=said))
    return found


def entry_statements(text: str, title: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield what the entries of a text state: a statement, the name or value in it that answers, what it tells, and the
    kind of the name.

    A description answers which thing it is of ("option of tar --sort: Set the order of …"), other fields are asked for
    by their name ("tar --sort, default value: none").
    """
    for one in _stated(text, title):
        if one.field == DESCRIPTION:
            only = "software " if one.kind == "software" else ""  # a page has one program and many options
            yield f"{one.kind} {one.name}: {one.value}", one.name, only + one.value, one.kind
        else:
            yield (told := f"{one.name}, {one.field}: {one.value}"), one.value, told, ""


@lru_cache(maxsize=8)
def _stated(text: str, title: str) -> tuple[_Statement, ...]:
    found: dict[tuple[str, str, str], _Statement] = {}
    described: dict[str, str] = {}
    bare = without_code(text)
    if of := description_of_program(text, title):
        one = _Statement(program(title), of.kind, DESCRIPTION, of.words, of.start, of.start, of.end)
        found[one.name, DESCRIPTION, of.words] = one
    for entry in _entries(bare, title):
        said = bare[entry.start : entry.end]
        if entry.name.isupper():
            said = _NEXT_IN_CAPITALS.split(said, maxsplit=1)[0]
        values = [] if entry.kind == "function" else [*_defaults(said), *_fields(said, entry.name)]
        kind = entry.kind or ("setting" if any(field == DEFAULT for _, _, field, _ in values) else "")
        values += _description(said, entry.name, kind) if kind else ()
        for start, end, field, value in values:
            if field == DESCRIPTION and described.setdefault(entry.name, value) != value:
                continue
            one = _Statement(entry.name, kind, field, value, entry.start, entry.start + start, entry.start + end)
            found.setdefault((entry.name, field, value), one)
    same = alike(described)
    return tuple(one for one in found.values() if one.field != DESCRIPTION or one.name not in same)


def _entries(text: str, title: str) -> Iterator[_Entry]:
    """Yield the entries in order; one ends where another, a heading or another term begins."""
    titled, name, kind, start = program(title), "", "", 0
    named = titled if is_distinct(titled) else ""  # not "Usage"
    field = False  # the block before is "Default value:" alone
    for block in BLOCK.finditer(text):
        line = block[0]
        value, field = field, _FIELD.fullmatch(line) is not None
        if line.startswith("|") and not _FIELDS.match(line) and kind != "function":  # it says nothing of the entry
            if name:
                yield _Entry(name, kind, start, block.start())
            name = ""
        if kind == "function" and re.match(rf"[^(\n]*\b{re.escape(name)} ?\(", line):  # its signature
            continue
        if value or field or _STATED.match(line) or (not _ITEM.match(line) and not _is_term(line)):
            continue
        for at, led in _terms(line):
            if name and start < block.start() + at:
                yield _Entry(name, kind, start, block.start() + at)
            (name, kind), start = _named(led, named), block.start() + at
    if name:
        yield _Entry(name, kind, start, len(text))


def _is_term(block: str) -> bool:
    """Return whether a block names what follows, or something else: a heading, or a short block that is no sentence."""
    if _HASHES.match(block) or _LED.match(block) or len(block) > LONGEST:
        return bool(_HASHES.match(block) or _LED.match(block))
    lines = block.split("\n")
    return not re.search(r"[.!?]\s*$|^\|", block) and all(len(_BRACKET.sub("", line).split()) <= 6 for line in lines)


def _terms(block: str) -> Iterator[tuple[int, str]]:
    """Yield what a block names and where what is said of it begins: a list has a term an item."""
    if not _ITEM.match(block):
        led = _LED.match(block)
        yield (0, led["term"]) if led and len(block) > LONGEST else (0, block)
        return
    at = 0
    for line in block.split("\n"):
        if item := _ITEM.match(line.lstrip()):
            led = _LED.match(line.lstrip()[item.end() :])
            yield at, led["term"] if led else ""
        at += len(line) + 1


def _named(term: str, of: str) -> tuple[str, str]:
    """Return what a term names and what that is called (option, function, setting or ""); no name if none is told
    apart."""
    first = " ".join(_HASHES.sub("", term).replace("`", "").replace("*", "").replace("\\", "").split())
    first = re.sub(r"^[^\w-]+", "", first)
    options = _OPTION.findall(first) if first.startswith("-") else []
    if options:
        return (f"{of} {max(options, key=len)}", "option") if of else ("", "")
    bare = first
    while bare != (bare := _KIND.sub("", bare)):
        pass
    name = re.split(r"[=\[<(]", bare)[0].strip()
    if " " in name or not is_made(name) or not re.fullmatch(r"[A-Za-z][\w.-]*\w", name):
        return "", ""
    if first.startswith(f"{name}("):  # with a text in the brackets it is a call of it
        return ("", "") if re.match(r"[\"']", first[len(name) + 1 :]) else (name, "function")
    return name, "setting" if _SETTING.search(first) else ""


def _description(said: str, name: str, kind: str) -> Iterator[tuple[int, int, str, str]]:
    term = next(BLOCK.finditer(said))[0]
    item = _ITEM.match(term)
    led = _LED.match(term, item.end() if item else 0)
    at = led.end() if led and term[led.end() :].strip() else len(term)
    if at == len(term) and any(_ITEM.match(line.strip()) for line in term.split("\n")[1:]):  # another thing begins
        return
    told = description_of_entry(said[at:], name)
    if told and not (kind == "function" and is_set(told.words)):  # a function sets nothing: it returns what is named
        yield at + told.start, at + told.end, DESCRIPTION, told.words


def _defaults(said: str) -> Iterator[tuple[int, int, str, str]]:
    at = 0
    for below in _BELOW.finditer(said):
        if value := _value(below["value"]):
            yield *below.span(), DEFAULT, value
    for sentence in _STOPS.split(said):
        at = said.index(sentence, at)
        found = _STATED.search(sentence)
        told = found and sentence[:1] != "|" and not _LIMITED.search(sentence) and _is_whole(found)
        if found and told and (value := _value(found["value"])):
            yield at, at + len(sentence.rstrip()), DEFAULT, value


def _is_whole(found: re.Match[str]) -> bool:
    """Return whether the default is what a sentence begins or ends with, and of no other setting that it names."""
    if is_made(found["of"] or ""):
        return False
    return not found.start() or re.fullmatch(r"\W*(?:\([^()]*\)\W*)?", found.string[found.end("value") :]) is not None


def _value(said: str) -> str:
    """Return a value without its quotes, "" where it is none ("the", "not")."""
    value = said.strip("\"'`").strip()
    return "" if value.lower() in _NO_VALUE or "@" in value else value


def _fields(said: str, name: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield the rows of a table of two columns, the first of which names fields: "| Status: | Extension |"."""
    rows = [(*line.span(), split(line[0].strip())) for line in re.finditer(r"(?m)^\|.*\|", said)]
    rows = [row for row in rows if not set("".join(row[2])) <= set("-: ")]
    if len(rows) < 2 or any(len(cells) != 2 or not clean(cells[0]).endswith(":") for _, _, cells in rows):
        return
    for start, end, cells in rows:
        field, value = clean(cells[0]).rstrip(":").lower(), clean(cells[1])
        if field == DESCRIPTION and describes(value):
            yield start, end, DESCRIPTION, value
        value = value.removeprefix(f"{name} ") if field == "default" else value
        if single_value(value) and name not in value and _value(value):
            yield start, end, DEFAULT if field == "default" else field, value

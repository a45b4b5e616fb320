"""Windows of texts in which it is known what pronouns mean: by people's marks, or as they replaced a name."""

from __future__ import annotations

import hashlib
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from relation_data import judged_texts, more_texts

from kgservice.extraction.readers.coreference_reader import NO_NAMES, Window, pieces, window
from kgservice.extraction.rules import Reader
from kgservice.extraction.syntax.fact_ends import End, Met
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.syntax.proper_names import BRACKET
from kgservice.text.periods import calendar

MARKS = Path(__file__).resolve().parent / "meant.jsonl"
LONGEST = 12_000  # characters of a text
PLACES = 0.4  # share of the places that are replaced
CLASSES = {
    "organization": "company group team firm club startup organization".split(),
    "name": "film book album game service product show song company app".split(),
    "place": "city country town".split(),
}


class Passage(NamedTuple):
    """A text's title without its bracket, and the sentences that the rules read."""

    source: str
    title: str
    met: tuple[Met, ...]


class Known(NamedTuple):
    """A window, and the names that some of its ends mean, by their numbers; "" where they mean none."""

    window: Window
    means: dict[int, str]


def passages(data: Path, only: Iterable[str] | None = None) -> Iterator[Passage]:
    """Yield the texts that marks and opinions are about, all but filings, or those of some sources."""
    wanted = None if only is None else {*only}
    parser = Parser()
    for text in (*judged_texts(data), *more_texts(data)):
        about = dict(text.about)
        if about.get("company") or (wanted is not None and text.source not in wanted):
            continue
        doc = parser.parse(text.text[:LONGEST], text.title)[0]
        reader = Reader(doc, text.title, "", calendar(about), ends=True)
        list(reader.weighed())
        yield Passage(text.source, BRACKET.sub("", text.title).strip(), tuple(reader.met))


def marks_of(rows: list[dict[str, Any]]) -> dict[tuple[str, str], list[list[Any]]]:
    """Return what was marked, by the text and the sentence of the pronoun."""
    found = defaultdict[tuple[str, str], list[list[Any]]](list)
    for row in rows:
        for one in row["meant"]:
            found[row["source"], one[0]].append(one)
    return found


def sentence_key(sentence: str) -> str:
    """Return what stands for a sentence in meant.jsonl, which has no text."""
    return hashlib.blake2b(sentence.encode(), digest_size=6).hexdigest()


def marked(passage: Passage, marks: dict[tuple[str, str], list[list[Any]]]) -> Iterator[Known]:
    """Yield the windows of which somebody marked what pronouns mean, but those whose name stands too far off."""
    keys = [sentence_key(one.text) for one in passage.met]
    for at, key in enumerate(keys):
        seen = window(pieces, passage.title, passage.met, at) if (passage.source, key) in marks else None
        said: dict[int, str] = {}
        for _, *place in marks.get((passage.source, key), ()) if seen else ():
            asked = _at(seen, passage, at, place[:2])
            name = _named(seen, passage, keys, at, place[2:]) if place[2:] else ""
            if asked is not None and name is not None:
                said[asked] = name
        if seen and said:
            yield Known(seen, said)


def _at(seen: Window, passage: Passage, at: int, place: list[int]) -> int | None:
    """Return the end of a window's last sentence at a place of it."""
    start = len(seen.text) - len(passage.met[at].text)
    spans = {(end.start, end.end): number for number, end in enumerate(seen.ends) if number >= seen.first}
    return spans.get((place[0] + start, place[1] + start))


def _named(seen: Window, passage: Passage, keys: list[str], at: int, place: list[Any]) -> str | None:
    """Return the name at a place of a sentence of the window, or of its title."""
    if not place[0]:
        return passage.title
    for sentence in range(at, -1, -1):
        if keys[sentence] == place[0]:
            met = passage.met[sentence]
            form = met.text[place[1] : place[2]]
            own = [end for end in met.ends if (end.start - met.start, end.end - met.start) == tuple(place[1:])]
            label = own[0].name.label if own and own[0].name else form
            return label if label in labels(seen, range(len(seen.ends))) else None
    return None


def labels(seen: Window, ends: Iterable[int]) -> list[str]:
    """Return the names of some ends of a window."""
    every = (seen.ends[end] for end in ends)
    return [end.name.label if end.name is not None else seen.text[end.start : end.end] for end in every]


def replaced(passage: Passage, draw: random.Random) -> Iterator[Known]:
    """Yield windows in which a name that stood before is replaced by what may mean it: "it", "her", "the film"."""
    text = " ".join(one.text for one in passage.met)
    her = len(re.findall(r"\b[Ss]he\b", text)) > len(re.findall(r"\b[Hh]e\b", text))
    for at, met in enumerate(passage.met):
        before = {passage.title} | {label for one in passage.met[max(0, at - 5) : at] for label in _named_in(one)}
        known = [end for end in met.ends if end.kind in ("person", *CLASSES) and end.name and end.name.label in before]
        if not known or len(_named_in(met)) > len(set(_named_in(met))):
            continue
        end = draw.choice(known)
        if end.name is None or (end.kind == "place" and draw.random() > PLACES):
            continue
        changed, place = _with_pronoun(met, end, her, draw)
        seen = window(pieces, passage.title, (*passage.met[:at], changed), at)
        number = _at(seen, passage._replace(met=(*passage.met[:at], changed)), at, list(place))
        if number is not None:
            yield Known(seen, {number: end.name.label})


def _named_in(met: Met) -> list[str]:
    return [end.name.label for end in met.ends if end.name is not None and end.kind not in NO_NAMES]


def _with_pronoun(met: Met, end: End, her: bool, draw: random.Random) -> tuple[Met, tuple[int, int]]:
    """Return a sentence with what may mean a name in its place, and where that stands in it."""
    first, last = end.start - met.start, end.end - met.start
    owns = re.match(r"['’]s\b|['’](?=\s)", met.text[last:])
    last += owns.end() if owns else 0
    first -= 4 if met.text[:first].lower().endswith("the ") else 0
    word = _pronoun(end.kind, owns is not None, her, draw)
    word = word[0].upper() + word[1:] if first == 0 else word
    core = word.split()[-1]
    longer = len(word) - (last - first)
    place = first + len(word) - len(core), first + len(word)
    every = sorted((*met.ends, *met.nouns), key=lambda one: one.start)
    others = [one for one in every if one.end - met.start <= first]
    behind = [one for one in every if one.start - met.start >= last]
    moved = [one._replace(start=one.start + longer, end=one.end + longer) for one in behind]
    own = End(place[0] + met.start, place[1] + met.start, "pronoun", None)
    text = met.text[:first] + word + met.text[last:]
    return met._replace(text=text, ends=(*others, own, *moved), nouns=()), place


def _pronoun(kind: str, owns: bool, her: bool, draw: random.Random) -> str:
    if kind == "person":
        hers, his = (("her",), ("his",)) if owns else (("she", "she", "her"), ("he", "he", "him"))
        forms = hers if her else his
    elif owns:
        forms = ("its",) if kind == "place" else ("its", "its", "their")
    else:
        forms = ("it", "the") if kind == "place" else ("it", "it", "they", "the", "the")
    word = draw.choice(forms)
    return f"the {draw.choice(CLASSES[kind])}" if word == "the" else word

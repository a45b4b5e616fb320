"""The parser: the packaged English spaCy pipeline, or another one with Universal Dependencies or CLEAR labels."""

from __future__ import annotations

import re
import sys
import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kgservice.core.errors import BadRequest
from kgservice.extraction.syntax.boundaries import boundaries
from kgservice.extraction.syntax.proper_names import fixed, odd
from kgservice.names.abbreviations import initials
from kgservice.names.countries import is_demonym
from kgservice.names.mentions import is_common
from kgservice.names.own_names import own_name
from kgservice.text.fences import fences
from kgservice.text.sentences import sentences
from kgservice.text.values import MONTHS

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

PACKAGED = Path(__file__).parents[1] / "english"
UNIVERSAL = {"nsubj", "obj", "obl", "case", "cop", "nmod", "acl", "conj"}
_OPENERS = (
    "The|He|She|It|They|We|You|But|However|Meanwhile|This|These|Those|There|His|Her|Its|Their|Our|According|If|When|While|"
    "After|Before|Since|Although|So|In|On|At|For|With|As|By|And|What|How|Why"
)
_MONTH = "|".join(month.title() for month in MONTHS.split())
_DATES = rf"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:{_MONTH})|\d"
_LOST = re.compile(  # a sentence begins where the text lost a full stop: "has a win On Monday, a jury"
    rf"(?<=[a-z\d%)”] )(?=(?:{_OPENERS})(?:,? [a-z’']+(?: [a-z]|[,.])|, | (?:{_DATES})))|(?<=[a-z] ” )(?=[A-Z])"
)
_DATELINE = re.compile(  # "LONDON (Reuters) - BP appointed", "Washington (CNN) The United States"
    r"(?m)^[A-Z][A-Z ./]{2,30}(?:, [A-Z][\w .]{1,20}){0,2}(?: \([\w ]{2,20}\))? ?(?:[-–—]|--) (?=[\"“]?[A-Z])"
    r"|^(?P<place>[A-Z][\w .,/]{2,40}) \((?P<agency>AFP|AP|Bloomberg|CNN|Reuters|UPI|Xinhua)\) ?"
    r"(?P<dash>[-–—] ?|-- ?)?(?=[\"“]?[A-Z])"
)
_MARKUP = re.compile(  # of Markdown; a link's own text is none
    r"\[?!\[[^\[\]]{0,200}\](?:\([^()\s]*\)|\[[^\[\]]*\])(?:\](?:\([^()\s]*\)|\[[^\[\]]*\]))?"
    r"|(?<!!)\[(?P<link>[^\[\]\n]{1,200})\]\((?:[^()\s]*)(?: \"[^\"\n]*\")?\)"
    r"|\*\*|`|(?<!\S)[*_](?=\w)|(?<=\w)[*_](?![\w*_])"
    r"|(?<=\S) +(?= \S)"  # more than one blank would be a word
    r"|[\x00-\x08\x0e-\x1f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]"  # nobody sees these
)
_TONGUE = r"(?P<tongue>[A-Z][a-z]+)(?: [A-Z][a-z]+)?: ?(?P<first>[^\s();])[^();\n]*(?:; ?[A-Z][a-z]+: [^();\n]+)*"
_ASIDE = re.compile(rf" \((?:{_TONGUE}|/[^/()\n]+/|pronounced [^();\n]+|[\s;,]*)(?:\)|(?P<more>; ?))")
_PLAIN = dict.fromkeys((0xA0, 0x2009, 0x202F), " ") | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")  # sign for sign
_PREFIXED = re.compile(r"(?<![\w-])(?:[Rr]e|[Cc]o)-(?P<word>[a-z]{3,})(?![\w-])")  # "co-founded": one word
_LOST_BLANK = r"(?<=[^\W\d_]{2})\((?=[A-Z][a-z]|born\b|\d{4}\b)"  # "Lind(born 1970)" is two words, "printf(3)" is one
_ENDLESS = re.compile(r"\S{400}")  # the tokenizer takes quadratic time on such runs
MAX_SENTENCE = 200  # words and marks; longer ones are lists and broken tables, and slow: they are cut
BATCH, BATCH_WORDS = 64, 10_000  # pieces parsed at once, and their words
TOGETHER = 4 * BATCH  # what spaCy is told, as its parsers take a quarter at once
MAX_TEXT = 20_000  # characters parsed at once: bounds memory whatever the chunk's size
_READ: list[int | str] = ["TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "ENT_IOB", "ENT_TYPE"]


class Parser:
    """Parses texts; a text's tree is the same in any company (a test compares batches)."""

    def __init__(self, pipeline: str = "") -> None:
        self.nlp = _loaded(pipeline)

    def parse(self, text: str, title: str = "") -> list[Doc]:
        """Return one parsed text, in pieces of at most MAX_TEXT characters that end with a sentence."""
        return next(self.parse_all([(text, title)]))

    def parse_all(self, given: Sequence[tuple[str, str]], later: Collection[int] = ()) -> Iterator[list[Doc]]:
        """Yield the pieces of each text of (text, title) in turn, parsed together.

        `later` are the places of the texts with which no document begins. `user_data["own"]` of a piece is where the
        first sentence of a document calls the title's thing otherwise than the title does.
        `user_data["cut"]` of a piece holds the first words of the later parts of sentences above MAX_SENTENCE,
        `user_data["endless"]` the sentences that are blanked for a run of characters without a space, and
        `user_data["written"]` the text with its markup, in which `user_data["places"]` are those of each character.
        `user_data["fixed"]` has what `fixed` finds in a piece, by the title.
        """
        pieces = [[text[start:end] for start, end in _pieces(text)] for text, _ in given]
        made = (
            self._piece(piece, title, opens=not number and at not in later)
            for at, (own, (_, title)) in enumerate(zip(pieces, given, strict=True))
            for number, piece in enumerate(own)
        )
        parsed = (doc for batch in _batches(made) for doc in self._parsed(batch))
        for own in pieces:
            yield list(islice(parsed, len(own)))

    def _parsed(self, batch: list[Doc]) -> Iterator[Doc]:
        read = [_with_plain_titles(doc) for doc in batch]
        for doc, plain in zip(batch, self.nlp.pipe(read, batch_size=TOGETHER), strict=True):
            yield doc if plain is doc else _copied(plain, doc)

    def _piece(self, piece: str, title: str, *, opens: bool) -> Doc:
        written, places = piece, _places(piece)
        spans = sentences(piece)
        if len(places) < len(piece):
            piece = "".join([piece[at] for at in places])
            inner = [(bisect_left(places, start), bisect_left(places, end)) for start, end in spans]
            spans = [span for span in inner if piece[slice(*span)].strip()]
        piece = piece.translate(_PLAIN)
        endless = [span for span in spans if _ENDLESS.search(piece, *span)]
        shown = [piece[start:end] for start, end in endless]
        for start, end in endless:
            piece = piece[:start] + " " * (end - start) + piece[end:]
        own = own_name(title, piece) if opens else None
        seen = list(fixed(piece, title, own))
        named = [(start, end) for start, end, kind in seen if kind in ("title", "own")]
        lost = [found.start() for found in _LOST.finditer(piece)]
        lost = [at for at in lost if not any(start < at < end for start, end in named)]  # "Come On, Rangers"
        lost += [found.end() for found in _DATELINE.finditer(piece) if not _is_explained(found)]
        more = boundaries(piece, spans, partial(self.sentence, without=("ner",)))
        doc = self._begun(piece, {*lost, *more, *(begin for begin, _ in spans)}, seen)
        doc.user_data.update(own=own, endless=shown, written=written, places=places, fixed={title: seen})
        return doc

    def sentence(self, text: str, without: Sequence[str] = ()) -> Doc:
        """Return a text parsed as one sentence, whatever marks are in it, `without` some parts of the pipeline."""
        return self.nlp(self._begun(text, set(), fixed(text, "")), disable=list(without))

    def _begun(self, text: str, begins: set[int], seen: Iterable[tuple[int, int, str]]) -> Doc:
        """The words, with the sentences marked and titles among what is `fixed` made one word; nothing parsed yet."""
        doc = self.nlp.make_doc(text)
        _merge(doc, begins, seen)
        start, cut, marks = 0, set(), np.full(len(doc), -1, dtype=np.int64)
        # the sentences of chunking, not the parser's: facts are stored with them; an array, for words are slow to mark
        for at, place in enumerate(doc.to_array(["IDX"]).ravel().tolist()):
            begin = at == 0 or place in begins
            if not begin and at - start >= MAX_SENTENCE:
                cut.add(at)
            if begin or at in cut:
                start, marks[at] = at, 1
        doc.from_array(["SENT_START"], marks.astype(np.uint64))  # type: ignore[arg-type]
        doc.user_data["cut"] = cut
        return doc


def _places(text: str) -> list[int]:
    """The places of a text's characters that are no markup."""
    kept, at = list[int](), 0
    asides = list(_asides(text))
    for start, end in [*fences(text), (len(text), len(text))]:
        marks = [(*found.span(), found.span("link")) for found in _MARKUP.finditer(text, at, start)]
        for begin, upto, link in sorted([*marks, *((*span, (0, 0)) for span in asides)]):
            if at <= begin and upto <= start:
                kept += range(at, begin)
                kept += range(*link)
                at = upto
        kept += range(at, start)
        at = end
    return kept


def _asides(text: str) -> Iterator[tuple[int, int]]:
    """Yield where brackets say how a name is pronounced or written in another language: the parser trips over that.

    What else a bracket says, as "born 1950" after it, stays.
    """
    for found in _ASIDE.finditer(text):
        tongue, first = found["tongue"], found["first"] or ""
        if not tongue or is_demonym(tongue) or (first.isalpha() and "LATIN" not in unicodedata.name(first, "")):
            yield (found.start() + 2, found.end()) if found["more"] else found.span()


def _is_explained(dateline: re.Match[str]) -> bool:
    """Whether a bracket is short for the words before it and names no agency: "Advanced Placement (AP) Physics"."""
    if dateline["agency"] is None or dateline["dash"] is not None:
        return False
    return any(own.endswith(dateline["agency"].lower()) for own in initials(dateline["place"]))


def _batches(docs: Iterable[Doc]) -> Iterator[list[Doc]]:
    """Group documents to parse at once: enough for speed, little enough for memory."""
    batch: list[Doc] = []
    words = 0
    for doc in docs:
        batch.append(doc)
        words += len(doc)
        if len(batch) == BATCH or words > BATCH_WORDS:
            yield batch
            batch, words = [], 0
    if batch:
        yield batch


def _merge(doc: Doc, begins: set[int], seen: Iterable[tuple[int, int, str]]) -> None:
    """Make one word of each title that would be read as a phrase, and of a word that the tokenizer cuts after "re"."""
    taken, merged = -1, []
    found = [(start, end) for start, end, kind in seen if kind not in ("date", "own")]
    found += [word.span() for word in _PREFIXED.finditer(doc.text)]
    for start, end in sorted(found, key=lambda one: (one[0], -one[1])):
        span = doc.char_span(start, end, alignment_mode="contract")
        if span is None or span.start <= taken or not (odd(span.text) or _PREFIXED.fullmatch(span.text)):
            continue
        if not any(token.idx in begins for token in span[1:]):
            merged.append(span)
            taken = span.end - 1
    if merged:
        with doc.retokenize() as retokenizer:
            for span in merged:
                retokenizer.merge(span)


def _with_plain_titles(doc: Doc) -> Doc:
    """Return a document with a plain word in place of each that was made one, or itself without any.

    A parser that meets "Come On, Rangers" takes it for anything; it knows what "Titanic" is in a sentence, and what
    "elected" is, but not "re-elected".
    """
    from spacy.tokens import Doc as Document

    words = [_plain(token) for token in doc]
    if words == [token.text for token in doc]:
        return doc
    starts: list[bool | int | None] = [token.is_sent_start for token in doc]
    return Document(doc.vocab, words=words, spaces=[bool(token.whitespace_) for token in doc], sent_starts=starts)


def _plain(token: Token) -> str:
    """Return the word that the parser reads in a word's place."""
    if _is_title(token):
        return _plain_title(token.text)
    prefixed = _PREFIXED.fullmatch(token.text)
    if prefixed is None:
        return token.text
    return prefixed["word"].capitalize() if token.text[0].isupper() else prefixed["word"]


def _plain_title(title: str) -> str:
    """Return the first word of a title that is in no dictionary, as in "Maria Antonia of Austria"; else "Titanic".

    "Kentucky", which is in one, would make a place of "Kentucky Electrical Lamp Company".
    """
    from simplemma import is_known  # read at the first title

    words = (word.strip(",.:;!?") for word in title.split())
    for word in words:
        if word.istitle() and word.isalpha() and not is_known(word.lower(), lang="en") and not is_common(word.lower()):
            return word
    return "Titanic"


def _copied(plain: Doc, doc: Doc) -> Doc:
    """Copy what was read in a document with plain titles to the one with the titles themselves, and return that."""
    doc.from_array(_READ, plain.to_array(_READ))  # type: ignore[arg-type]
    for token in doc:
        if _is_title(token):
            token.lemma_ = token.text
    return doc


def _is_title(token: Token) -> bool:
    """Return whether a title was made one word."""
    return " " in token.text.strip()


def _pieces(text: str) -> list[tuple[int, int]]:
    pieces: list[tuple[int, int]] = []
    for start, end in sentences(text):
        for at in range(start, end, MAX_TEXT):
            upto = min(end, at + MAX_TEXT)
            if pieces and upto - pieces[-1][0] <= MAX_TEXT:
                pieces[-1] = (pieces[-1][0], upto)
            else:
                pieces.append((at, upto))
    return pieces


@contextmanager
def _without_torch() -> Iterator[None]:
    """Keep spaCy from importing torch where it is there: 2 s and 300 MB for what the packaged pipeline never uses."""
    absent = "torch" not in sys.modules
    if absent:
        sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if absent:
            del sys.modules["torch"]


@lru_cache(maxsize=2)
def _loaded(pipeline: str) -> Language:
    with _without_torch() if not pipeline else nullcontext():
        import spacy

    try:
        from kgservice.extraction.syntax.clear_trees import CLEAR

        nlp = spacy.load(pipeline or PACKAGED)
    except OSError as error:
        raise BadRequest(f"no spaCy pipeline {pipeline!r}: install it, or give the path of one ({error})") from error
    labels = {label.split(":")[0] for label in nlp.pipe_labels.get("parser", ())}
    if labels >= CLEAR:
        nlp.add_pipe("universal_dependencies")
    elif missing := sorted(UNIVERSAL - labels):
        raise BadRequest(
            f"the parser of the pipeline {pipeline!r} has neither the labels of Universal Dependencies "
            f"({', '.join(missing)} missing) nor those of spaCy's en_core_web models: name another pipeline, "
            "or none for the packaged one"
        )
    tokenizer: Any = nlp.tokenizer
    tokenizer.infix_finditer = spacy.util.compile_infix_regex([*(nlp.Defaults.infixes or ()), _LOST_BLANK]).finditer
    vectors = nlp.vocab.vectors
    if vectors.data.dtype == np.float16:  # as the packaged ones are stored
        vectors.data = vectors.data.astype(np.float32)
    if not pipeline:
        from kgservice.extraction.syntax.quick_pipes import quicken

        quicken(nlp)
    return nlp

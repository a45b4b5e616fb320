"""The main path, top to bottom: load → chunk → extract → link → write → embed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.core.journal import Journal
from kgservice.core.records import (
    Chunk,
    Document,
    LinkedTriplet,
    Problem,
    Record,
    StatedChunk,
    StatedDocument,
    Triplet,
    Version,
)
from kgservice.core.schema import DEFAULT, NONE, fingerprint, load_schema, text_of
from kgservice.core.tracing import stage
from kgservice.extraction import plugins
from kgservice.extraction.extractor import Extractor, Passages, Read, check_method
from kgservice.extraction.llm_extractor import PROMPTS, WINDOW, WINDOW_TOKENS, PromptedExtractor
from kgservice.extraction.phrasebook import Phrasebook, phrasebook
from kgservice.extraction.plugins import PluggedExtractor
from kgservice.extraction.tables.contact_addresses import contact_triplets
from kgservice.extraction.tables.labelled_values import labelled_triplets
from kgservice.extraction.tables.manual_entries import entry_triplets
from kgservice.extraction.tables.stated_amounts import amount_triplets
from kgservice.extraction.tables.table_facts import table_triplets
from kgservice.extraction.tables.term_meanings import meaning_triplets
from kgservice.extraction.workers import RuleExtractor
from kgservice.graph.applied_decisions import LOCAL, named_in
from kgservice.graph.rows import Rows
from kgservice.graph.store import Graph
from kgservice.ingest.admission import admitted, batches
from kgservice.ingest.garbage import collecting_seldom
from kgservice.ingest.leftovers import LoadedFiles
from kgservice.ingest.load_report import NAMED, LoadCounts, LoadReport, Ready
from kgservice.ingest.text_quality import TextQuality, health, unread, unworded, warned
from kgservice.llm.client import LLM
from kgservice.llm.estimate import Estimate, estimate
from kgservice.llm.ledger import Spending
from kgservice.names.identity import identify
from kgservice.names.local_entities import check_mode, link
from kgservice.names.mentions import mentions
from kgservice.resolution.letter_case import merge_letter_case
from kgservice.resolution.same_name import resolve
from kgservice.text.chunking import check_chunking, chunks
from kgservice.text.placement import place, place_stated
from kgservice.vectors.embedder import Embedder, check_model, embed_chunks

if TYPE_CHECKING:
    from kgservice.linking.linker import WikidataLinker

EXTRACTION = "given+tables+rules+mentions 42"  # in every content hash: another extraction reads every document again

RULES = ("rules", "reader", "rules+reader")  # the ways of extraction that workers share

Advance = Callable[[str, int], None]


class _Cut(NamedTuple):
    document: Document
    content_hash: str
    chunks: list[Chunk]
    health: TextQuality


class Recipe(Record):
    """How documents are read, by which `model` where one reads them, and linked, by which `linker` (its name).

    `schema_name` is the relation schema: none, default or a file; "" is default for what is read and none for
    ready-made triplets, whose relations somebody meant. Another recipe counts as another version.
    """

    chunking: str = "rare"
    extract: str = "rules+reader"
    model: str = ""
    link: str = "case"
    linker: str = ""
    schema_name: str = ""
    since: date | None = None

    def name(self) -> str:
        """Return the recipe as one string, the part that decides what a document becomes."""
        by = f" by {self.model}, prompts {PROMPTS}" if self.model else ""
        # resolution decides afterwards: what a document states is the same
        link = "none" if self.link in ("case", "resolve") else f"{self.link} {self.linker}".strip()
        schema = f"{self.schema_name} {fingerprint(self.schema_name or DEFAULT)}".strip()
        return f"{EXTRACTION}; chunking {self.chunking}; schema {schema}; extract {self.extract}{by}; link {link}"

    def book(self, *, given: bool) -> Phrasebook | None:
        """Return the phrases by which relations are put into the schema, None where they stay as they are."""
        return phrasebook(self.schema_name or (NONE if given else DEFAULT))

    def own_schema(self) -> str:
        """Return the text of a schema of one's own, "" where there is none."""
        return "" if self.schema_name in ("", DEFAULT, NONE) else text_of(self.schema_name)


def check_recipe(recipe: Recipe) -> None:
    """Refuse a recipe that cannot be followed (BadRequest)."""
    check_chunking(recipe.chunking)
    check_method(recipe.extract, plugins.names())
    check_mode(recipe.link)
    recipe.book(given=False)


class Writer(Protocol):
    """Where stated documents go: the graph, or the files of a bulk import."""

    def versions(self, corpus: str, sources: list[str]) -> dict[str, Version]: ...
    def prepare_rows(self, corpus: str, batch: list[StatedDocument]) -> Rows: ...
    def write(self, rows: Rows) -> None: ...


class SearchedGraph:
    """The graph as a Writer of what is searched: the corpus has its full-text index before its first chunk.

    To make an index empties Neo4j's cache of plans, so the graph itself makes none: what is only enumerated needs none.
    """

    def __init__(self, graph: Graph) -> None:
        self.versions, self.prepare_rows, self._graph = graph.versions, graph.prepare_rows, graph

    def write(self, rows: Rows) -> None:
        """Write, with the corpus's full-text index."""
        self._graph.write(rows, self._graph.text_index(rows.corpus))


def names_written(rows: Rows, *, given: bool) -> Iterator[str]:
    """Yield the names (ids) of entities that documents write; `given`: also those of ready-made triplets."""
    batch = (one for one in rows.batch if given or one.document.triplets is None)
    return (name for kind, name in named_in(batch) if kind == "entity" and name.startswith(LOCAL))


class Noting(SearchedGraph):
    """A Writer that notes the names of what it writes, for the resolution after the load.

    `given`: also those of documents with ready-made triplets.
    """

    def __init__(self, graph: Graph, *, given: bool) -> None:
        super().__init__(graph)
        self.names, self._given = set[str](), given

    def write(self, rows: Rows) -> None:
        """Write, and note."""
        super().write(rows)
        self.names.update(names_written(rows, given=self._given))


def load(
    graph: Graph,
    found: Iterable[Document | Problem],
    corpus: str,
    recipe: Recipe,
    embedder: Embedder | None,
    journal: Journal,
    advance: Advance = lambda stage, count: None,
    llm: LLM | None = None,
    linker: WikidataLinker | None = None,
    extractor: Extractor | None = None,
) -> LoadReport:
    """Load documents into a corpus; each ends stored, unchanged, rejected or failed. `embedder` None: no vectors.

    `extractor` is the recipe's, on other workers than this machine's processes.

    `advance(stage, count)` is told of progress in the stages "read", "documents" (handed to the database, batch by
    batch, unchanged ones too) and "vectors". Raises BadRequest if nothing can be written to the corpus.
    """
    check_recipe(recipe)
    graph.check_written(corpus)
    if embedder is not None:
        check_model(graph, embedder)
    tally = LoadCounts(journal)
    resolves = recipe.link == "resolve"
    writer = Noting(graph, given=resolves) if resolves or recipe.link == "case" else SearchedGraph(graph)
    with stage("load", {"kgservice.corpus": corpus}) as span:
        with stage("load documents"):
            write_all(writer, found, corpus, recipe, tally, advance, llm, linker, extractor)
        if isinstance(writer, Noting) and writer.names:
            with stage("load names"):
                if resolves:
                    resolve(graph, corpus, embedder or Embedder(), writer.names)
                else:
                    merge_letter_case(graph, corpus, writer.names)
        if embedder is not None:
            with stage("load vectors"):
                embed_chunks(graph, corpus, embedder, lambda count: advance("vectors", count))
        graph.command("write/await_chunk_text")
        report = reported(graph, found, corpus, recipe, tally, llm, linker)
        span.set_attribute("kgservice.documents", report.documents.stored)
    return finished(report, journal)


def finished(report: LoadReport, journal: Journal) -> LoadReport:
    """Write the report as the journal's last line, and return it with the names that the lines before have."""
    journal.finish(report)
    return report.model_copy(update={"left_out": tuple(islice(journal.left_out(), NAMED))})


def reported(
    graph: Graph,
    found: Iterable[Document | Problem],
    corpus: str,
    recipe: Recipe,
    tally: LoadCounts,
    llm: LLM | None,
    linker: WikidataLinker | None,
) -> LoadReport:
    """Return what a load did; the corpus keeps the schema that it was loaded by, if that is one of one's own."""
    if own := recipe.own_schema():
        graph.update("write/schema", corpus=corpus, schema=own)
    schema = load_schema(recipe.schema_name or DEFAULT)
    violations = graph.violations(corpus, schema) if schema and tally.relations else {}
    report = tally.report(graph.totals(corpus), spent(llm, linker), linker.counts if linker else None, violations)
    return report.model_copy(update={"leftovers": found.leftovers()}) if isinstance(found, LoadedFiles) else report


def write_all(
    writer: Writer,
    found: Iterable[Document | Problem],
    corpus: str,
    recipe: Recipe,
    tally: LoadCounts,
    advance: Advance,
    llm: LLM | None = None,
    linker: WikidataLinker | None = None,
    extractor: Extractor | None = None,
) -> None:
    """Read, state, link and write documents batch by batch; memory holds two batches whatever the corpus's size.

    While the database writes one batch, the next is read.
    """
    recipe = _with(recipe, linker)
    reading = extractor or extractor_of(recipe, llm)
    with collecting_seldom(), reading as reads, ThreadPoolExecutor(max_workers=1) as pool:
        writing: Future[list[Ready]] = pool.submit(list)
        for batch in batches(admitted(found, recipe.since, tally)):
            ready, rows = _prepared(writer, batch, corpus, recipe, reads, tally, advance, linker)
            tally.stored(writing.result())
            writing = pool.submit(_written, writer, rows, ready)
            advance("documents", len(batch))
        tally.stored(writing.result())


def write_unread(writer: Writer, batch: list[Document], corpus: str, recipe: Recipe, tally: LoadCounts) -> None:
    """State and write a batch of admitted documents that no extractor reads, in this thread."""
    ready, rows = _prepared(writer, batch, corpus, recipe, RuleExtractor("none"), tally, lambda *_: None)
    tally.stored(_written(writer, rows, ready))


def _prepared(
    writer: Writer,
    batch: list[Document],
    corpus: str,
    recipe: Recipe,
    reads: Extractor,
    tally: LoadCounts,
    advance: Advance,
    linker: WikidataLinker | None = None,
) -> tuple[list[Ready], Rows]:
    """Return a batch's new and changed documents, read, stated and linked, with their rows."""
    ready = list(_ready(_new(writer, batch, corpus, recipe, tally), recipe, reads, tally, advance))
    ready = _linked(ready, linker) if linker else ready
    return ready, writer.prepare_rows(corpus, [one.stated for one in ready])


def estimate_reading(
    graph: Graph, found: Iterable[Document | Problem], corpus: str, recipe: Recipe, tally: LoadCounts, llm: LLM
) -> Estimate:
    """Estimate what a load would ask of the model for new and changed documents; nothing is asked or written."""
    check_recipe(recipe)
    extractor = extractor_of(recipe, llm)
    if not isinstance(extractor, PromptedExtractor):
        raise BadRequest("there is nothing to estimate: only --extract llm costs anything")
    read = batches(admitted(found, recipe.since, tally))
    cut = (one for batch in read for one in _new(graph, batch, corpus, recipe, tally))
    with extractor:
        return estimate(llm, extractor.asks(_passages(one, extractor) for one in cut), WINDOW_TOKENS)


def extractor_of(recipe: Recipe, llm: LLM | None) -> Extractor:
    """Return the extractor of a recipe: rules, a model in windows of so many chunks, or a plugged one (BadRequest)."""
    method, _, detail = recipe.extract.partition(":")
    if method in RULES or method == "none":
        return RuleExtractor(recipe.extract)
    if method != "llm":
        return PluggedExtractor(recipe.extract)
    if llm is None:
        raise BadRequest("extraction by a language model needs one: set KGS_LLM_BASE_URL and KGS_LLM_MODEL")
    return PromptedExtractor(llm, int(detail or WINDOW))


def _new(writer: Writer, batch: list[Document], corpus: str, recipe: Recipe, tally: LoadCounts) -> Iterator[_Cut]:
    """Yield the batch's new and changed documents with their chunks; count the others."""
    stored, name = writer.versions(corpus, [document.source for document in batch]), recipe.name()
    for document in batch:
        content_hash = content_hash_of(document, name)
        known = stored.get(document.source)
        if known and known.content_hash == content_hash:
            tally.states.update(("in", "unchanged"))
            continue
        outcome = _older(document, known) or _cut(document, content_hash, recipe)
        if isinstance(outcome, Problem):
            tally.problem(outcome)
        else:
            yield outcome


def content_hash_of(document: Document, recipe: str) -> str:
    """Return the hash of a document and the name of the recipe that it is read by."""
    triplets = (*(document.triplets or ()), *document.stated)
    numbers = any(isinstance(value, float) for value in document.metadata.values())
    # pydantic writes floats otherwise than Python
    if not numbers and all(one.subject.value is one.object.value is None for one in triplets):
        with suppress(ValueError):  # half a surrogate pair
            return keys.digest_of(20, f"[{document.model_dump_json()},{keys.encode(recipe)}]")
    return keys.digest(20, document.model_dump(mode="json"), recipe)


def _ready(
    found: Iterable[_Cut], recipe: Recipe, extractor: Extractor, tally: LoadCounts, advance: Advance
) -> Iterator[Ready]:
    """Yield documents ready to be written; texts without triplets of their own are read by the extractor."""
    cut, by = list(found), recipe.name()
    for one, read in zip(cut, extractor.read([_passages(one, extractor) for one in cut]), strict=True):
        if isinstance(read, Read):
            tally.read(read.windows, read.failed)
        notes = warned(one.document.source, one.health)
        if extractor.reads and one.document.triplets is None and not extractor.reads_language(one.health.language):
            notes.append(unread(one.document.source, one.health.language))
        elif one.document.triplets and one.health.language != "en":
            notes.append(unworded(one.document.source, one.health.language))
        outcome = _failed(one.document, read) if isinstance(read, Exception) else _stated(one, read, recipe, by, notes)
        if isinstance(outcome, Problem):
            tally.problem(outcome)
        else:
            yield outcome
        advance("read", 1)


def _with(recipe: Recipe, linker: WikidataLinker | None) -> Recipe:
    """Return the recipe with its linker's name (BadRequest where a linking mode has no linker)."""
    if recipe.link.startswith("wikidata") and linker is None:
        raise BadRequest(f"--link {recipe.link} needs an index of Wikidata: see `kgservice wikidata index`")
    return recipe.model_copy(update={"linker": linker.name}) if linker else recipe


def spent(llm: LLM | None, linker: WikidataLinker | None) -> Spending | None:
    """Return what the model of a load cost, whichever stage asked it."""
    asked = llm or (linker.llm if linker else None)
    return asked.spending() if asked else None


def _linked(ready: list[Ready], linker: WikidataLinker) -> list[Ready]:
    linked = linker.link([one.stated for one in ready])
    return [one._replace(stated=stated) for one, stated in zip(ready, linked, strict=True)]


def _written(writer: Writer, rows: Rows, ready: list[Ready]) -> list[Ready]:
    if ready:
        writer.write(rows)
    return ready


def _older(document: Document, known: Version | None) -> Problem | None:
    if not known or not known.content_hash:  # none: its removal was interrupted
        return None
    if not known.published or not document.published or document.published >= known.published:
        return None
    detail = f"published {document.published}; the version of {known.published} is stored and stays"
    return Problem(source=document.source, state="rejected", reason="older version", detail=detail)


def _cut(document: Document, content_hash: str, recipe: Recipe) -> _Cut | Problem:
    try:
        return _Cut(document, content_hash, chunks(document, recipe.chunking), health(document.text))
    except Exception as error:  # noqa: BLE001 - one document's failure must not end the load; it is counted and named
        return _failed(document, error)


def _passages(cut: _Cut, extractor: Extractor) -> Passages:
    """Return the texts to be read: of a document without triplets of its own, whatever is not a table's chunk."""
    wanted = extractor.reads_language(cut.health.language) and cut.document.triplets is None
    texts = tuple(chunk.text for chunk in cut.chunks if chunk.kind == "text") if wanted else ()
    document = cut.document
    published = {"published": document.published.isoformat()} if document.published else {}
    about = {"kind": document.doc_type} | published | document.metadata
    return Passages(document.title, texts, document.source, document.domain, tuple(about.items()))


def _stated(cut: _Cut, read: Read, recipe: Recipe, by: str, notes: list[Problem]) -> Ready | Problem:
    """Put given, extracted and tables' triplets on their chunks and link them; `by` is the recipe's name."""
    document = cut.document
    if read.windows and len(read.failed) == read.windows:
        return read.failed[0].model_copy(update={"source": document.source})
    try:
        given = place(document, cut.chunks) if document.triplets is not None else None
        beside, lost = place_stated(document, cut.chunks)
        texts = iter(None if at in read.unread else triplets for at, triplets in enumerate(read.triplets))
        problems, stated, relations = [*document.malformed, *read.problems, *lost], [], Counter[str]()
        itself = 0
        count = len(document.triplets or ()) + sum(len(triplets) for triplets in [*beside, *read.triplets])
        known = _identity(cut, read) if given is None else None
        for index, chunk in enumerate(cut.chunks):
            from_table, left = table_triplets(chunk, document) if chunk.contains_table else ([], [])
            problems += left
            from_table += entry_triplets(chunk, document) + labelled_triplets(chunk, document)
            from_table += contact_triplets(chunk, document) + amount_triplets(chunk, document)
            meanings = meaning_triplets(chunk, document)  # of the names themselves, not of what they stand for
            count += len(from_table) + len(meanings)
            from_text = next(texts, None) if given is None and chunk.kind == "text" else None
            own = given[index] if given is not None else from_text or ()
            meant, seen = (own, ()) if given is not None else ((), own)
            statements = _related(meant, recipe.book(given=True), relations)
            named_so = (settled(one, known) for one in (*beside[index], *seen, *from_table))
            from_here = dict.fromkeys((*named_so, *meanings))
            both = [one for one in from_here if one.subject.label != one.object.label or known is None]
            itself += len(from_here) - len(both)
            statements += _related(both, recipe.book(given=False), relations) if both else ()
            extracted = given is not None or from_text is not None or chunk.kind == "table"
            named = mentions(document.title, chunk.text, known) if chunk.kind == "text" else ()
            stated.append(StatedChunk(chunk=chunk, extracted=extracted, statements=statements, mentions=named))
        problems += [Problem(source=document.source, state="rejected", reason="two names of one thing")] * itself
        repeated = count - itself - sum(len(item.statements) for item in stated)
        problems += [Problem(source=document.source, state="rejected", reason="stated twice")] * repeated
        # what was read in part is not what it will be: the next load finds it changed, and asks for the rest
        content_hash = keys.digest(20, cut.content_hash, "in part") if read.failed else cut.content_hash
        made = {"content_hash": content_hash, "recipe": by, "chunks": tuple(stated)}
        return Ready(StatedDocument(document=document, **made), problems, notes, cut.health.words, relations)
    except Exception as error:  # noqa: BLE001 - as above
        return _failed(document, error)


def _related(triplets: Iterable[Triplet], book: Phrasebook | None, counts: Counter[str]) -> tuple[LinkedTriplet, ...]:
    """Return the statements of triplets with the relations of the schema, where one is followed, counted by how they
    ended."""
    statements = link(triplets)
    if book is None:
        return statements
    found, ended = book.put(statements)
    counts.update(ended)
    # the rules and the relation reader may see one fact in one sentence: it is stated once, in the source's words
    return tuple({_place(one): one for one in reversed(found)}.values())[::-1]


def _place(one: LinkedTriplet) -> tuple[object, ...]:
    ends = one.subject.id, one.object.id
    return frozenset(ends) if one.mirrored else ends, one.relation, one.period, one.sentence, one.cell


def _identity(cut: _Cut, read: Read) -> dict[str, str]:
    """Return what names mean in a document that was read."""
    ends = (end for triplets in read.triplets for one in triplets for end in (one.subject, one.object))
    texts = [chunk.text for chunk in cut.chunks if chunk.kind == "text"]
    named = (end.label for end in ends if end.kind == "entity")
    return identify(cut.document.title, texts, named, read.kinds)


def settled(triplet: Triplet, known: Mapping[str, str] | None) -> Triplet:
    """Return a triplet between what its names mean."""
    ends = {
        side: end.but(label=known[end.label])
        for side, end in (("subject", triplet.subject), ("object", triplet.object))
        if known and end.kind == "entity" and end.label in known
    }
    return triplet.but(**ends) if ends else triplet


def _failed(document: Document, error: Exception) -> Problem:
    detail = f"{type(error).__name__}: {error}"
    return Problem(source=document.source, state="failed", reason="could not be read", detail=detail)

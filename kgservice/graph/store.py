"""The graph in Neo4j. Only this module writes it. Cypher is in cypher/, and kgservice.graph.rows makes rows."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Any, Self, TypeVar

import neo4j
from neo4j.exceptions import AuthError, ClientError, DriverError, Neo4jError, ServiceUnavailable

from kgservice.core import keys
from kgservice.core.errors import BadRequest, GraphUnavailable, NotFound, SettingsError, TooMuch, interrupted
from kgservice.core.records import Decision, ReadServerState, StatedDocument, Totals, Version
from kgservice.core.schema import Schema
from kgservice.graph.labels import corpus_label
from kgservice.graph.queries import EXAMPLE, queries, query, query_for
from kgservice.graph.rows import Row, Rows, rows_of
from kgservice.graph.transaction import (
    SLICE,
    Applied,
    decide,
    decided_in,
    remove,
    states_of,
    store_totals,
    view_refused,
    write,
)
from kgservice.names.corpus_names import check_new_name, none_called

T = TypeVar("T")
log = logging.getLogger("kgservice")
RETRY = 2.0  # seconds that the driver retries by itself, silently; then Graph.session waits and logs it
PAUSE = 0.5  # seconds between two attempts to reach a lost database
INDEX_SECONDS = 86_400  # of waiting for a new index
ALREADY_MADE = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"  # IF NOT EXISTS, by two writers at once
COUNTED = 300.0  # seconds that a corpus's size is not counted again
PATIENCE = 10.0  # seconds for a connection: a starting server accepts it and does not answer for a while
_HOST = r"(?:\+ssc?)?://(?:\[[^\]\s]+\]|[^\s:/?@]*)(?::\d{1,5})?/?"
ADDRESS = re.compile(rf"bolt{_HOST}|neo4j{_HOST}(?:\?\S*)?")  # a cluster's may have a routing context


class Graph:
    """One Neo4j database. Each method opens a session, so threads can share a Graph."""

    def __init__(
        self, driver: neo4j.Driver, database: str, wait: float, *, routed: bool = False, series: int = 5
    ) -> None:
        self.series = series  # of Neo4j: 5, or the year
        self._queries = queries(series)
        self._driver = driver
        self._database = database
        self._wait = wait
        self._there, self._losing = threading.Event(), threading.Lock()
        self._there.set()
        self._sizes: dict[str, tuple[float, int]] = {}  # by corpus: when it was counted, chunks
        self._decisions: dict[str, int] = {}  # version by corpus, as last seen; a write that finds another reads again
        # what was written here is read here, also from a follower; on one server it would outlive a restored backup
        self._bookmarks = neo4j.GraphDatabase.bookmark_manager() if routed else None

    @classmethod
    def open(cls, uri: str, user: str, password: str, database: str = "neo4j", *, wait: float = 300.0) -> Self:
        """Connect (`bolt://`, `neo4j://`, `neo4j+s://` …) and make the schema.

        `wait`: seconds that work waits for a lost database. If it is shorter than the driver's patience, no attempt
        takes longer and the driver does not retry, so a caller gets the error within twice the wait. Raises
        SettingsError if the address has another form, GraphUnavailable if nothing answers or the password is wrong.
        """
        check_address(uri, "KGS_NEO4J_URI")
        patience = min(PATIENCE, wait)
        driver = driver_of(uri, user, password, patience, retry=RETRY if wait > PATIENCE else 0.0)
        try:
            series = series_of(driver.get_server_info().agent)
            graph = cls(driver, database, wait, routed=uri.startswith("neo4j"), series=series)
            graph.prepare()
        except AuthError as error:
            driver.close()
            raise GraphUnavailable(f"{uri} refuses user {user!r}: set KGS_NEO4J_USER and KGS_NEO4J_PASSWORD") from error
        except ClientError as error:
            driver.close()
            needed = f"set KGS_NEO4J_DATABASE to one that is there and that user {user!r} may write"
            raise GraphUnavailable(f"{uri}, database {database!r}: {error.message}: {needed}") from error
        except (ServiceUnavailable, DriverError) as error:
            driver.close()
            raise GraphUnavailable(f"no Neo4j answers at {uri}: {error}") from error
        return graph

    def close(self) -> None:
        """Close all connections."""
        self._driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def prepare(self) -> None:
        """Create missing constraints and indexes, and what earlier versions did not store of a corpus.

        The vector index is created with the first vectors. One statement tells which are there: to send all of them
        took each command 20 round trips.
        """
        made = {f"schema/{row['name']}" for row in self.read("read/index_names")}
        made = {name for name in made if "IF NOT EXISTS" in self._queries.get(name, "")}  # and none that is dropped
        for name in sorted(self._queries):
            if name.startswith("schema/") and name not in made and name != "schema/chunk_embedding":
                with made_meanwhile():
                    self.command(name)
        if "schema/entity_key" not in made:  # a new database
            self.command("write/names")
        for row in self.read("read/uncounted_corpora"):
            code = keys.corpus_code(row["name"])
            self.command("write/bracketed", code=code, until=code + "~")
            if not row["typed"]:
                self.command("write/mention_types", code=code, until=code + "~")
            self.store_totals(row["name"])
        if self.has_own_indexes:
            self._renew_search_indexes()

    @property
    def has_own_indexes(self) -> bool:
        """Return whether each corpus has a vector index, which knows time, and a full-text index of its own (2026)."""
        return self.series >= 2026

    def _renew_search_indexes(self) -> None:
        """Give a database that Neo4j 5 made the search indexes of 2026; minutes for a large one."""
        for row in self.read("read/sharing_text_index"):
            log.info("corpus %s gets a full-text index of its own", row["name"])
            code, label = keys.corpus_code(row["name"]), corpus_label(row["name"])
            self.command("write/label_chunks", code=code, until=code + "~", label=label)
            self.update("write/text_index", corpus=row["name"], name=self._make_text_index(row["name"]))
        for row in self.read("read/shared_vector_indexes"):
            for corpus in self.corpora():
                log.info("corpus %s gets a vector index of its own", corpus)
                self._make_vector_index(corpus, row["dimension"])
            self.command("write/drop_index", name=row["name"])

    def text_index(self, corpus: str) -> str | None:
        """Return the full-text index of a corpus, made if need be; None where all corpora share one."""
        if not self.has_own_indexes:
            return None
        rows = self.read("read/text_index", corpus=corpus)
        return (rows[0]["name"] if rows else None) or self._make_text_index(corpus)

    def _make_text_index(self, corpus: str) -> str:
        name = text_index_name(corpus)
        self._make_index("write/corpus_text_index", corpus, name=name)
        return name

    def _make_vector_index(self, corpus: str, dimension: int) -> None:
        name = vector_index_name(corpus)
        self._make_index("write/corpus_vector_index", corpus, name=name, dimension=dimension)
        self.update("write/vector_index", corpus=corpus, name=name)

    def _make_index(self, statement: str, corpus: str, *, name: str, **parameters: Any) -> None:
        # a label cannot be a parameter
        text = self._queries[statement].replace(EXAMPLE, keys.corpus_code(corpus))
        with made_meanwhile():
            self.session(lambda session: session.run(text, {"name": name} | parameters).consume())
        self.command("write/await_index", name=name, seconds=INDEX_SECONDS)

    def read(self, name: str, /, **parameters: Any) -> list[neo4j.Record]:
        """Return the rows of a reading statement (routed to followers in a cluster).

        It is sent by itself, as the end of a managed transaction is one more round trip. If the database asks for
        another attempt, a managed transaction repeats it for some seconds.
        """
        text = query_for(name, parameters, self.series)

        def attempt() -> list[neo4j.Record]:
            with self._session(neo4j.READ_ACCESS) as session:
                try:
                    return list(session.run(text, parameters))
                except (DriverError, Neo4jError) as error:
                    if not error.is_retryable() or _too_much(error) or self._wait <= PATIENCE:
                        raise
                return session.execute_read(lambda tx: list(tx.run(text, parameters)))

        return self._patiently(attempt)

    def spread(self, code: str, work: Callable[[Graph], T]) -> T:
        """Return what `work` reads of the corpus of a code (ReplicatedGraph: from a read server, if it can)."""
        return work(self)

    def last_write(self, code: str) -> neo4j.time.DateTime | None:
        """Return when a corpus's texts, facts or vectors were last written, None if there is no such corpus."""
        rows = self.read("read/last_write", code=code)
        return rows[0]["last_write"] if rows else None

    def read_servers(self) -> list[ReadServerState]:
        """Return what each read server holds (ReplicatedGraph: there may be some)."""
        return []

    def plan(self, name: str, /, **parameters: Any) -> dict[str, Any]:
        """Return the plan of a statement as sent with these parameters (EXPLAIN), without running it."""
        text = query_for(name, parameters, self.series)
        return self.session(lambda session: session.run(f"EXPLAIN {text}").consume().plan or {})

    def command(self, name: str, /, **parameters: Any) -> None:
        """Run a statement in a transaction of its own (schema, CALL … IN TRANSACTIONS), without a time limit."""
        self.session(lambda session: session.run(neo4j.Query(self._queries[name], timeout=0), parameters).consume())

    def change(self, work: Callable[[neo4j.ManagedTransaction], T]) -> T:
        """Return the result of `work` in one writing transaction, repeated if the database asks for it or is lost."""
        return self.session(lambda session: session.execute_write(work))

    def update(self, name: str, /, **parameters: Any) -> None:
        """Run one writing statement in a managed transaction."""
        self.change(lambda tx: tx.run(self._queries[name], parameters).consume())

    def corpora(self) -> list[str]:
        """Return the names of the corpora, views left out."""
        return [row["name"] for row in self.read("read/corpora") if row["view_of"] is None]

    def views(self) -> dict[str, str]:
        """Return the corpus that each view shows, by name of the view."""
        return {row["name"]: row["view_of"] for row in self.read("read/corpora") if row["view_of"] is not None}

    def corpus_of(self, key: str) -> str | None:
        """Return the corpus, or the view, whose code a key begins with, None if there is none."""
        rows = self.read("read/corpora")
        return next((str(row["name"]) for row in rows if key[: keys.CODE] == row["code"]), None)

    def check_corpus(self, corpus: str) -> None:
        """Raise NotFound if the corpus holds nothing; the message names the corpora and the one likely meant."""
        rows = self.read("read/corpora")
        if corpus not in {row["name"] for row in rows}:
            names = [row["name"] for row in rows if row["view_of"] is None]
            raise NotFound(none_called(corpus, names))

    def check_written(self, corpus: str) -> None:
        """Raise BadRequest if nothing can be written to a corpus: it is a view, or a new one cannot have its name."""
        there = {row["name"]: row["view_of"] for row in self.read("read/corpora")}
        if corpus not in there:
            check_new_name(corpus)
        elif (of := there[corpus]) is not None:
            raise view_refused(corpus, of)

    def totals(self, corpus: str) -> Totals:
        """Return the counts of a corpus."""
        code = keys.corpus_code(corpus)
        rows = self.read("read/totals", code=code) or self.read("read/counted_totals", code=code, until=code + "~")
        return Totals(**rows[0].data())

    def store_totals(self, corpus: str) -> None:
        """Count a corpus that no transaction of this version has written, and store the counts."""

        @neo4j.unit_of_work(timeout=0)  # unlimited, as it reads all keys
        def work(tx: neo4j.ManagedTransaction) -> None:
            store_totals(tx, corpus)

        self.change(work)

    def size(self, corpus: str) -> int:
        """Return about how many chunks a corpus has: the power of two below, counted at most once in five minutes."""
        counted, size = self._sizes.get(corpus, (-COUNTED, 0))
        if time.monotonic() - counted >= COUNTED:
            code = keys.corpus_code(corpus)
            (row,) = self.read("read/chunk_count", code=code, until=code + "~")
            size = 2 ** (row["chunks"].bit_length() - 1) if row["chunks"] else 0
            self._sizes[corpus] = time.monotonic(), size
        return size

    def violations(self, corpus: str, schema: Schema) -> dict[str, int]:
        """Return the number of groups with several ends where a schema allows only one, by reason."""
        code, relations = keys.corpus_code(corpus), schema.relations.values()
        sides = {
            "objects": [relation.id for relation in relations if relation.objects == "one"],
            "subjects": [relation.id for relation in relations if relation.subjects == "one"],
        }
        (row,) = self.read("read/violations", code=code, until=code + "~", **sides)
        return {f"several {side} where there is one": row[side] for side in sides if row[side]}

    def versions(self, corpus: str, sources: Sequence[str]) -> dict[str, Version]:
        """Return the stored versions of these documents, by source."""
        by_key = {keys.document_key(corpus, source): source for source in sources}
        rows = self.read("write/document_states", keys=list(by_key))
        return {
            by_key[row["key"]]: Version(
                content_hash=row["content_hash"], published=row["published"] and row["published"].to_native()
            )
            for row in rows
        }

    def prepare_rows(self, corpus: str, batch: Sequence[StatedDocument]) -> Rows:
        """Return the rows of new and changed documents, to be made while another batch is written."""
        names = [keys.document_key(corpus, stated.document.source) for stated in batch]
        states = states_of(self.read("write/document_states", keys=names))
        version = self._decisions.get(corpus, 0)
        return rows_of(corpus, batch, states, decided_in(self.read_each, corpus, version, batch))

    def read_each(self, name: str, parameter: str, values: Sequence[Any]) -> list[neo4j.Record]:
        """Return the rows of a reading statement for each of many values, which are sent in slices."""
        parts = (values[start : start + SLICE] for start in range(0, len(values), SLICE))
        return [row for part in parts for row in self.read(name, **{parameter: part})]

    def write(self, rows: Rows, text_index: str | None = None, *, view: bool = False) -> None:
        """Store the documents of prepared rows, all or none.

        Vanished chunks are withdrawn with the facts that only they stated. Other chunks are not touched. What a
        replaced version said is kept as its past. `text_index`: the corpus's own full-text index, None if it has none
        (`Graph.text_index` makes it). Raises BadRequest if the corpus is a view and `view` is False.
        """
        self._decisions[rows.corpus] = self.change(lambda tx: write(tx, rows, text_index, view=view))

    def decide(self, corpus: str, decisions: Sequence[Decision], *, view: bool = False) -> Applied:
        """Store decisions, each about another name, and restate the chunks; return what was made of them.

        What a resolution decided is dropped where a person decided otherwise since. Raises BadRequest if a person's
        decision would merge names in a ring, or if the corpus is a view and `view` is False.
        """

        @neo4j.unit_of_work(timeout=0)  # unlimited, as a frequent relation is in most chunks
        def work(tx: neo4j.ManagedTransaction) -> Applied:
            return decide(tx, corpus, decisions, view=view)

        return self.change(work)

    def remove(
        self,
        corpus: str,
        documents: Sequence[str],
        on: date | None = None,
        *,
        forget: bool = False,
        view: bool = False,
    ) -> int:
        """Remove documents by key, with their chunks and the facts that only they stated; return how many were there.

        What they said is kept as said until `on`, None for today. `forget` keeps nothing, of former versions and in
        questions neither, and removes the views of the corpus. Raises BadRequest if the corpus is a view and `view` is
        False, and for a day of what is forgotten.
        """
        if on and forget:
            raise BadRequest("what is forgotten was said until no day: give a day, or forget")
        removed = self.change(lambda tx: remove(tx, corpus, documents, on, forget=forget, view=view))
        if forget:
            self._remove_views(corpus)
        return removed

    def store_vectors(self, rows: Sequence[Row]) -> None:
        """Store vectors, rows {key: chunk key, vector: list of floats}."""
        self._store("write/embeddings", list(rows))

    def store_summaries(self, rows: Sequence[Row]) -> None:
        """Store summaries, rows {key: document key, content_hash: of the summarised content, summary, vector}."""
        self._store("write/summaries", list(rows))

    def _store(self, name: str, rows: list[Row]) -> None:
        codes = sorted({row["key"][: keys.CODE] for row in rows})

        def work(tx: neo4j.ManagedTransaction) -> None:
            tx.run(self._queries["write/touch_corpora"], codes=codes).consume()
            tx.run(self._queries[name], rows=rows).consume()

        self.change(work)

    def make_vector_index(self, corpus: str, dimension: int) -> None:
        """Create the vector index of a corpus if it is missing, on Neo4j 5 the one that all corpora share."""
        if not self.has_own_indexes:
            self.command("schema/chunk_embedding", dimension=dimension)
        elif self.read("read/vector_index", corpus=corpus)[0]["name"] is None:
            self._make_vector_index(corpus, dimension)

    def store_model(self, name: str, dimension: int) -> None:
        """Store the name of the model that makes the vectors."""
        self.update("write/embedding_model", name=name, dimension=dimension)

    def drop_vectors(self) -> None:
        """Remove every vector and the vector indexes."""
        self.command("write/drop_index", name="chunk_embedding")
        for corpus in self.corpora() if self.has_own_indexes else ():
            self.update("write/vector_index", corpus=corpus, name=None)
            self.command("write/drop_index", name=vector_index_name(corpus))
        self.command("write/drop_embeddings")

    def remove_corpus(self, corpus: str) -> None:
        """Remove a corpus with its questions, its past, its views and its name.

        If this is interrupted, the next load reads every document of the corpus again.
        """
        self._remove_views(corpus)
        code = keys.corpus_code(corpus)
        self.command("write/forget_hashes", code=code, until=code + "~")
        self.command("write/remove_corpus", code=code, until=code + "~")
        self.update("write/forget_corpus", corpus=corpus)
        for name in (text_index_name(corpus), vector_index_name(corpus)):
            self.command("write/drop_index", name=name)

    def _remove_views(self, corpus: str) -> None:
        for name, of in self.views().items():
            if of == corpus:
                self.remove_corpus(name)

    def session(self, work: Callable[[neo4j.Session], T], *, reading: bool = False) -> T:
        """Return the result of `work` in a session, repeated after a lost database is back.

        Raises GraphUnavailable if it does not come back within the wait, TooMuch if a statement exceeds a limit.
        """
        access = neo4j.READ_ACCESS if reading else neo4j.WRITE_ACCESS

        def attempt() -> T:
            with self._session(access) as session:
                return work(session)

        return self._patiently(attempt)

    def _session(self, access: str) -> neo4j.Session:
        return self._driver.session(
            database=self._database, default_access_mode=access, bookmark_manager=self._bookmarks
        )

    def _patiently(self, attempt: Callable[[], T]) -> T:
        deadline, cause = time.monotonic() + self._wait, "it went away before"
        while self._there.wait(max(0.0, deadline - time.monotonic())):
            try:
                return attempt()
            except Exception as error:
                if interrupted(error):  # the driver closes its connection, of which it was reading
                    raise KeyboardInterrupt from error
                if not isinstance(error, DriverError | Neo4jError):
                    raise
                if not error.is_retryable() or _too_much(error):
                    raise explained(error) from error
                cause = str(error)
                self._lost()
            if time.monotonic() > deadline:
                break
        raise GraphUnavailable(f"Neo4j did not come back in {self._wait:.0f} s: {cause}")

    def _lost(self) -> None:
        """Hold all work until the database answers. Only one thread polls it.

        A starting server accepts a statement and does not answer until it is up, so each caller would hang.
        """
        with self._losing:
            if self._there.is_set():
                self._there.clear()
                log.warning("Neo4j does not answer; waiting up to %.0f s for it", self._wait)
                threading.Thread(target=self._await_answer, name="kgservice-neo4j-answers", daemon=True).start()

    def _await_answer(self) -> None:
        while not self._there.wait(PAUSE):
            try:
                with self._driver.session(database=self._database, default_access_mode=neo4j.READ_ACCESS) as session:
                    session.run(query("read/corpora")).consume()
            except (DriverError, Neo4jError) as error:
                if error.is_retryable():
                    continue
            self._there.set()  # also where waiting does not help: who asks next is told why


@contextmanager
def made_meanwhile() -> Iterator[None]:
    """Take an index or constraint that another writer makes at the same time for made."""
    try:
        yield
    except ClientError as error:
        if error.code != ALREADY_MADE:
            raise


def text_index_name(corpus: str) -> str:
    """Return the name of a corpus's own full-text index."""
    return f"chunk_text_{keys.corpus_code(corpus)}"


def vector_index_name(corpus: str) -> str:
    """Return the name of a corpus's own vector index."""
    return f"chunk_vector_{keys.corpus_code(corpus)}"


def check_address(uri: str, setting: str) -> None:
    """Raise SettingsError if a setting's address is none of a Neo4j."""
    if not ADDRESS.fullmatch(uri):
        raise SettingsError(
            f"{setting}: {uri!r} is no address of a Neo4j: give bolt://HOST:7687, neo4j://HOST:7687 for a "
            "cluster, or either with +s for TLS (bolt+s://…); user and password have settings of their own"
        )


def driver_of(uri: str, user: str, password: str, patience: float, *, retry: float) -> neo4j.Driver:
    """Return a driver, not yet connected. `patience`: seconds for a connection; `retry`: seconds it tries again."""
    return neo4j.GraphDatabase.driver(
        uri,
        auth=(user, password),
        notifications_min_severity="OFF",
        user_agent="kgservice",
        max_transaction_retry_time=retry,
        connection_timeout=patience,
        connection_acquisition_timeout=patience,
    )


def _too_much(error: Exception) -> bool:
    return isinstance(error, Neo4jError) and any(word in (error.code or "") for word in ("OutOfMemory", "TimedOut"))


def series_of(agent: str) -> int:
    """Return the series of the Neo4j that calls itself so: 2026 of "Neo4j/2026.09.0", 5 where it cannot be told."""
    found = re.match(r"Neo4j/(\d+)", agent)
    return int(found[1]) if found else 5


def explained(error: DriverError | Neo4jError) -> Exception:
    """Return TooMuch for a statement beyond a limit of the database, and any other error itself."""
    if _too_much(error):
        return TooMuch(f"the query wants more than the database allows: narrow it or ask for less ({error})")
    return error

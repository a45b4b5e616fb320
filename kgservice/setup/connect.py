"""From settings to an open graph (the given database, or the managed one, started if need be), a model, a linker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kgservice.core.errors import SettingsError
from kgservice.core.journal import Journal
from kgservice.core.settings import Role, Settings
from kgservice.graph.read_servers import ReplicatedGraph

if TYPE_CHECKING:  # the functions import what they use: most commands need neither a model nor a linker
    from kgservice.linking.linker import WikidataLinker
    from kgservice.llm.budget import Budget
    from kgservice.llm.client import LLM
    from kgservice.managed_neo4j.folder import Server


def connect(settings: Settings, say: Callable[[str], None] | None = None) -> ReplicatedGraph:
    """Open the database at KGS_NEO4J_URI, or the managed Neo4j in KGS_HOME (ServerError, GraphUnavailable).

    The servers of KGS_NEO4J_READ_URIS stand beside it.
    """
    uri, user, database = settings.neo4j_uri, settings.neo4j_user, settings.neo4j_database
    if uri:
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
    else:
        running = _started(settings, say)
        uri, user, password, database = running.uri, "neo4j", running.password, "neo4j"
    graph = ReplicatedGraph.open(uri, user, password, database, wait=settings.neo4j_wait)
    graph.read_from(settings.neo4j_read_uris, user, password)
    return graph


def revived(settings: Settings) -> bool:
    """Start the managed Neo4j again where it died, and say whether that was so (ServerError)."""
    from kgservice.managed_neo4j import server

    if settings.neo4j_uri or not server.died(settings.home):
        return False
    _started(settings, None)
    return True


def _started(settings: Settings, say: Callable[[str], None] | None) -> Server:
    from kgservice.managed_neo4j import server

    return server.start(
        settings.home,
        settings.cache,
        version=settings.neo4j_version,
        bolt_port=settings.neo4j_bolt_port,
        http_port=settings.neo4j_http_port,
        heap=settings.neo4j_heap,
        pagecache=settings.neo4j_pagecache,
        say=say,
    )


def language_model(
    settings: Settings,
    journal: Journal,
    budget: Budget | None = None,
    *,
    retry_failed: bool = False,
    attempts: int = 6,
    patience: float = 600.0,
    role: Role | None = None,
) -> LLM:
    """Return the model at KGS_LLM_BASE_URL; answers are kept in KGS_HOME, calls are listed beside the run's journal.

    `role`: KGS_LLM_JUDGE_MODEL, _BASE_URL, _API_KEY and the like name a model of its own for it. `attempts` and
    `patience` are those of LLM.

    Nothing is sent before the first question (SettingsError where the endpoint or the model is not named). Without a
    budget that of KGS_LLM_BUDGET holds.
    """
    from kgservice.llm.budget import Budget
    from kgservice.llm.client import LLM

    model = settings.model_of(role)
    if model is None:
        raise SettingsError(
            "a language model is needed: set KGS_LLM_BASE_URL (for instance http://localhost:11434/v1) and "
            "KGS_LLM_MODEL, and KGS_LLM_API_KEY where the endpoint wants one"
        )
    return LLM(
        model.base_url,
        model.api_key,
        model.model,
        answers=settings.home / "llm" / "answers.sqlite",
        ledger=journal.path.with_suffix(".calls.jsonl"),
        concurrency=settings.llm_concurrency,
        budget=budget or Budget.read(settings.llm_budget),
        price=settings.llm_prices.get(model.model),
        timeout=settings.llm_timeout,
        max_tokens=settings.llm_max_tokens,
        temperature=settings.llm_temperature,
        attempts=attempts,
        patience=patience,
        retry_failed=retry_failed,
    )


def model_beside(llm: LLM, settings: Settings, role: Role) -> LLM | None:
    """Return the model of a role beside another model, of one budget and ledger. Return None if the role has none."""
    model = settings.model_of(role)
    return llm.beside(model, settings.llm_prices.get(model.model)) if model else None


def check_linker(settings: Settings, mode: str) -> None:
    """Raise NotFound if `--link wikidata` is asked for and there is no finished index."""
    if mode.startswith("wikidata"):
        from kgservice.linking.wikidata_index import Wikidata

        with Wikidata(settings.wikidata_index):
            pass


@contextmanager
def linker(settings: Settings, mode: str, llm: LLM | None = None) -> Iterator[WikidataLinker | None]:
    """Open what `--link wikidata` needs, None for other modes (NotFound where there is no index).

    A model decides where one is given. The weights were fitted with the packaged embedding model, so that one compares
    names whatever embeds the chunks.
    """
    from kgservice.names.local_entities import check_mode

    check_mode(mode)
    if not mode.startswith("wikidata"):
        yield None
        return
    from kgservice.linking.linker import WikidataLinker
    from kgservice.linking.wikidata_index import Wikidata
    from kgservice.vectors.embedder import Embedder
    from kgservice.vectors.encoder import PACKAGED

    with Wikidata(settings.wikidata_index) as index, WikidataLinker(index, Embedder(PACKAGED), llm) as made:
        yield made

"""Checks of what kgservice stands on, each with what to do: data folder, Java, database, embeddings, language model."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias, get_args

from kgservice.core.errors import KgserviceError, LLMFailure
from kgservice.core.journal import Journal
from kgservice.core.records import ReadServerState, Record
from kgservice.core.settings import ModelAddress, Role, Settings
from kgservice.core.storage import SPACE, owner_only
from kgservice.graph.read_servers import ReplicatedGraph
from kgservice.llm.client import LLM
from kgservice.llm.endpoint import CallRefused, Unavailable
from kgservice.setup.connect import language_model
from kgservice.vectors.embedder import Embedder

NAMES = {"schema": "JSON schema", "tool": "tool calls", "plain": "plain JSON"}

State: TypeAlias = Literal["ok", "no", "off", "failed"]


class Check(Record):
    """One thing looked at. `no`: it cannot do this, and need not; `off`: not set up; `failed`: mend it."""

    name: str
    state: State
    detail: str


def checks(settings: Settings) -> Iterator[Check]:
    """Yield each check as it is made; a language model is asked some small questions, which cost next to nothing."""
    plain: tuple[tuple[str, Callable[[Settings], tuple[State, str]]], ...] = (
        ("data folder", _folder),
        ("Java", _java),
        ("database", _database),
        ("embedding model", _embedding),
    )
    for name, look in plain:
        try:
            state, detail = look(settings)
        except (KgserviceError, OSError) as error:
            state, detail = "failed", str(error)
        yield Check(name=name, state=state, detail=detail)
    yield from _language_models(settings)


def _folder(settings: Settings) -> tuple[State, str]:
    home = settings.home.expanduser().resolve()
    owner_only(home)
    with tempfile.TemporaryFile(dir=home):
        free = shutil.disk_usage(home).free
    if free < SPACE:
        return "failed", f"{home}: {free / 1e6:,.0f} MB are free, and {SPACE / 1e6:,.0f} are needed: set KGS_HOME"
    return "ok", f"{home}, {free / 1e9:,.1f} GB free"


def _java(settings: Settings) -> tuple[State, str]:
    if settings.neo4j_uri:
        return "off", "not needed: KGS_NEO4J_URI names a database"
    from kgservice.managed_neo4j.jars import java

    said = subprocess.run([java(), "-version"], capture_output=True, text=True, timeout=60, check=False)
    first = (said.stderr or said.stdout).strip().partition("\n")[0]
    return ("failed", f"{java()} does not run: {first}") if said.returncode else ("ok", first)


def _database(settings: Settings) -> tuple[State, str]:
    if settings.neo4j_uri:
        uri, user, database, version = settings.neo4j_uri, settings.neo4j_user, settings.neo4j_database, ""
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
    else:
        from kgservice.managed_neo4j import server
        from kgservice.managed_neo4j.jars import RELEASES

        running = server.running(settings.home)
        if running is None:
            number = RELEASES[server.version_of(settings.home, settings.neo4j_version)].number
            return "ok", f"the managed Neo4j {number} is not running; any command that needs it starts it"
        uri, user, database, version = running.uri, server.USER, "neo4j", running.version
        password = running.password
    with ReplicatedGraph.open(uri, user, password, database, wait=5) as graph:
        graph.read_from(settings.neo4j_read_uris, user, password)
        count, servers = len(graph.corpora()), graph.read_servers()
        version = version or str(graph.series)
    said = "".join(f"; read server {one.address}: {_held(one)}" for one in servers)
    away = any(one.state == "away" for one in servers)
    return "failed" if away else "ok", f"{uri} answers, Neo4j {version}; it holds {count} corpora{said}"


def _held(server: ReadServerState) -> str:
    return f"behind in {', '.join(server.behind)}" if server.behind else server.state


def _embedding(settings: Settings) -> tuple[State, str]:
    started = time.monotonic()
    embedder = Embedder(settings.embedding_model)
    embedder.embed(["Novosel is the capital of Varnia."])
    return "ok", f"{embedder.name}, {embedder.dimension} components; ready in {time.monotonic() - started:.1f} s"


def _language_models(settings: Settings) -> Iterator[Check]:
    """Yield what each endpoint can do; the best way of asking is remembered for all later questions."""
    looked_at: list[ModelAddress] = []
    roles: tuple[Role | None, ...] = (None, *get_args(Role))
    for role in roles:
        address = settings.model_of(role)
        if address is None or address in looked_at:
            continue
        looked_at.append(address)
        with Journal(settings.home, "doctor") as journal, asyncio.Runner() as runner:
            llm = language_model(settings, journal, attempts=2, role=role)
            try:
                found = runner.run(_abilities(llm, f"KGS_LLM_{role.upper()}_MODEL" if role else "KGS_LLM_MODEL"))
            finally:
                runner.run(llm.close())
        yield from (check.model_copy(update={"name": f"{check.name} ({role})"}) if role else check for check in found)
    if not looked_at:
        yield Check(
            name="language model", state="off", detail="rules are used; to have one, set KGS_LLM_BASE_URL, _MODEL"
        )


async def _abilities(llm: LLM, setting: str) -> list[Check]:
    """Return the checks of one model, that is named in a setting."""
    found = [await _models(llm, setting)]
    try:
        async for trial in llm.trials():
            used = trial.dialect and all(check.state == "no" for check in found[1:])
            detail = trial.fault or ("works, and is used" if used else "works")
            found.append(Check(name=NAMES[trial.mode], state="ok" if trial.dialect else "no", detail=detail))
    except (LLMFailure, KgserviceError) as error:
        return [*found, Check(name="language model", state="failed", detail=str(error))]
    if all(check.state == "no" for check in found[1:]):
        detail = f"no answer of {llm.model} can be read: choose another {setting}"
        return [*found, Check(name="language model", state="failed", detail=detail)]
    return [*found, Check(name="language model", state="ok", detail=_speed(llm))]


async def _models(llm: LLM, setting: str) -> Check:
    try:
        names = await llm.endpoint.models()
    except (Unavailable, CallRefused) as error:
        return Check(name="models", state="no", detail=f"cannot be listed: {error}")
    shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    known = llm.model in names
    advice = "" if known else f"; {llm.model!r} ({setting}) is not among them"
    return Check(name="models", state="ok" if known else "no", detail=f"{shown or 'none'}{advice}")


def _speed(llm: LLM) -> str:
    sums = llm.spending().stages["endpoint"]
    rate = f", {sums.output_tokens / sums.seconds:,.0f} tokens/s" if sums.seconds else ""
    price = "its price is set" if llm.price else "no price is set (KGS_LLM_PRICES): costs are counted in tokens only"
    return f"{llm.model} at {llm.endpoint.shown} answers{rate}; {price}"

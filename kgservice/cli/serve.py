"""serve: the service over HTTP; mcp: the same for agents."""

from __future__ import annotations

import gc
import socket
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from kgservice.api.entry.access import Caller, Role
from kgservice.api.entry.logs import Form, configure
from kgservice.cli.session import AsJson, errors, graph, print_json, stderr
from kgservice.core.errors import SettingsError
from kgservice.core.settings import Settings

GRACE = 20  # seconds for requests that are under way
KEPT = (
    8  # seconds that an idle connection stays open: longer than clients keep one (httpx: 5), or they ask as it closes
)
SWITCH = 0.0005  # seconds (Python's default is .005) after which work in a thread lets the others' requests in


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for other machines too.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8000,
    log: Annotated[
        Form | None, typer.Option(help="Log format: text or json. Not given: text on a terminal, else json.")
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, max=64, help="Processes that answer requests; of several, jobs run in one more.")
    ] = 1,
    as_json: AsJson = False,
) -> None:
    """Serve the HTTP API until interrupted: page at /, documentation at /docs.

    At the end, requests under way are answered first. A running job pauses, and goes on at the next start.
    """
    import uvicorn  # with the app, a second that no other verb should pay

    from kgservice.api.app import alone, create_app
    from kgservice.api.entry.access import check_public

    with graph() as (_, settings):  # what is wrong with the database or the settings is one line here
        app = create_app(settings)
        check_public(host, app.state.keys, settings.api_keys)
        with alone(settings.home):  # free now; the app takes it as it starts
            check_port(host, port)
        address = f"http://{host if ':' not in host else f'[{host}]'}:{port}"
        if as_json:
            print_json({"url": address, "docs": f"{address}/docs"})
    form: Form = log or ("text" if stderr.is_terminal else "json")
    prepare(form)
    if workers == 1:
        uvicorn.run(app, host=host, port=port, **options(settings))
        return
    from kgservice.api.worker_processes import serve_by_workers

    each = partial(prepare, form, -(-settings.connections // workers))
    with errors():
        serve_by_workers(settings, workers, host, port, each, options(settings))


def check_port(host: str, port: int) -> None:
    """Raise SettingsError if the service cannot listen there, for instance because another program does."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as uvicorn: a port just left is free
            probe.bind(address)
            probe.listen()
    except OSError as error:
        raise SettingsError(
            f"cannot listen on port {port} of {host} ({error.strerror}): give another --port, or end what uses it"
        ) from error


def prepare(log: Form, connections: int | None = None) -> None:
    """Set up this process for requests: its log, threads and memory, and in a worker its number of connections."""
    if connections is not None:
        from kgservice.api.entry.connection import Connection

        Connection.most = connections
    configure(log)
    sys.setswitchinterval(SWITCH)
    gc.collect()
    gc.freeze()  # what the imports made stays: without it, each full collection walks over it, and all requests wait


def mcp(
    role: Annotated[
        Role, typer.Option(help="What the agent may do: reader, curator (loads too) or admin; not with --http.")
    ] = "reader",
    http: Annotated[bool, typer.Option("--http", help="Serve over HTTP, at /mcp, with API keys.")] = False,
    host: Annotated[str, typer.Option(help="With --http: the address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="With --http: the port to listen on.")] = 8000,
) -> None:
    """Serve the corpora to an agent by the Model Context Protocol, on standard input and output.

    Example: claude mcp add kgservice -- kgservice mcp
    """
    from kgservice.api.mcp.door import check_installed

    with errors():
        check_installed()
    if http:
        serve(host, port)
    else:
        _speak(role)


def _speak(role: Role) -> None:
    import asyncio

    from kgservice.api.app import create_app, jobs_of
    from kgservice.api.mcp.protocol import serve_stdio

    with graph() as (opened, settings), TemporaryDirectory(prefix="kgservice-mcp-") as folder:
        app = create_app(settings, opened)
        app.state.jobs = jobs_of(app, Path(folder), lasting=False)  # not those of a service that runs beside it
        try:
            asyncio.run(serve_stdio(app, Caller(role=role, owner="this machine's user")))
        finally:
            app.state.jobs.stop()


def options(settings: Settings) -> dict[str, Any]:
    """Return the configuration of uvicorn: our log and connections, HTTP only, and only named proxies trusted."""
    from kgservice.api.entry.connection import Connection

    Connection.most = settings.connections
    trusted = list(settings.trusted_proxies)
    proxies = {"proxy_headers": bool(trusted), "forwarded_allow_ips": trusted}
    shared = {"log_config": None, "access_log": False, "http": Connection, "ws": "none"}
    return {**shared, "timeout_keep_alive": KEPT, "timeout_graceful_shutdown": GRACE, **proxies}

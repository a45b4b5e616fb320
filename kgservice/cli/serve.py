"""serve: the service over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from kgservice.api.logs import Form, configure
from kgservice.cli.session import AsJson, graph, print_json, stderr

GRACE = 20  # seconds for requests that are under way


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for other machines too.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535)] = 8000,
    log: Annotated[
        Form | None, typer.Option(help="A line of text or of JSON an event; JSON where stderr is no terminal.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Serve the graph over HTTP, with a page at / and its documentation at /docs, until interrupted.

    Requests under way are ended first; a running job pauses, and goes on at the next start.
    """
    import uvicorn  # with the app, a second that no other verb should pay

    from kgservice.api.access import check_public
    from kgservice.api.app import alone, create_app
    from kgservice.api.connection import Connection

    with graph() as (_, settings):  # what is wrong with the database or the settings is one line here
        app = create_app(settings)
        check_public(host, app.state.keys, settings.api_keys)
        with alone(settings.home):  # free now; the app takes it as it starts
            pass
        address = f"http://{host if ':' not in host else f'[{host}]'}:{port}"
        if as_json:
            print_json({"url": address, "docs": f"{address}/docs"})
    configure(log or ("text" if stderr.is_terminal else "json"))
    Connection.most = settings.connections
    times: dict[str, Any] = {"timeout_graceful_shutdown": GRACE, "http": Connection}
    trusted = list(settings.trusted_proxies)
    proxies: dict[str, Any] = {"proxy_headers": bool(trusted), "forwarded_allow_ips": trusted}
    uvicorn.run(app, host=host, port=port, log_config=None, access_log=False, ws="none", **times, **proxies)

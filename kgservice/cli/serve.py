"""serve: the service over HTTP."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Annotated

import typer

from kgservice.cli.session import AsJson, graph, print_json, stderr


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for other machines too.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535)] = 8000,
    as_json: AsJson = False,
) -> None:
    """Serve the graph over HTTP, with a page at / and its documentation at /docs, until interrupted."""
    import uvicorn  # with the app, a second that no other verb should pay

    from kgservice.api.app import create_app

    with graph() as (_, settings):  # what is wrong with the database or the settings is one line here
        app = create_app(settings)
        if not settings.api_keys and not _is_loopback(host):
            stderr.print("everyone who reaches this address may read and change the graph: set KGS_API_KEYS")
        address = f"http://{host if ':' not in host else f'[{host}]'}:{port}"
        if as_json:
            print_json({"url": address, "docs": f"{address}/docs"})
    uvicorn.run(app, host=host, port=port)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

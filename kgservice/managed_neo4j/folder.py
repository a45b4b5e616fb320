"""The folder of a managed server: its lock, state, password, configuration and ports."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psutil
from filelock import FileLock, Timeout
from pydantic import BaseModel, ValidationError

from kgservice.core.errors import ServerError
from kgservice.graph.queries import style
from kgservice.managed_neo4j.failures import explain
from kgservice.managed_neo4j.jars import DEFAULT, RELEASES, series_of, version_of_series

LEAST_FREE_BYTES = 500_000_000
_CHECKPOINTS = 128  # bytes before the first checkpoint in its file; a checkpoint begins with the number of a kernel
_LAST_KERNEL_OF_5 = 20
_ROUNDS = 1_024  # of the hash of the first password, which has 128 random bits

_CONF = """\
# Written anew at each start by kgservice.
server.config.strict_validation.enabled=true
server.default_listen_address=127.0.0.1
server.default_advertised_address=127.0.0.1
server.bolt.enabled=true
server.bolt.listen_address=127.0.0.1:{bolt_port}
server.bolt.advertised_address=127.0.0.1:{bolt_port}
server.bolt.tls_level=DISABLED
server.http.enabled=true
server.http.listen_address=127.0.0.1:{http_port}
server.http.advertised_address=127.0.0.1:{http_port}
server.https.enabled=false
server.memory.pagecache.size={pagecache}
server.directories.import=import
dbms.security.auth_enabled=true
# Nothing is sent or fetched outside this machine.
dbms.usage_report.enabled=false
client.allow_telemetry=false
browser.remote_content_hostname_whitelist=localhost
# Neo4j Browser captions facts by their relation and things by their name from the first query on.
browser.post_connect_cmd=style {style}
# What asks for too much ends with an error of its own, and not others' work with it.
db.transaction.timeout=120s
db.memory.transaction.max={transaction}
# By default a statement is planned anew, for up to three seconds, when the length of a list or string that it is given
# passes a power of ten; its plan is the same.
internal.cypher.use_parameter_size=false
# The defaults keep two days of logs in files of 256 MB.
db.tx_log.rotation.size=64m
db.tx_log.rotation.retention_policy=2 files
"""


# The versions are pinned, so an internal setting is safe. A stop takes 1 s, not 10. By default 5.26 never merges the
# parts of a vector index, one of each write, and searches them one by one.
_OF_SERIES = {
    5: """\
internal.dbms.bolt.netty_server_shutdown_quiet_period=0
internal.dbms.index.vector.standard_merge_factor=10
""",
    2026: """\
internal.dbms.bolt.netty_server_shutdown_quiet_period_duration=0s
dbms.fleet_manager.enabled=false
server.fleet_discovery.enabled=false
server.http.x_forward.enabled=false
""",
}


PARTS = ("databases", "transactions")  # of the data of a database
_SMALLER = {"k": "", "m": "k", "g": "m"}  # of units of memory


class Server(BaseModel, frozen=True):
    """A managed Neo4j that runs, or ran last, in the data folder `home`; `stopped`: it was ended on purpose.

    `version`: the number of that Neo4j. `before`: that of the older one whose store it is to upgrade, until it answers.
    """

    home: Path
    pid: int
    bolt_port: int
    http_port: int
    version: str
    before: str | None = None
    stopped: bool = False

    @property
    def series(self) -> int:
        """Return the series of that Neo4j (5, 2026)."""
        return series_of(self.version)

    @property
    def uri(self) -> str:
        """Bolt address."""
        return f"bolt://127.0.0.1:{self.bolt_port}"

    @property
    def browser(self) -> str:
        """Address of Neo4j Browser."""
        return f"http://127.0.0.1:{self.http_port}/browser/"

    def showing(self, statement: str) -> str:
        """Address of Neo4j Browser with a statement in its editor; address and user are filled in, not the password."""
        place = quote(f"bolt://neo4j@127.0.0.1:{self.bolt_port}", safe="")
        return f"{self.browser}?connectURL={place}&cmd=edit&arg={quote(statement, safe='')}"

    @property
    def password_file(self) -> Path:
        """Return the file, readable by its owner only, that holds the password of the user `neo4j`."""
        return folder_of(self.home) / "password"

    @property
    def password(self) -> str:
        """Return the generated password of the user `neo4j`."""
        return read_password(folder_of(self.home))


def folder_of(home: Path) -> Path:
    """Return where everything of the managed server of a data folder lives."""
    return home.expanduser().resolve() / "neo4j"


def has_store(folder: Path) -> bool:
    """Return whether a server's folder holds a database."""
    return (folder / "data" / "databases" / "neo4j").is_dir()


def store_series(folder: Path, database: str = "neo4j") -> int | None:
    """Return the series of the Neo4j that wrote a database of a server's folder; None if nothing says it.

    Its last file of checkpoints says it: Neo4j begins a new one as it upgrades a database.
    """
    files = (folder / "data" / "transactions" / database).glob("checkpoint.*")
    for file in sorted(files, key=lambda file: int(file.suffix[1:]), reverse=True):
        kernel = file.read_bytes()[_CHECKPOINTS : _CHECKPOINTS + 1]
        if kernel.strip(b"\0"):  # else it was made ahead, and nothing is in it
            return 5 if kernel[0] <= _LAST_KERNEL_OF_5 else series_of(RELEASES[DEFAULT].number)
    return None


def written_by(home: Path) -> str | None:
    """Return the number of the Neo4j that wrote the database of a data folder; None if nothing says it."""
    folder = folder_of(home)
    if not has_store(folder):
        return None
    if last := read_state(home):
        # A server that opens a database upgrades that of users at once, and the other with the first write to it.
        upgraded = (store_series(folder, name) == last.series for name in ("system", "neo4j"))
        return last.version if last.before is None or any(upgraded) else last.before
    series = store_series(folder)
    return RELEASES[version_of_series(series)].number if series else None


def put_back(folder: Path) -> None:
    """Undo the replacement of a server's database that did not end, and remove what one has left.

    `incoming` holds what is to replace the database, and then each part that is set aside, as `old-…`: an empty folder
    where there was none. A replacement has ended once that folder is renamed `replaced`.
    """
    beside = folder / "incoming"
    for part in PARTS:
        old, present = beside / f"old-{part}", folder / "data" / part / "neo4j"
        if old.exists():
            if present.exists():
                present.replace(beside / f"new-{part}")
            if any(old.iterdir()):
                old.replace(present)
            else:
                old.rmdir()
    shutil.rmtree(beside, ignore_errors=True)
    shutil.rmtree(folder / "replaced", ignore_errors=True)


@contextmanager
def locked(home: Path) -> Iterator[Path]:
    """Make the folder of a data folder's server and hold its lock: one process at a time starts, stops or loads."""
    folder = folder_of(home)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(folder / "lock", timeout=600, is_singleton=True):
            yield folder
    except Timeout as error:
        raise ServerError(f"another kgservice command has been busy with {folder} for 10 minutes: end it") from error
    except OSError as error:
        known = explain(str(error), folder)
        raise ServerError(known or f"cannot work in {folder} ({error}): choose another with KGS_HOME") from error


def read_state(home: Path) -> Server | None:
    """Return the server that runs, or ran last, in a data folder."""
    try:
        text = (folder_of(home) / "server.json").read_text(encoding="utf-8")
        state = Server.model_validate_json(text)
    except (FileNotFoundError, NotADirectoryError, ValidationError):
        return None  # never started, or unreadable: Neo4j's own lock on the data still keeps a second server away
    return state.model_copy(update={"home": home})  # the folder may have been moved since


def write_state(server: Server) -> None:
    """Remember a server, atomically."""
    target = folder_of(server.home) / "server.json"
    part = target.with_suffix(".part")
    part.write_text(server.model_dump_json(), encoding="utf-8")
    part.replace(target)


def process_of(server: Server) -> psutil.Process | None:
    """Return the living process of a server; its command line, not the number, says that it is this folder's."""
    try:
        process = psutil.Process(server.pid)
        return process if f"--home-dir={folder_of(server.home)}" in process.cmdline() else None
    except psutil.Error:
        return None


def choose_port(wanted: int | None, variable: str, candidates: list[int | None], other: int | None) -> int:
    """Return a port on loopback: the wanted one (ServerError when taken), else the first free candidate, else any free
    one.

    Never `other`, the port of the second protocol.
    """
    if wanted is not None:
        if wanted == other:
            raise ServerError(f"port {wanted} cannot serve both Bolt and HTTP: choose another with {variable}")
        if not _is_free(wanted):
            raise ServerError(f"port {wanted} is taken by another program: choose another with {variable}, or unset it")
        return wanted
    for port in candidates:
        if port is not None and port != other and _is_free(port):
            return port
    while True:
        with socket.socket() as any_free:
            any_free.bind(("127.0.0.1", 0))
            port = int(any_free.getsockname()[1])
        if port != other:
            return port


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        if sys.platform != "win32":  # there the option would allow sharing a port that is taken
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def set_password(folder: Path) -> bool:
    """Generate the password file if there is none; True when the database does not know the password yet."""
    known = (folder / "data" / "databases" / "system").exists()
    path = folder / "password"
    if not path.exists():
        if known:
            raise ServerError(
                f"{path} is gone, and the database knows only that password: put the file back, or remove "
                f"data/databases/system and data/transactions/system in {folder} to have a new one made"
            )
        # Hexadecimal: a leading dash would be an option to the tool that reads the file.
        with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:  # noqa: PTH123
            file.write(secrets.token_hex(16))
    return not known


def write_first_password(folder: Path) -> None:
    """Give a database that has never run the password in the folder's file, hashed as Neo4j's own tool does.

    That tool (`neo4j-admin dbms set-initial-password`) writes nothing else, and starts a Java for it.
    """
    salt = secrets.token_bytes(32)
    digest = salt + read_password(folder).encode()
    for _ in range(_ROUNDS):
        digest = hashlib.sha256(digest).digest()
    (folder / "data" / "dbms").mkdir(parents=True, exist_ok=True)
    user = f"neo4j:SHA-256,{digest.hex()},{salt.hex()},{_ROUNDS}:\n"
    (folder / "data" / "dbms" / "auth.ini").write_text(user, encoding="ascii")


def read_password(folder: Path) -> str:
    """Return the password of the user `neo4j` of a server's folder."""
    try:
        return (folder / "password").read_text(encoding="ascii").strip()
    except OSError as error:
        raise ServerError(f"cannot read the password in {folder / 'password'}: {error.strerror}") from error


def write_conf(folder: Path, series: int, bolt_port: int, http_port: int, heap: str, pagecache: str) -> None:
    """Write neo4j.conf for a series of Neo4j, which knows every setting in it (strict validation is on)."""
    (folder / "conf").mkdir(parents=True, exist_ok=True)
    half = f"{int(heap[:-1]) * 512}{_SMALLER[heap[-1].lower()]}"
    text = _CONF.format(
        bolt_port=bolt_port, http_port=http_port, pagecache=pagecache, transaction=half, style=json.dumps(style())
    )
    (folder / "conf" / "neo4j.conf").write_text(text + _OF_SERIES[series], encoding="utf-8")


def check_space(folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < LEAST_FREE_BYTES:
        raise ServerError(
            f"disk full: {free // 1_000_000} MB free at {folder}, 500 MB needed: free some, or set KGS_HOME"
        )

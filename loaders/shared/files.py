"""Walking of paths and bounded reading of files. Every unreadable file becomes a Problem, never a crash.

`.gz` files are decompressed as a stream, within the limits.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeAlias

from kgservice.core.records import Problem

MAX_DOCUMENT = 50_000_000  # bytes of a text document
MAX_LINE = 5_000_000  # bytes of a line of JSONL or TSV
MAX_SKIPPED = 20 * MAX_LINE  # bytes of a too long line that are skipped to find the next one
MAX_RATIO = 500  # a .gz file that expands more is a gzip bomb (zeros: 1030; repetitive JSONL: below 200)
READ_ERRORS = (OSError, EOFError, zlib.error)
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
MAGIC = (b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"\x1f\x8b")
NOT_UTF8 = "the text is neither UTF-8 nor UTF-16 with a byte order mark; convert it, e.g. iconv -f CP1252 -t UTF-8"
NOT_TEXT = "the content is not text; convert it to text first"


Readline: TypeAlias = Callable[[int], bytes]


class File(NamedTuple):
    """A file to read and its name in identities."""

    path: Path
    name: str


class Line(NamedTuple):
    """A line of a file, decoded, without its end. Numbers start at 1."""

    number: int
    text: str


def shown(path: Path) -> str:
    """Return the name of a path: relative if inside the working directory, else absolute, with forward slashes."""
    whole = Path(os.path.abspath(path))  # not resolve(): a link keeps the name the user gave  # noqa: PTH100
    inside = whole.relative_to(Path.cwd()) if whole.is_relative_to(Path.cwd()) else whole
    return _printable(inside.as_posix())


def _printable(path: str) -> str:
    """Return the path as text that can be stored. Bytes that are not UTF-8 are replaced."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def rejected(source: str, reason: str, detail: str = "") -> Problem:
    """Return the Problem of a source that is not to be read: of another kind, empty, too large, or there already."""
    return Problem(source=source, state="rejected", reason=reason, detail=detail)


def failed(source: str, reason: str, detail: str = "") -> Problem:
    """Return the Problem of a source whose text is lost: it is broken, or could not be read."""
    return Problem(source=source, state="failed", reason=reason, detail=detail)


def matches(name: str, suffixes: tuple[str, ...]) -> bool:
    """Return whether the name ends in one of the suffixes, with or without .gz."""
    return name.lower().removesuffix(".gz").endswith(suffixes)


def walk(path: Path, name: str, suffixes: tuple[str, ...], *, follow_links: bool = False) -> Iterator[File | Problem]:
    """Yield the file itself whatever its suffix, or a folder's matching files in sorted order, with sub-folders.

    Names that start with a dot are skipped. A link out of the folder is rejected, unless `follow_links`. A link to a
    folder within is skipped, as its target is read in its own place.
    """
    name = name or shown(path)
    try:
        folder = stat.S_ISDIR(path.stat().st_mode)
    except (OSError, ValueError):
        folder = False
    if not folder:
        yield _checked(path, name)
        return
    found = False
    for item in _tree(path, name, suffixes, follow_links):
        found = True
        yield item
    if not found:
        kinds = " ".join("*" + end for end in suffixes if end)
        yield failed(name, "no files", f"the folder holds no file named {kinds}" if kinds else "the folder is empty")


def _tree(path: Path, name: str, suffixes: tuple[str, ...], follow_links: bool) -> Iterator[File | Problem]:
    waiting, entered = [(path, name)], {_real(path)}
    while waiting:
        here, called = waiting.pop()
        folder = here.is_dir()
        if here != path and here.is_symlink() and (folder or matches(here.name, suffixes)):
            if not follow_links and (refusal := link_out(here, called, path)):
                yield refusal
                continue
            if folder:
                if _within(here, path) or _real(here) in entered:  # read where it stands, or a circle
                    continue
                entered.add(_real(here))
        if folder:
            try:
                names = sorted((n for n in os.listdir(here) if n[0] != "."), reverse=True)  # noqa: PTH208
            except OSError as error:
                yield failed(called, "unreadable", str(error))
                continue
            waiting += [(here / entry, str(PurePosixPath(called, _printable(entry)))) for entry in names]
        elif matches(here.name, suffixes):
            yield _checked(here, called)


def link_out(path: Path, name: str, folder: Path) -> Problem | None:
    """Return the Problem of a link that leads out of the folder, or None for any other path."""
    if not path.is_symlink() or _within(path, folder):
        return None
    detail = f"it leads to {_printable(str(_real(path)))}; load that, or give --follow-links"
    return rejected(name, "link out of the folder", detail)


def _within(path: Path, folder: Path) -> bool:
    return _real(path).is_relative_to(_real(folder))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))  # not resolve(): a link to itself is an error there


def beside(file: File, name: str) -> Path | None:
    """Return the regular file of that name in the folder of a file, or None. A link out of the folder is none."""
    folder, path = file.path.parent, file.path.parent / name
    return path if path.is_file() and _real(path).parent == _real(folder) else None


def _checked(path: Path, name: str) -> File | Problem:
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        detail = "a symbolic link that leads nowhere" if path.is_symlink() else "check the path"
        return failed(name, "no such file", detail)
    except OSError as error:
        return failed(name, "unreadable", str(error))
    if not stat.S_ISREG(mode):  # a pipe or a device would block or never end
        return failed(name, "unreadable", "not a regular file")
    return File(path, name)


def opened(path: Path) -> io.BufferedReader:
    """Return the file's bytes as a stream, decompressed if its name ends in .gz."""
    if path.name.lower().endswith(".gz"):
        return io.BufferedReader(gzip.GzipFile(path, "rb"))
    return path.open("rb")


def read_bytes(file: File, limit: int = MAX_DOCUMENT) -> bytes | Problem:
    """Return the whole content of a file, decompressed, or its Problem."""
    try:
        with opened(file.path) as stream:
            data = stream.read(limit + 1)
    except READ_ERRORS as error:
        return failed(file.name, "unreadable", str(error))
    if len(data) > limit:
        return rejected(file.name, "too large", f"more than {limit:,} bytes; split the document")
    return data


def read_text(file: File) -> str | Problem:
    r"""Return the whole text of a file with \n as line ends, or its Problem."""
    data = read_bytes(file)
    return data if isinstance(data, Problem) else decoded(data, file.name)


def decoded(data: bytes, name: str) -> str | Problem:
    r"""Return the text of a file's bytes with \n as line ends, or its Problem."""
    wide = data.startswith(UTF16)
    if data.startswith(MAGIC) or (b"\0" in data and not wide):
        return rejected(name, "binary", NOT_TEXT)
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        return failed(name, "encoding", f"byte {error.start}: {NOT_UTF8}")
    if "\0" in text:
        return rejected(name, "binary", NOT_TEXT)
    if not text.strip():
        return rejected(name, "empty", "no text in the file")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def lines(file: File, limit: int = MAX_LINE) -> Iterator[Line | Problem]:
    """Yield the lines of a file that are not blank, one at a time. The file may be of any size."""
    try:
        with opened(file.path) as stream, _reader(stream) as readline:
            yield from _lines(stream.peek(8192), readline, file, limit)
    except UnicodeDecodeError:  # UTF-16 is decoded as a stream, so the rest is lost
        yield failed(file.name, "encoding", NOT_UTF8)
    except READ_ERRORS as error:
        yield failed(file.name, "unreadable", str(error))


@contextmanager
def _reader(stream: io.BufferedReader) -> Iterator[Readline]:
    """Yield a function that reads lines of at most so many bytes of UTF-8, also from UTF-16."""
    if not stream.peek(2).startswith(UTF16):
        yield stream.readline
        return
    text = io.TextIOWrapper(stream, encoding="utf-16", newline="\n")
    try:
        yield lambda size: text.readline(size).encode()
    finally:
        text.detach()


def _lines(head: bytes, readline: Readline, file: File, limit: int) -> Iterator[Line | Problem]:
    if head.startswith(MAGIC) or (b"\0" in head and not head.startswith(UTF16)):
        yield rejected(file.name, "binary", NOT_TEXT)
        return
    number = total = kept = 0
    bomb = max(4 * MAX_LINE, MAX_RATIO * file.path.stat().st_size)
    while raw := readline(limit + 1):
        number += 1
        total += len(raw)
        kept += bool(raw.strip())
        if len(raw) > limit and not raw.endswith(b"\n"):
            yield rejected(f"{file.name}:{number}", "too large", f"the line has more than {limit:,} bytes")
            if not _skipped(readline):
                return
        elif raw.strip():
            yield _line(raw, number, file.name)
        if total > bomb:
            yield rejected(file.name, "too large", f"grows without end; reading stopped after line {number}")
            return
    if not kept:
        yield rejected(file.name, "empty", "no text in the file")


def _line(raw: bytes, number: int, name: str) -> Line | Problem:
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        return failed(f"{name}:{number}", "encoding", f"byte {error.start}: {NOT_UTF8}")
    return Line(number, text.rstrip("\r\n"))


def _skipped(readline: Readline) -> bool:
    """Read to the end of a too long line. Return False if the end is too far away, so the rest of the file is lost."""
    for _ in range(MAX_SKIPPED // 1_000_000):
        raw = readline(1_000_000)
        if not raw or raw.endswith(b"\n"):
            return True
    return False

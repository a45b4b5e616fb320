"""What Neo4j prints when it cannot run, turned into what to do."""

from __future__ import annotations

from pathlib import Path

PORT_TAKEN = ("Address already in use", "is already in use, cannot bind")  # Bolt's words, and the web server's

# The first match counts: what fills a disk or the memory also breaks locks and ports.
_CAUSES: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("No space left on device", "not enough space on the disk", "Disk quota exceeded"),
        "disk full: free some space for {folder}, or move it and set KGS_HOME",
    ),
    (
        (
            "java.lang.OutOfMemoryError",
            "Could not reserve enough space",
            "Cannot allocate memory",
            "nsufficient memory",
            "Too small maximum heap",
            "Too small initial heap",
            "exceeds physical memory",
            "exceeds the maximum representable size",
            "Unable to use AOT cache",  # its objects do not fit in the heap
            "MemoryLimitExceeded",
        ),
        "out of memory: set KGS_NEO4J_HEAP (now a Java heap that is too small, or larger than what is free) "
        "and KGS_NEO4J_PAGECACHE to fit this machine",
    ),
    (
        ("Lock file has been locked", "StoreLockException", "FileLockException", "The database is in use"),
        "folder in use: another Neo4j runs on {folder}: stop it, or choose another folder with KGS_HOME",
    ),
    (
        PORT_TAKEN,
        "port taken by another program: choose others with KGS_NEO4J_BOLT_PORT and KGS_NEO4J_HTTP_PORT",
    ),
    (
        ("AccessDeniedException", "Permission denied", "Read-only file system"),
        "cannot write in {folder}: give this user the right to, or choose another folder with KGS_HOME",
    ),
)

_NOISE = (
    *("at ", "... ", "WARNING", "....", "----", "Files: ", "Done: ", "Run with ", "Load failed for", "Dump failed for"),
    *("Full exception details written to", "Please provide this file"),  # 2026: --verbose, or failed after 3 s and more
)


def explain(text: str, folder: Path) -> str | None:
    """Return what to do about the failure that an output tells of, None if it is not a known one."""
    for signs, advice in _CAUSES:
        if any(sign in text for sign in signs):
            return advice.format(folder=folder)
    return None


def last_lines(text: str) -> str:
    """Return the last three telling lines of the output of a Java program: no stack frames, progress, warnings or
    notices."""
    lines = [line.strip() for line in text.splitlines()]
    telling = [line for line in lines if line and not line.startswith(_NOISE) and " INFO " not in line]
    return " | ".join(telling[-3:]) or "no output"

"""A file whose lines take long to come: what is there stays until they are all written."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import TextIO


@contextmanager
def replacing(file: Path) -> Iterator[TextIO]:
    """Open a text file beside this one, which it replaces at the end.

    This one stays as it is if nothing was written, or after an error. What is no regular file is written itself.
    """
    if file.exists() and not file.is_file():  # /dev/stdout
        with file.open("w", encoding="utf-8") as out:
            yield out
        return
    file = file.resolve()  # a link stays one
    beside = file.with_name(f".{file.name}.{token_hex(4)}.part")  # a name of its own: another run may write too
    try:
        with beside.open("w", encoding="utf-8") as out:
            yield out
        if not file.exists():
            beside.replace(file)
        elif beside.stat().st_size:
            shutil.copymode(file, beside)
            beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)

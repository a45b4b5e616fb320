"""PDF: one document a file, with form feeds between pages and ruled tables as pipe tables.

A child process (`python -m loaders.pdf`) parses the files one by one, with limits on memory and time, as a PDF of some
kilobytes can demand any amount of both. A file that kills the process fails alone.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import date
from math import ceil
from pathlib import Path, PurePosixPath
from subprocess import DEVNULL, PIPE, Popen
from threading import Timer
from time import process_time
from typing import Any

from kgservice.core.records import Document, Problem
from loaders.pdf_lines import CLEAN, PdfLine, lines_of, text_of
from loaders.shared.fields import Json, Refused, folded
from loaders.shared.files import MAX_DOCUMENT, File, failed, opened, rejected
from loaders.shared.loader import FileLoader
from loaders.text import short

if sys.platform != "win32":
    import resource
    from signal import SIGXCPU

MAX_BYTES, MAX_PAGES, MAX_MEMORY = 200_000_000, 5_000, 1_000_000_000
OPENING, PER_MB, PER_PAGE = 60, 2, 2  # seconds of CPU time; a page counts as at least a kilobyte of the file
WAIT = 30  # times those seconds by the clock, for busy machines and dead disks
FILE_NAME = re.compile(
    r"\.(?:docx?|xlsx?|pptx?|pdf|indd|qxd|tex|dvi|ps|html?|rtf|odt)$|^\S*[\\/]\S*$|^untitled|^[\W\d]*$", re.I
)
CREATED = re.compile(r"(?:D:)?(\d{4})(\d{2})(\d{2})")


class PdfLoader(FileLoader):
    """A loader of .pdf files with a text layer. Pages without text among others stay as empty pages."""

    suffixes = (".pdf",)

    def records(self) -> Iterator[Document | Problem]:
        """Yield all files as documents, read by one child process."""
        with closing(PdfReader()) as child:
            for file in self.files(self.path, self.name):
                yield file if isinstance(file, Problem) else child.document(file)

    def documents(self, file: File) -> Iterator[Document | Problem]:
        """Yield the document of the file."""
        with closing(PdfReader()) as child:
            yield child.document(file)


class PdfReader:
    """The process that parses, started on demand, and again after a file has killed it."""

    process: Popen[bytes] | None = None

    def document(self, file: File) -> Document | Problem:
        """Return the file as a document, or its Problem."""
        size = file.path.stat().st_size if file.path.exists() else 0
        answer = self._ask({"path": str(file.path.absolute())}, OPENING + PER_MB * size // 1_000_000)
        if pages := answer.pop("pages", 0):
            answer = self._ask({}, OPENING + PER_PAGE * min(pages, 1 + size // 1_000))
        if "reason" in answer:
            self.close()  # a bad file's memory must not count against the next
            problem = failed if answer["reason"] == "unreadable" else rejected
            return problem(file.name, **answer)
        title = answer["title"] or re.sub(r"(\.pdf)?(\.gz)?$", "", PurePosixPath(file.name).name, flags=re.I)
        return Document(source=file.name, text=answer["text"], title=title, published=answer["published"])

    def _ask(self, question: Json, seconds: int) -> dict[str, Any]:
        """Return the child's next answer, or a reason if it takes more than so many seconds of CPU time."""
        if self.process is None:
            command = [sys.executable, "-P", "-m", "loaders.pdf"]  # -P: no import from the working directory
            self.process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
        assert self.process.stdin and self.process.stdout  # noqa: S101
        timer, line = Timer(seconds if sys.platform == "win32" else WAIT * seconds, self.process.kill), b""
        timer.start()
        with suppress(OSError):  # a dead child has no answer
            self.process.stdin.write(json.dumps(question | {"seconds": seconds}).encode() + b"\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        late = timer.finished.is_set()
        timer.cancel()
        if line.endswith(b"\n"):
            return dict(json.loads(line))
        status = self.process.wait()
        self.close()
        if late or (sys.platform != "win32" and status == -SIGXCPU):
            return _reason("too slow", f"not read in {seconds} s of CPU time; print it to a new PDF, or split it")
        return _reason("unreadable", "the process that parsed it died, probably for want of memory")

    def close(self) -> None:
        """Kill the process."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def _reason(reason: str, detail: str) -> dict[str, Any]:
    return {"reason": reason, "detail": detail}


def serve() -> None:
    """Run the child: read a path a line, print the number of pages and, on the next line, the text."""
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(ValueError, OSError):  # memory cannot be limited everywhere, time is
            resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    for line in sys.stdin:
        try:
            answer = _parsed(_asked(line))
        except Exception as error:  # noqa: BLE001 - pdfminer raises anything on a damaged file
            answer = _why(error)
        print(json.dumps(answer), flush=True)  # noqa: T201


def _asked(line: str) -> str:
    """Return the path of a question, and limit the process to the question's seconds of CPU time from now on."""
    question = json.loads(line)
    if sys.platform != "win32":
        upto = ceil(process_time() + question["seconds"])
        resource.setrlimit(resource.RLIMIT_CPU, (upto, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    return str(question.get("path", ""))


def _why(error: Exception) -> dict[str, Any]:
    """Return the reason of an error, unwrapped from pdfplumber's exceptions."""
    from pdfminer.pdfdocument import PDFEncryptionError, PDFPasswordIncorrect

    inner = error.args[0] if error.args and isinstance(error.args[0], Exception) else error
    if isinstance(inner, Refused):
        return _reason(inner.reason, inner.detail)
    if isinstance(inner, MemoryError):
        return _reason("too large", f"needs more than {MAX_MEMORY:,} bytes of memory; split the document")
    if isinstance(inner, PDFPasswordIncorrect | PDFEncryptionError):
        return _reason("encrypted", "a password is needed; store it without one, e.g. qpdf --decrypt in.pdf out.pdf")
    return _reason("unreadable", f"it cannot be parsed as PDF: {type(inner).__name__} {inner}"[:200])


def _parsed(path: str) -> dict[str, Any]:
    """Return the text of the file, after printing its number of pages and waiting for the next question."""
    import pdfplumber

    with opened(Path(path)) as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Refused("too large", f"more than {MAX_BYTES:,} bytes; split the document")
    if b"%PDF-" not in data[:1024]:
        raise Refused("unreadable", "the content is not a PDF") if data.strip() else Refused("empty", "an empty file")
    with pdfplumber.open(io.BytesIO(data), raise_unicode_errors=False) as pdf:
        if not 0 < len(pdf.pages) <= MAX_PAGES:
            reason = "too large" if pdf.pages else "unreadable"
            raise Refused(reason, f"{len(pdf.pages):,} pages, not 1 to {MAX_PAGES:,}; split it, or print it anew")
        print(json.dumps({"pages": len(pdf.pages)}), flush=True)  # noqa: T201
        _asked(sys.stdin.readline())
        pages: list[list[PdfLine]] = []
        heights: list[float] = []
        for page in pdf.pages:
            pages.append(lines_of(page))
            heights.append(page.height)
            page.close()  # frees the page's objects
    if not any(pages):
        raise Refused("scanned", "the pages have no text layer; run OCR first, e.g. ocrmypdf in.pdf out.pdf")
    text = text_of(pages, heights).encode("utf-8", "replace")
    if len(text) > MAX_DOCUMENT:
        raise Refused("too large", f"more than {MAX_DOCUMENT:,} bytes of text; split the document")
    title, created = (str(pdf.metadata.get(key, "")) for key in ("Title", "CreationDate"))
    return {"text": text.decode(), "title": _title(title), "published": _day(created)}


def _title(metadata: str) -> str:
    """Return the title from the metadata, "" if it is missing or a file's name."""
    title = folded(metadata.translate(CLEAN).encode("utf-8", "replace").decode()).removeprefix("Microsoft Word - ")
    return "" if len(title) < 3 or FILE_NAME.search(title) else short(title)


def _day(created: str) -> str | None:
    match = CREATED.match(created)
    with suppress(ValueError):
        return date(int(match[1]), int(match[2]), int(match[3])).isoformat() if match else None
    return None


if __name__ == "__main__":
    serve()

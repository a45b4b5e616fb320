"""Housing plans and CAPERs of HUD grantees (RARE, appendix A.3): plan type, grantee, state, year; no attachments."""

from __future__ import annotations

import csv
import io
import re
from pathlib import PurePosixPath

from kgservice.core.records import Document, Problem, Scalar
from loaders.reports.report_loader import ReportLoader
from loaders.shared.fields import Refused, folded
from loaders.shared.files import File, beside, read_text

FIELDS = ("plan_type", "grantee", "state", "year")
LEDGER = "metadata.csv"  # beside the files: id (the file's name without its suffix) and FIELDS
_ATTACHMENT = re.compile(
    r"^[ \t]*(?:#+[ \t]*)?\**attachments?\b(?:[ \t]*(?:[-–—:]|\d+|[A-Z]\b)[^\n]{0,80})?\**[ \t]*$", re.M | re.I
)
_PLAN = r"CAPER|Consolidated Annual Performance and Evaluation Report|(?:Annual )?Action Plan|Consolidated Plan"
_SAID = {
    "plan_type": re.compile(rf"\b({_PLAN})\b", re.I),
    "grantee": re.compile(r"^\W*Grantee(?: Name)?\W{1,5}([^\n|]{2,80})", re.I | re.M),
    "state": re.compile(r"^\W*State\W{1,5}([A-Z][A-Za-z ]{1,30})", re.M),
    "year": re.compile(r"\b(?:program|fiscal|plan|reporting)\s+year\W{1,5}((?:19|20)\d\d)", re.I),
}


class CaperLoader(ReportLoader):
    """A loader of plans, with the metadata of their row in metadata.csv by file name, else of their own text.

    The text ends before the first header "Attachment".
    """

    def known(self, report: Document, file: File) -> Document:
        """Return the plan without its attachments, with its metadata.

        Raises Refused if it has no grantee or no text, or if the ledger cannot be read.
        """
        attachment = _ATTACHMENT.search(report.text)
        text = report.text[: attachment.start()].rstrip() if attachment else report.text
        if not text:
            raise Refused("no text", "the document is an attachment as a whole")
        fields: dict[str, Scalar] = {}
        for name, pattern in _SAID.items():
            if words := pattern.search(text[:20_000]):
                fields[name] = folded(words[1]).strip(" .:")
        fields |= _row(file)
        if str(fields.get("year", "")).isdigit():
            fields["year"] = int(str(fields["year"]))
        if "grantee" not in fields:
            raise Refused("no plan", f"no grantee, neither in the text nor in {LEDGER} (columns id, grantee, …)")
        title = " ".join(str(fields[name]) for name in ("grantee", "plan_type", "year") if name in fields)
        update = {"text": text, "title": title, "doc_type": "housing plan", "domain": "policy"}
        return report.model_copy(update={**update, "metadata": {**report.metadata, **fields}})


def _row(file: File) -> dict[str, Scalar]:
    """Return the fields of the file's row in the ledger beside it, {} if there is none.

    Its cells are divided by commas, semicolons or tabs. Raises Refused if it is no such table with a column "id".
    """
    ledger = beside(file, LEDGER)
    name = re.sub(r"\.(?:pdf|x?html?)(?:\.gz)?$", "", PurePosixPath(file.path.name).name, flags=re.I)
    if ledger is None:
        return {}
    shown = str(PurePosixPath(file.name).with_name(LEDGER))
    text = read_text(File(ledger, shown))
    if isinstance(text, Problem):
        raise Refused(text.reason, f"{shown}: {text.detail}")
    header = text.partition("\n")[0]
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=header.count))
    try:
        if "id" not in (rows.fieldnames or ()):
            raise Refused("no header", f"{shown}: its first line must name the columns id, {', '.join(FIELDS)}")
        found = next((row for row in rows if row["id"] == name), {})
    except csv.Error as error:
        raise Refused("malformed line", f"{shown}:{rows.line_num}: {error}") from None
    return {key: folded(found[key]) for key in FIELDS if found.get(key)}

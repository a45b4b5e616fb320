"""Housing plans and CAPERs of HUD grantees (RARE, appendix A.3): plan type, grantee, state, year; no attachments."""

from __future__ import annotations

import csv
import re
from pathlib import PurePosixPath

from kgservice.core.records import Document, Scalar
from loaders.reports.report_loader import ReportLoader
from loaders.shared.fields import Refused, folded
from loaders.shared.files import File, beside

FIELDS = ("plan_type", "grantee", "state", "year")
LEDGER = "metadata.csv"  # beside the files: id (the file's name without its ending) and FIELDS
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
    """Reads plans; what they are is told by the row of metadata.csv with the file's name, else by their own words.

    The text ends before the first header "Attachment".
    """

    def known(self, report: Document, file: File) -> Document:
        """The plan without its attachments."""
        found = _ATTACHMENT.search(report.text)
        text = report.text[: found.start()].rstrip() if found else report.text
        if not text:
            raise Refused("no text", "the document is an attachment as a whole")
        said: dict[str, Scalar] = {}
        for name, pattern in _SAID.items():
            if words := pattern.search(text[:20_000]):
                said[name] = folded(words[1]).strip(" .:")
        said |= _row(file)
        if str(said.get("year", "")).isdigit():
            said["year"] = int(str(said["year"]))
        if "grantee" not in said:
            raise Refused("no plan", f"no grantee, neither in the text nor in {LEDGER} (columns id, grantee, …)")
        title = " ".join(str(said[name]) for name in ("grantee", "plan_type", "year") if name in said)
        known = {"text": text, "title": title, "doc_type": "housing plan", "domain": "policy"}
        return report.model_copy(update={**known, "metadata": {**report.metadata, **said}})


def _row(file: File) -> dict[str, Scalar]:
    """What the ledger beside the file says of it."""
    ledger = beside(file, LEDGER)
    name = re.sub(r"\.(?:pdf|x?html?)(?:\.gz)?$", "", PurePosixPath(file.path.name).name, flags=re.I)
    if ledger is None:
        return {}
    with ledger.open(encoding="utf-8-sig", newline="") as stream:
        for row in csv.DictReader(stream):
            if row.get("id") == name:
                return {key: folded(row[key]) for key in FIELDS if row.get(key)}
    return {}

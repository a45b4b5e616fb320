"""OECD Economic Surveys (RARE, appendix A.2): country and year, and the text from just before the first table."""

from __future__ import annotations

import re

from kgservice.core.records import Document
from loaders.reports.report_loader import ReportLoader
from loaders.shared.fields import Refused, folded
from loaders.shared.files import File

_NAMED = re.compile(r"OECD Economic Surveys?:\s*(?P<country>[^\W\d][^\n\d|]*?)[\s,–-]*(?P<year>(?:19|20)\d\d)\b")
_TABLE = re.compile(r"^\|.*\n\|(?: ?:?-+:? ?\|)+", re.MULTILINE)


class OecdLoader(ReportLoader):
    """A loader of surveys of the layout "OECD Economic Surveys: Country Year", with country and year as metadata.

    The text starts with the paragraph before the first table (its caption's), as in the paper. Without a table nothing
    is cut. Chunk with `--chunking rare`, which keeps tables whole and paragraphs together.
    """

    def known(self, report: Document, file: File) -> Document:
        """Return the survey from its first table on. Raises Refused if it is none."""
        match = _NAMED.search(f"{report.title}\n{report.text}")
        if not match:
            raise Refused("no survey", 'no line "OECD Economic Surveys: Country Year"; load it with html or pdf')
        country, year = folded(match["country"]).strip(" ,.-–"), int(match["year"])
        table = _TABLE.search(report.text)
        start = 0
        if table:
            captioned = report.text.rfind("\n\n", 0, max(table.start() - 2, 0))
            start = max(report.text.rfind("\n\n", 0, max(captioned, 0)) + 2, 0) if captioned > 0 else 0
        pages = report.text.count("\f", 0, start)  # cut pages stay as empty ones, so page numbers stay true
        return report.model_copy(
            update={
                "text": "\f" * pages + report.text[start:],
                "title": f"OECD Economic Survey of {country} {year}",
                "doc_type": "economic survey",
                "domain": "economics",
                "metadata": {**report.metadata, "country": country, "year": year},
            }
        )

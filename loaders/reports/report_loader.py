"""Reports in HTML or PDF that are cut and named in the same way: surveys, plans."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import closing

from kgservice.core.records import Document, Problem
from loaders.html import HtmlLoader
from loaders.pdf import PdfReader
from loaders.shared.files import File, matches
from loaders.shared.loader import DocumentLoader


class ReportLoader(DocumentLoader):
    """A loader of .html, .htm, .xhtml and .pdf reports. Subclasses add metadata in `known`."""

    suffixes = (*HtmlLoader.suffixes, ".pdf")

    def document(self, file: File) -> Document | Problem:
        """Return the report. Raises Refused if it is another kind of document."""
        if matches(file.path.name, (".pdf",)):
            with closing(PdfReader()) as reader:
                read = reader.document(file)
        else:
            read = HtmlLoader(file.path).document(file)
        return read if isinstance(read, Problem) else self.known(read, file)

    @abstractmethod
    def known(self, report: Document, file: File) -> Document:
        """Return the report with its metadata, cut to the relevant part. Raises Refused."""

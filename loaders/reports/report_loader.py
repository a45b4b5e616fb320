"""Reports that come as web pages or PDFs and are cut and named alike: surveys, plans."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import closing

from kgservice.core.records import Document, Problem
from loaders.html import HtmlLoader
from loaders.pdf import PdfReader
from loaders.shared.files import File, matches
from loaders.shared.loader import DocumentLoader


class ReportLoader(DocumentLoader):
    """Reads .html, .htm, .xhtml and .pdf as those loaders do; what is known of the report is `known`'s to add."""

    suffixes = (*HtmlLoader.suffixes, ".pdf")

    def document(self, file: File) -> Document | Problem:
        """The report; raises Refused for what is another kind of document."""
        if matches(file.path.name, (".pdf",)):
            with closing(PdfReader()) as reader:
                read = reader.document(file)
        else:
            read = HtmlLoader(file.path).document(file)
        return read if isinstance(read, Problem) else self.known(read, file)

    @abstractmethod
    def known(self, report: Document, file: File) -> Document:
        """The report with its metadata, cut to what counts; raises Refused."""

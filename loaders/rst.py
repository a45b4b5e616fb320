"""reStructuredText: one document a file, read by docutils as a web page and so as Markdown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.core import publish_string
from docutils.parsers.rst import Directive, directives
from docutils.writers.html5_polyglot import Writer

from kgservice.core.records import Document, Problem
from loaders.html import page_document, parsed_page
from loaders.shared.files import File, read_text
from loaders.shared.loader import DocumentLoader
from loaders.text import plain_document

SETTINGS = {
    "file_insertion_enabled": False,  # a document includes no other files
    "raw_enabled": False,
    "report_level": 5,  # Sphinx's own directives, which docutils does not know, are no errors here
    "halt_level": 6,
    "initial_header_level": 1,
    "syntax_highlight": "none",
    "embed_stylesheet": False,
    "stylesheet_path": None,
    "output_encoding": "utf-8",
    "_disable_config": True,
}
# Sphinx's own directives that describe something, and its roles, which are words with a link.
SPHINX = "option confval envvar describe function class method attribute data module program program-output glossary"
SPHINX += " versionadded versionchanged versionremoved deprecated seealso tip rubric centered hlist tab tab-item"
ROLE = re.compile(r"(?<![\w`]):(?:[\w.+-]+:)*[\w.+-]+:`([^`<\n]+?)(?:\s*<[^`>\n]*>)?`")


class _Described(Directive):  # type: ignore[misc]
    """A term and what is said of it: the term in a paragraph of its own, then the rest as it is."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[Any] = None

    def run(self) -> list[nodes.Node]:
        """Return the term and the parsed content."""
        said = nodes.container()
        said += [nodes.paragraph(text=line.strip()) for line in "".join(self.arguments).split("\n")]
        self.state.nested_parse(self.content, self.content_offset, said)
        return list(said.children)


for _name in SPHINX.split():
    directives.register_directive(_name, _Described)


class RstLoader(DocumentLoader):
    """A loader of .rst files. What docutils cannot read is read as plain text."""

    suffixes = (".rst",)

    def document(self, file: File) -> Document | Problem:
        """Return the document of the file. A file without text is refused as any other."""
        text = read_text(file)
        if isinstance(text, Problem):
            return text
        try:
            written = publish_string(
                ROLE.sub(r"``\1``", text),
                source_path=Path(file.name).stem,
                writer=Writer(),
                settings_overrides=SETTINGS,
            )
            page = parsed_page(written)
            if page.title and page.title.string == Path(file.name).stem and page.find("h1"):
                page.title.decompose()  # a badge stands before the heading, so docutils takes the file's name
            return page_document(page, file.name)
        except Exception:  # noqa: BLE001 - docutils raises what it likes on damaged markup
            return plain_document(text, file.name)

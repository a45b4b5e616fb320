"""reStructuredText: one document a file, read by docutils as a web page and so as Markdown."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.core import publish_string
from docutils.parsers.rst import Directive, directives
from docutils.parsers.rst.states import Body
from docutils.statemachine import StringList
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
# Sphinx's names of things: each line of the argument is one, and what options say is said of it ("type", "default").
THINGS = set("option cmdoption confval envvar describe function class method attribute data module program".split())
# Sphinx's directives that show nothing of their own, and those whose argument is a condition.
UNSEEN = set("toctree index highlight currentmodule default-domain tabularcolumns sectionauthor codeauthor".split())
UNSEEN |= {"literalinclude", "testsetup", "testcleanup"}
# Those whose content is code, or is drawn.
CODE = set("testcode testoutput doctest prompt ipython productionlist graphviz graph digraph mermaid plantuml".split())
CONDITIONS = {"only", "ifconfig"}
# Sphinx's words for what begins with a version.
SINCE = {"versionadded": "Added in version", "versionchanged": "Changed in version"}
SINCE |= {"deprecated": "Deprecated since version", "versionremoved": "Removed in version"}
FIELD = re.compile(Body.patterns["field_marker"])
ROLE = re.compile(r"(?<![\w`]):(?:[\w.+-]+:)*[\w.+-]+:`([^`<\n]+?)(?:\s*<[^`>\n]*>)?`")


class _Unknown(Directive):  # type: ignore[misc]
    """A directive that docutils does not know: its argument in paragraphs of their own, then its content as it is."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[Any] = None  # so that options are the argument's last lines

    def run(self) -> list[nodes.Node]:
        """Return the argument and the parsed content."""
        name = self.name.lower()
        if name in UNSEEN:
            return []
        if name in CODE:
            return [nodes.literal_block(text="\n".join(self.content))]
        said = nodes.container()
        lines = [line.strip() for line in "".join(self.arguments).split("\n")]
        options = next((at for at, line in enumerate(lines) if FIELD.match(line)), len(lines))
        if name in THINGS or ":" in name:  # "py:function", of a domain
            said += [nodes.paragraph(text=line) for line in lines[:options]]
            stated = [line for line in lines[options:] if not FIELD.fullmatch(line)]
            self.state.nested_parse(StringList(stated, self.name), self.content_offset, said)
        elif name not in CONDITIONS:
            version, _, rest = " ".join(lines[:options]).partition(" ")
            said_of = f"{SINCE[name]} {version}{':' if rest else ''} {rest}" if name in SINCE else f"{version} {rest}"
            text, messages = self.state.inline_text(said_of.strip(), self.lineno)
            said += [nodes.paragraph("", "", *text), *messages]
        self.state.nested_parse(self.content, self.content_offset, said, match_titles=True)
        return list(said.children)


class _AnyOption(dict[str, Any]):
    """The options of a directive, and any other: Sphinx gives more to those that docutils knows."""

    def __missing__(self, name: str) -> Any:
        return directives.unchanged


@cache
def _lenient(known: type[Directive]) -> type[Directive]:
    return type(known.__name__, (known,), {"option_spec": _AnyOption(known.option_spec)})


def _directive(name: str, *args: Any) -> tuple[Any, list[nodes.Node]]:
    """Return the class of a directive, as Sphinx does by replacing the same function."""
    known, messages = docutils_directive(name, *args)
    if known is None or name.lower() in THINGS:
        return _Unknown, []
    return _lenient(known) if isinstance(known, type) and getattr(known, "option_spec", None) else known, messages


docutils_directive = directives.directive
directives.directive = _directive


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
            for note in page("aside"):  # notes and footnotes are text, what stands beside a web page is none
                note.name = "div"
            if page.title and page.title.string == Path(file.name).stem and page.find("h1"):
                page.title.decompose()  # a badge stands before the heading, so docutils takes the file's name
            return page_document(page, file.name)
        except Exception:  # noqa: BLE001 - docutils raises what it likes on damaged markup
            return plain_document(text, file.name)

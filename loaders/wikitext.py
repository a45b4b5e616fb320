"""Wikitext as Markdown: sections, text, tables and info boxes. mwparserfromhell parses it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import mwparserfromhell
from mwparserfromhell import nodes
from mwparserfromhell.nodes import Node
from mwparserfromhell.wikicode import Wikicode

LEFT_OUT = frozenset("ref references gallery math timeline score syntaxhighlight style script imagemap".split())
MEDIA = re.compile(r"(?i)\s*(?:file|image|category|media)\s*:")
DATES = re.compile(r"(?i)\s*(?:birth|death|start|end|film)[ _-]date\b.*")
SHOWN = {"nowrap": (1,), "small": (1,), "lang": (2,), "convert": (1, 2), "cvt": (1, 2), "val": (1,), "ill": (1,)}
TAIL = re.compile(r"(?im)^#+ (?:references|external links|notes|see also|further reading|bibliography)\s*$")
_SPACES, _LINES = re.compile(r"[ \t\u00a0]+"), re.compile(r"\n{3,}")


def markdown(wikitext: str) -> str:
    """Return an article's text up to its last section of its own (before references and links)."""
    text = "".join(_shown(mwparserfromhell.parse(wikitext, skip_style_tags=True).nodes))
    text = re.sub(r"'{2,}", "", text)
    if tail := TAIL.search(text):
        text = text[: tail.start()]
    lines = (_SPACES.sub(" ", line).strip() for line in text.splitlines())
    return _LINES.sub("\n\n", "\n".join(lines)).strip()


def _shown(found: Iterable[Node]) -> Iterator[str]:
    for node in found:
        if isinstance(node, nodes.Text):
            yield str(node.value)
        elif isinstance(node, nodes.Heading):
            yield f"\n\n{'#' * node.level} {_flat(node.title)}\n\n"
        elif isinstance(node, nodes.Wikilink):
            if not MEDIA.match(str(node.title)):
                yield "".join(_shown((node.text or node.title).nodes))
        elif isinstance(node, nodes.ExternalLink):
            yield "".join(_shown(node.title.nodes)) if node.title else ""
        elif isinstance(node, nodes.HTMLEntity):
            yield node.normalize() or ""
        elif isinstance(node, nodes.Template):
            yield _template(node)
        elif isinstance(node, nodes.Tag):
            yield from _tag(node)


def _tag(node: nodes.Tag) -> Iterator[str]:
    name = _name(str(node.tag))
    if name in LEFT_OUT:
        return
    if name == "table":
        yield _table(node)
    elif name in ("li", "dt", "dd") and not node.contents:
        yield "- "
    elif name == "br":
        yield " "
    elif node.contents is not None:
        yield from _shown(node.contents.nodes)


def _template(node: nodes.Template) -> str:
    name = _name(str(node.name))
    if name.startswith("infobox"):
        rows = [[_flat(param.name).replace("_", " "), _flat(param.value)] for param in node.params if param.showkey]
        return _pipes([row for row in rows if row[1]], head=["", ""])
    if DATES.fullmatch(name):
        parts = [_flat(param.value) for param in node.params if not param.showkey]
        return "-".join(part.zfill(2) for part in parts[:3] if part.isdigit())
    return " ".join(_flat(node.get(place).value) for place in SHOWN.get(name, ()) if node.has(place))


def _table(node: nodes.Tag) -> str:
    """Return a table as pipes with its first row as header. A wide cell is in one column."""
    each = [_children(row, "td", "th") for row in (node, *_children(node, "tr"))]
    texts = ([_flat(cell.contents) for cell in cells] for cells in each)
    rows = [cells for cells in texts if any(cells)]
    return _pipes(rows[1:], head=rows[0]) if len(rows) > 1 else ""


def _children(node: nodes.Tag, *names: str) -> list[nodes.Tag]:
    inside = node.contents.nodes if node.contents is not None else []
    return [child for child in inside if isinstance(child, nodes.Tag) and _name(str(child.tag)) in names]


def _pipes(rows: list[list[str]], head: list[str]) -> str:
    if not rows:
        return ""
    width = max(len(row) for row in (*rows, head))
    table = [head, ["---"] * width, *rows]
    lines = ("| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in table)
    return "\n\n" + "\n".join(lines) + "\n\n"


def _flat(code: Wikicode | None) -> str:
    """Return the text of a piece on one line and without pipes."""
    text = "".join(_shown(code.nodes)) if code is not None else ""
    return " ".join(re.sub(r"'{2,}", "", text).replace("|", " ").split())


def _name(name: str) -> str:
    return " ".join(name.replace("_", " ").split()).lower()

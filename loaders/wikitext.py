"""Wikitext as Markdown: sections, text, tables and info boxes; mwparserfromhell reads, this says what stays."""

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
    """Return an article's text; what follows its last section of its own (references, links) is cut off."""
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
        rows = [[_flat(one.name).replace("_", " "), _flat(one.value)] for one in node.params if one.showkey]
        return _pipes([row for row in rows if row[1]], head=["", ""])
    if DATES.fullmatch(name):
        parts = [_flat(one.value) for one in node.params if not one.showkey]
        return "-".join(part.zfill(2) for part in parts[:3] if part.isdigit())
    return " ".join(_flat(node.get(place).value) for place in SHOWN.get(name, ()) if node.has(place))


def _table(node: nodes.Tag) -> str:
    """A table as pipes, its first row (which need not be marked as one) the head; a wide cell stands in one column."""
    each = [_children(row, "td", "th") for row in (node, *_children(node, "tr"))]
    said = ([_flat(cell.contents) for cell in cells] for cells in each)
    rows = [cells for cells in said if any(cells)]
    return _pipes(rows[1:], head=rows[0]) if len(rows) > 1 else ""


def _children(node: nodes.Tag, *names: str) -> list[nodes.Tag]:
    inside = node.contents.nodes if node.contents is not None else []
    return [one for one in inside if isinstance(one, nodes.Tag) and _name(str(one.tag)) in names]


def _pipes(rows: list[list[str]], head: list[str]) -> str:
    if not rows:
        return ""
    width = max(len(row) for row in (*rows, head))
    table = [head, ["---"] * width, *rows]
    lines = ("| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in table)
    return "\n\n" + "\n".join(lines) + "\n\n"


def _flat(code: Wikicode | None) -> str:
    """What a piece says, on one line and without pipes."""
    said = "".join(_shown(code.nodes)) if code is not None else ""
    return " ".join(re.sub(r"'{2,}", "", said).replace("|", " ").split())


def _name(name: str) -> str:
    return " ".join(name.replace("_", " ").split()).lower()

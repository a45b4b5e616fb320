"""Wikitext as Markdown: sections, text, tables and info boxes. mwparserfromhell parses it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import mwparserfromhell
from bs4 import Tag
from mwparserfromhell import nodes
from mwparserfromhell.nodes import Node
from mwparserfromhell.wikicode import Wikicode

from loaders.html import POWER
from loaders.shared.tables import pipe_table, read_table

LEFT_OUT = frozenset("ref references gallery math timeline score syntaxhighlight style script imagemap".split())
MEDIA = re.compile(r"(?i)\s*(?:file|image|category|media)\s*:")
DATES = re.compile(r"(?i)(?:(?:birth|death|start|end|film)[ _-]date\b.*|dts|as of)")
# Templates of text, by what they show: the places of their parameters.
SHOWN: dict[str, tuple[int, ...]] = {"nowrap": (1,), "small": (1,), "lang": (2,), "langx": (2,), "transl": (-1,)}
SHOWN |= {"ill": (1,), "abbr": (1,), "sort": (2,), "sortname": (1, 2), "marriage": (1,), "flag": (1,), "url": (1,)}
SHOWN |= {"transliteration": (2,)}
QUOTED = frozenset("blockquote quote cquote quotation".split())
LISTS = frozenset("plainlist flatlist columns-list".split())  # of lines that begin with "*"
ITEMS = frozenset(["ubl", "ublist", "unbulleted list", "hlist", "br separated entries"])
CONVERTED, RANGE = frozenset(["convert", "cvt"]), frozenset(["to", "-", "–", "and", "or", "by", "x", "+/-"])
SIGNS = {"snd": " – ", "spnd": " – ", "spaced ndash": " – ", "ndash": "–", "en dash": "–", "endash": "–", "nbsp": " "}
SIGNS |= {"mdash": "—", "em dash": "—", "emdash": "—", "mdashb": "—", "spaced mdash": " — ", "circa": "c.", "c.": "c."}
SIGNS |= {"'": "'", "'s": "'s", "=": "=", "·": " · ", "bullet": " · ", "break": " "}
# Templates that are no text of the article though they stand in a line: sources, notes, sounds, pictures, places.
UNSEEN = re.compile(
    r"(?:cit|sfn|harv|efn|fn|ref|rp$|r$|note|ipa|respell|audio|pron|listen|flag ?icon|coord|anchor|isbn|issn|oclc|doi|"
    r"main\b|see also|further|official|update|dead link|webarchive|age\b|increase|decrease).*"
)
MAGIC = frozenset("formatnum lc uc lcfirst ucfirst".split())  # of their argument's text
TAIL = re.compile(r"(?i)references|external links|notes|see also|further reading|bibliography")
NUMBER = re.compile(r"[-+−\d.,]+")
GONE = "\0"  # where a template was: a blank between two words
_HEADING = re.compile(r"(#+) (.*)")
_APART, _LEAD = re.compile(r"(?<=[^\W_])\0+(?=\w)"), re.compile(r"\s*\n\s*-\s+")
_SPACES, _LINES = re.compile(r"[ \t\u00a0]+"), re.compile(r"\n{3,}")


def markdown(wikitext: str) -> str:
    """Return an article's text without its sections of references and links."""
    code = mwparserfromhell.parse(wikitext.replace(GONE, " "), skip_style_tags=True)
    text = _clean("".join(_shown(_own(code.nodes))))
    lines = (_SPACES.sub(" ", line).strip() for line in text.splitlines())
    return _LINES.sub("\n\n", "\n".join(_sections(lines))).strip()


def _own(found: list[Node]) -> Iterator[Node]:
    """Yield the nodes of an article without lines of templates alone that are not known: they point elsewhere."""
    ends = [True] * (len(found) + 1)
    for at in reversed(range(len(found))):
        text = str(found[at]).lstrip(" \t")
        ends[at] = text.startswith("\n") or ((_unseen(found[at]) or not text) and ends[at + 1])
    begins = True
    for node, end in zip(found, ends[1:], strict=True):
        if not (isinstance(node, nodes.Template) and begins and end and not _known(node)):
            yield node
        text = str(node).rstrip(" \t")
        begins = isinstance(node, nodes.Heading) or text.endswith("\n") or ((_unseen(node) or not text) and begins)


def _unseen(node: Node) -> bool:
    return isinstance(node, nodes.Template | nodes.Comment)


def _known(node: nodes.Template) -> bool:
    name = _name(str(node.name))
    return name in QUOTED | LISTS | ITEMS | CONVERTED | SIGNS.keys() | SHOWN.keys() or name.startswith("infobox")


def _sections(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines that are in no section of references or links: it ends at the next heading of its level."""
    left_out = 0
    for line in lines:
        heading = _HEADING.fullmatch(line)
        if heading and (not left_out or len(heading[1]) <= left_out):
            left_out = len(heading[1]) if TAIL.fullmatch(heading[2]) else 0
        if not left_out:
            yield line


def _clean(text: str) -> str:
    """Return a text without marks of bold and italic and of templates that are gone."""
    return _APART.sub(" ", re.sub(r"'{2,}", "", text)).replace(GONE, "")


def _shown(found: Iterable[Node]) -> Iterator[str]:
    for node in found:
        if isinstance(node, nodes.Text):
            yield str(node.value)
        elif isinstance(node, nodes.Heading):
            words = (part for part in node.title.nodes if not isinstance(part, nodes.Template) or _known(part))
            yield f"\n\n{'#' * node.level} {' '.join(_clean(''.join(_shown(words))).split())}\n\n"
        elif isinstance(node, nodes.Wikilink):
            if not MEDIA.match(str(node.title)):
                yield "".join(_shown((node.text or node.title).nodes))
        elif isinstance(node, nodes.ExternalLink):
            yield "".join(_shown(node.title.nodes)) if node.title else ""
        elif isinstance(node, nodes.HTMLEntity):
            yield node.normalize() or ""
        elif isinstance(node, nodes.Template):
            yield _template(node) or GONE
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
        text = "".join(_shown(node.contents.nodes))
        yield f"^{text.strip()}" if name == "sup" and POWER.match(text) else text  # or it would end the number before


def _template(node: nodes.Template) -> str:
    """Return the text of a template, "" if it has none or is not known.

    Of one that is not known and has no named parameters the others are its text, but for numbers beside others, which
    are computed with.
    """
    written = " ".join(str(node.name).split())
    name = _name(written)
    if name.startswith("infobox"):
        rows = [[_flat(param.name).replace("_", " "), _flat(param.value)] for param in node.params if param.showkey]
        rows = [row for row in rows if row[1]]
        return f"\n\n{pipe_table([['', ''], *rows])}\n\n" if rows else ""
    if ":" in name:
        return _flat(node.name).partition(":")[2].strip() if name.partition(":")[0] in MAGIC else ""
    given = [param for param in node.params if str(param.name).strip().isdigit()]
    if name in LISTS:
        return _text(given[-1].value) if given else ""
    texts = [_flat(param.value) for param in given]
    if DATES.fullmatch(name):
        return ("As of " if name == "as of" else "") + _date(texts)
    if _known(node) and name not in CONVERTED | SIGNS.keys():
        return _known_text(node, name, texts)
    return _number(node, name, texts) or _words(written, texts, len(texts) == len(node.params))


def _known_text(node: nodes.Template, name: str, texts: list[str]) -> str:
    if name in QUOTED:
        return texts[0] if texts else _flat(node.get("text").value) if node.has("text") else ""
    places = SHOWN.get(name, ())
    shown = texts if name in ITEMS else [texts[at - (at > 0)] for at in places if texts and at <= len(texts)]
    return (", " if name in ITEMS else " ").join(filter(None, shown))


def _words(written: str, texts: list[str], plain: bool) -> str:
    """Return the text of a template of marks, money or words."""
    name, text = _name(written), " ".join(filter(None, texts))
    if name in SIGNS:
        return f"{SIGNS[name]} {text}" if text else SIGNS[name]
    if UNSEEN.match(name):
        return ""
    if re.fullmatch(r"[A-Z]{0,3}[$€£¥₹₩₽]", written):
        return written + texts[0] if texts else ""
    if re.fullmatch(r"[A-Z]{3}", written) and text[:1].isdigit():  # a currency's code
        return f"{written} {texts[0]}"
    return text if plain and not (len(texts) > 1 and any(map(NUMBER.fullmatch, texts))) else ""


def _number(node: nodes.Template, name: str, texts: list[str]) -> str:
    """Return the number that a template formats, "" if it formats none."""
    if name in CONVERTED:
        size = 2
        while size + 1 < len(texts) and (texts[size - 1] in RANGE or NUMBER.fullmatch(texts[size])):
            size += 2  # "5|to|10|km", "5|ft|10|in"
        return " ".join(texts[:size])
    if name in ("frac", "sfrac") and texts:
        return " ".join([*texts[:-2], "/".join(texts[-2:])])
    if name == "val" and texts:
        power, unit = (_flat(node.get(key).value) if node.has(key) else "" for key in ("e", "u"))
        return f"{texts[0]}{power and f'×10^{power}'} {unit}".strip()
    return ""


def _date(texts: list[str]) -> str:
    """Return the date of a template, "2031-03-14", or its words, "14 March 2031"."""
    parts = texts[:3]
    if parts and parts[0].isdigit():
        return "-".join(part.zfill(2) for part in parts if part.isdigit())
    return next((text for text in texts if text and not text.isdigit()), "")


def _table(node: nodes.Tag) -> str:
    """Return a table as one of a web page is written, or the texts of one that is made for its looks."""
    titles, table, shown = [_flat(one.contents) for one in _children(node, "caption")], Tag(name="table"), []
    for row in (node, *_children(node, "tr")):
        line = Tag(name="tr")
        for cell in _children(row, "td", "th"):
            shown.append(_text(cell.contents))
            text = _line(shown[-1])
            if cell.wiki_markup == "|" and (cell.has("+") or str(cell.contents).startswith("+")):
                titles.append(text.removeprefix("+").strip())
                shown.pop()
                continue
            spans = {name: str(cell.get(name).value) for name in ("colspan", "rowspan") if cell.has(name)}
            line.append(one := Tag(name=_name(str(cell.tag)), attrs=spans))
            one.string = text
        if line.contents:
            table.append(line)
    filled = [sum(1 for cell in row if cell.get_text()) for row in table.find_all("tr")]
    if sum(map(bool, filled)) > 1 and max(filled) > 1:
        found = read_table(table)
        parts = [*titles, *found.titles, pipe_table(found.rows)]
    else:
        parts = [*titles, *shown]
    return "\n\n".join(["", *filter(None, parts), ""])


def _children(node: nodes.Tag, *names: str) -> list[nodes.Tag]:
    inside = node.contents.nodes if node.contents is not None else []
    return [child for child in inside if isinstance(child, nodes.Tag) and _name(str(child.tag)) in names]


def _text(code: Wikicode | None) -> str:
    return "".join(_shown(code.nodes)) if code is not None else ""


def _flat(code: Wikicode | None) -> str:
    """Return the text of a piece on one line and without pipes."""
    return _line(_text(code))


def _line(text: str) -> str:
    """Return a text on one line and without pipes. A list's items are joined by commas."""
    text = _LEAD.sub(", ", _clean(text).strip().removeprefix("- "))
    return " ".join(text.replace("|", " ").split())


def _name(name: str) -> str:
    return " ".join(name.replace("_", " ").split()).lower()

"""Prompts, a Markdown file each: instructions, a line `---`, and a template for the values.

The first part becomes the system message and takes no value. In the second every value is marked as data. A printed
value (`{{ label }}`) is quoted as JSON on its line. A text is fenced (`{{ text | data("chunk 1") }}`) by a tag with the
text's own hash, which no text can contain. The same values give the same prompt to the last character.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from kgservice.core import keys
from kgservice.core.records import Record

RULE = "\n---\n"


class Prompt(Record):
    """A rendered prompt: the file's name, the system message and the user message."""

    name: str
    system: str
    user: str


class _Marked(str):
    """Text that is already marked as data."""

    __slots__ = ()


def prompt(name: str, **values: object) -> Prompt:
    """Return the prompt of a file with these values. Raises jinja2.UndefinedError if a value is missing."""
    system, user = _templates(name)
    return Prompt(name=name, system=system.render().strip(), user=user.render(values).strip())


def prompt_hashes(names: Collection[str]) -> dict[str, str]:
    """Return the hashes of prompts by name, so that answers to other prompts are never mixed in."""
    folder = files("kgservice.llm.prompts")
    return {name: keys.digest(12, (folder / f"{name}.md").read_text(encoding="utf-8")) for name in sorted(names)}


@cache
def _templates(name: str) -> tuple[Template, Template]:
    environment = _environment()
    source = environment.loader.get_source(environment, f"{name}.md")[0]  # type: ignore[union-attr]
    system, rule, user = source.partition(RULE)
    if not rule:
        raise ValueError(f"prompts/{name}.md has no line --- between what is fixed and what is asked about")
    return environment.from_string(system), environment.from_string(user)


@cache
def _environment() -> Environment:
    environment = Environment(  # noqa: S701 - what is made is no HTML; values are marked by `finalize`
        loader=PackageLoader("kgservice.llm", "prompts"),
        undefined=StrictUndefined,
        finalize=_quoted,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["data"] = _fenced
    return environment


def _quoted(value: object) -> object:
    """Return a text as a JSON string, so that its end is clear. Numbers and dates stay as they are."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) and type(value) is not _Marked else value


def _fenced(text: str, name: str) -> _Marked:
    mark = keys.digest(12, text)
    return _Marked(f'<data {mark} name="{name}">\n{text}\n</data {mark}>')

"""The page's files as they stand: nothing in them can turn a text into markup, and none asks another host."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "kgservice" / "web"
MODULES = sorted(WEB.rglob("*.js"))
# every way of the DOM from a text to markup or code
PARSES = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc|setHTML|"
    r"\beval\b|new Function|javascript:|localStorage|document\.cookie"
)
OUTSIDE = re.compile(r"https?://(?!www\.w3\.org/2000/svg)[\w.]+")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_module_parses_markup_or_knows_another_host(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not PARSES.findall(text)
    assert not OUTSIDE.findall(text)
    assert len(text.splitlines()) <= 300 or path.parent.name == "vendor"
    for name in re.findall(r"""from "(\.[^"]+)\"""", text):
        assert (path.parent / name).resolve() in MODULES


def test_the_document_has_nothing_inline() -> None:
    text = (WEB / "index.html").read_text(encoding="utf-8")
    assert not re.findall(r"<style|\sstyle=|\son\w+=", text)
    assert re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL) == [""]
    wanted = re.findall(r"""(?:src|href)="([^"#][^"]*)\"""", text)
    assert {name for name in wanted if name != "../docs"} <= {path.name for path in WEB.iterdir()}
    assert not OUTSIDE.findall("".join(path.read_text(encoding="utf-8") for path in WEB.glob("*.css")) + text)

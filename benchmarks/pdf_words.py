"""The share of pdftotext's words that reach chunks, of PDFs that six producers make of news, articles and e-mails.

Each producer makes four layouts of texts drawn by seed: plain; two columns; headers and numbers on every page; small
print with long words hyphenated. Needs pdflatex, xelatex, soffice, chromium, weasyprint, groff, ps2pdf and pdftotext.
"""

from __future__ import annotations

import argparse
import gzip
import html
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path[:0] = [str(Path(__file__).parent.parent)]  # kgservice from this checkout

from kgservice.core.records import Document
from kgservice.text.chunking import chunks
from loaders.pdf import PdfLoader

DATA = Path(os.environ.get("KGS_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
TOOLS = ("pdflatex", "xelatex", "soffice", "chromium", "weasyprint", "groff", "ps2pdf", "pdftotext")
HEADER = "Harbour Works Quarterly"  # of the layout with headers; a running line is left out by design
WORDS = 2_500  # of one PDF
PLAIN = re.compile(r"[A-Za-z0-9 .,;:!?'\"()%$/&*+=@#é è ü ö ä ß ñ ç –—’‘“”-]+")


class Layout(NamedTuple):
    """What is the same for all producers."""

    name: str
    columns: int = 1
    headers: bool = False
    points: int = 11
    justified: bool = True


LAYOUTS = (
    Layout("plain", justified=False),
    Layout("columns", columns=2, points=10),
    Layout("headers", headers=True),
    Layout("small", points=8),
)


def main() -> None:
    """Make the PDFs in a temporary folder, read them both ways, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="a folder for the PDFs, to look at them")
    options = parser.parse_args()
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        print(json.dumps({"skip": f"not installed: {', '.join(missing)}"}))
        return
    if not DATA.exists():
        print(json.dumps({"skip": f"no data at {DATA}; set KGS_TEST_DATA"}))
        return
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-") as folder:
        place = options.keep or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        made = list(_made(place, _paragraphs(DATA), random.Random(options.seed)))
        print(json.dumps(_measured(made)))


def _measured(made: list[tuple[str, Layout, Path]]) -> dict[str, object]:
    shares: dict[str, float] = {}
    all_kept = all_given = 0
    missing: Counter[str] = Counter()
    for producer, layout, path in made:
        given, read = _counted(_pdftotext(path)), _counted(_chunks(path))
        if layout.headers:
            pages = _pdftotext(path).count("\f")
            given -= Counter(dict.fromkeys(HEADER.split(), pages)) + Counter(str(page + 1) for page in range(pages))
        lost = given - read
        kept = given.total() - lost.total()
        shares[f"{producer} {layout.name}"] = round(kept / given.total(), 4)
        all_kept, all_given = all_kept + kept, all_given + given.total()
        missing += lost
    return {
        "documents": len(made),
        "words": all_given,
        "share": round(all_kept / all_given, 5),
        "least": min(shares.values()),
        "shares": shares,
        "most_missing": dict(missing.most_common(40)),
    }


def _pdftotext(path: Path) -> str:
    return _run(["pdftotext", "-enc", "UTF-8", str(path), "-"], path.parent).decode()


def _chunks(path: Path) -> str:
    (document,) = PdfLoader(path).read()
    assert isinstance(document, Document), document
    return "\n\n".join(chunk.text for chunk in chunks(document, "rare"))


def _counted(text: str) -> Counter[str]:
    whole = re.sub(r"(?<=\w)[-\u2010\xad]\n(?=[a-z])", "", unicodedata.normalize("NFKC", text))
    return Counter(re.findall(r"\w+", whole))


def _paragraphs(data: Path) -> list[str]:
    """Paragraphs of news, of Wikipedia and of e-mails and reviews, without signs that not every font has."""
    news = _lines(data / "multihop-rag/passages_partial.jsonl.gz")
    articles = _lines(data / "hipporag/hotpotqa_train100_corpus.jsonl.gz")
    texts = [item["text"] for item in news] + ["".join(item["sentences"]) for item in articles]
    trees = gzip.decompress((data / "ud-ewt/en_ewt-ud-dev.conllu.gz").read_bytes()).decode()
    texts += [" ".join(part) for part in _grouped(re.findall(r"# text = (.*)", trees), 5)]
    own = (paragraph.strip() for text in texts for paragraph in text.split("\n"))
    return [paragraph for paragraph in own if len(paragraph.split()) > 20 and PLAIN.fullmatch(paragraph)]


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def _grouped(lines: list[str], size: int) -> Iterator[list[str]]:
    yield from (lines[at : at + size] for at in range(0, len(lines), size))


def _made(place: Path, paragraphs: list[str], rng: random.Random) -> Iterator[tuple[str, Layout, Path]]:
    for producer, make in PRODUCERS.items():
        for layout in LAYOUTS:
            rng.shuffle(paragraphs)
            words, upto = 0, 0
            while words < WORDS:
                words, upto = words + len(paragraphs[upto].split()), upto + 1
            stem = place / f"{producer}-{layout.name}"
            make(stem, layout, paragraphs[:upto])
            yield producer, layout, stem.with_suffix(".pdf")


def _run(command: list[str], folder: Path, given: bytes | None = None) -> bytes:
    done = subprocess.run(command, cwd=folder, input=given, capture_output=True, timeout=300, check=False)
    if done.returncode:
        raise SystemExit(f"{command[0]}: {done.stdout.decode(errors='replace')[-800:]}{done.stderr.decode()[-800:]}")
    return done.stdout


def _tex(engine: str, fonts: str) -> Callable[[Path, Layout, list[str]], None]:
    def make(stem: Path, layout: Layout, paragraphs: list[str]) -> None:
        columns = ",twocolumn" if layout.columns > 1 else ""
        head = (
            rf"\usepackage{{fancyhdr}}\pagestyle{{fancy}}\fancyhf{{}}\fancyhead[L]{{{HEADER}}}\fancyfoot[C]{{\thepage}}"
        )
        loose = "" if layout.justified else r"\raggedright"
        size = "" if layout.points != 8 else r"\scriptsize"
        signs = str.maketrans({sign: f"\\{sign}" for sign in "%$&#"})
        body = "\n\n".join(re.sub(r'"(\w)', r"``\1", text.translate(signs)).replace('"', "''") for text in paragraphs)
        stem.with_suffix(".tex").write_text(
            rf"\documentclass[{max(layout.points, 10)}pt{columns}]{{article}}{fonts}"
            rf"{head if layout.headers else chr(92) + 'pagestyle{empty}'}\begin{{document}}{loose}{size} {body}"
            "\n\n\\end{document}\n"
        )
        _run([engine, "-interaction=nonstopmode", "-halt-on-error", stem.name + ".tex"], stem.parent)

    return make


def _page(layout: Layout, paragraphs: list[str]) -> str:
    head = f'@top-left {{ content: "{HEADER}" }} @bottom-center {{ content: counter(page) }}' if layout.headers else ""
    align = "justify; hyphens: auto" if layout.justified else "left"
    style = (
        f"@page {{ size: A4; margin: 25mm; {head} }} "
        f"body {{ font-size: {layout.points}pt; columns: {layout.columns}; text-align: {align} }}"
    )
    body = "\n".join(f"<p>{html.escape(text)}</p>" for text in paragraphs)
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><style>{style}</style><body>{body}</body></html>'


def _weasyprint(stem: Path, layout: Layout, paragraphs: list[str]) -> None:
    stem.with_suffix(".html").write_text(_page(layout, paragraphs))
    _run(["weasyprint", stem.name + ".html", stem.name + ".pdf"], stem.parent)


def _chromium(stem: Path, layout: Layout, paragraphs: list[str]) -> None:
    stem.with_suffix(".html").write_text(_page(layout, paragraphs))
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--print-to-pdf={stem}.pdf"]
    _run(["chromium", *options, f"{stem.resolve()}.html"], stem.parent)


def _soffice(stem: Path, layout: Layout, paragraphs: list[str]) -> None:
    """Make a Rich Text file, which word processors read alike, and print it."""
    head = rf"{{\header\pard {HEADER} \chpgn\par}}" if layout.headers else ""
    style = rf"\cols{layout.columns}\colsx400\hyphauto1{head}\pard\q{'j' if layout.justified else 'l'}\sa120"
    body = "".join(f"{''.join(map(_rich, text))}\\par\n" for text in paragraphs)
    fonts = r"{\fonttbl{\f0 Times New Roman;}}"
    stem.with_suffix(".rtf").write_text(rf"{{\rtf1\ansi\deff0{fonts}{style}\lang1033\fs{2 * layout.points} {body}}}")
    profile = f"-env:UserInstallation=file://{stem.parent.resolve()}/profile"
    _run(["soffice", profile, "--headless", "--convert-to", "pdf", stem.name + ".rtf"], stem.parent)


def _rich(sign: str) -> str:
    return sign if sign.isascii() else f"\\u{ord(sign)}?"


def _groff(stem: Path, layout: Layout, paragraphs: list[str]) -> None:
    head = f".ds LH {HEADER}\n.ds CH\n.ds RH\n.ds CF %\n" if layout.headers else ".ds CH\n.ds CF\n"
    loose = "" if layout.justified else ".na\n"
    lines = [re.sub(r"(?m)^([.'])", r"\\&\1", text.replace("\\", "\\e")) for text in paragraphs]
    body = "".join(f".LP\n{loose}{text}\n" for text in lines)
    columns = ".2C\n" if layout.columns > 1 else ""
    source = f".nr PS {layout.points}\n.nr VS {layout.points + 2}\n{head}.LP\n{columns}{body}"
    printed = _run(["groff", "-k", "-ms", "-Tps"], stem.parent, source.encode())
    _run(["ps2pdf", "-", stem.name + ".pdf"], stem.parent, printed)


PRODUCERS: dict[str, Callable[[Path, Layout, list[str]], None]] = {
    "pdflatex": _tex("pdflatex", r"\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\usepackage{textcomp,lmodern}"),
    "xelatex": _tex("xelatex", r"\usepackage{fontspec}"),
    "libreoffice": _soffice,
    "chromium": _chromium,
    "weasyprint": _weasyprint,
    "groff": _groff,
}

if __name__ == "__main__":
    main()

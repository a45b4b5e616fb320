"""Small documents for tests, made from arcs "subject relation object"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path

from kgservice.cli.tour import BASE
from kgservice.core.journal import Journal
from kgservice.core.records import Document, Problem, Term, Triplet
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import LoadReport
from kgservice.ingest.pipeline import Recipe, load
from kgservice.ingest.sources import read
from kgservice.questions.selection import Plan, generate

DEMO = Path(str(files("kgservice.demo")))
Arc = tuple[str, str, str]


def document(source: str, *paragraphs: Iterable[Arc], type_: str | None = None, **known: object) -> Document:
    """Return a document with a section a group of arcs, so that each group is a chunk of its own.

    `type_` is the class that it gives its subjects.
    """
    filler = " ".join(["and so the report goes on at some length"] * 36)
    sections = [
        f"## Part {index}\n\n{' '.join(f'{s} {r} {o}.' for s, r, o in arcs)} {filler}."
        for index, arcs in enumerate(paragraphs)
    ]
    triplets = tuple(
        Triplet(subject=Term(label=s, type=type_), relation=r, object=Term(label=o), sentence=f"{s} {r} {o}.")
        for arcs in paragraphs
        for s, r, o in arcs
    )
    return Document(source=source, text="\n\n".join(sections), triplets=triplets, **known)  # type: ignore[arg-type]


INSPECTED = [  # (wind park, turbine, year) of a report of gearbox wear
    ("W03", "Alma", 2027), ("W03", "Alma", 2029), ("W03", "Alma", 2030), ("W03", "Boro", 2030), ("W03", "Alma", 2031),
    ("W04", "Cora", 2029), ("W04", "Dita", 2030), ("W04", "Cora", 2030), ("W04", "Cora", 2031),
]  # fmt: skip


def inspections() -> list[Document]:
    """Return a report for each of INSPECTED (PluriHop, table 1: which turbine has the most gearbox-wear reports?)."""
    return [
        document(f"{turbine} {year}", [(turbine, "defect", "Gearbox Wear")], doc_type="inspection",
                 title=f"{turbine}: inspection of {year}", metadata={"park": park, "year": year})
        for park, turbine, year in INSPECTED
    ]  # fmt: skip


def outputs() -> list[Document]:
    """Return a report for each of three years of one turbine's output, and one of a year before."""
    return [
        document(f"output {year}", [("Alma", "output", value)], doc_type="yield", metadata={"year": year})
        for year, value in ((2027, "4 t"), (2029, "3 t"), (2030, "7 t"), (2031, "6 t"))
    ]


def report(source: str, *rows: str) -> Document:
    """Return a company's report that is a table, two years wide; of rows such as "| Sales | $5 | $4 |"."""
    table = ["| | 2031 | 2030 |", "|---|---|---|", *(rows or ("| Sales | $5 | $4 |", "| Costs | $3 | $5 |"))]
    known = {"company": "Acme", "fiscal_year": 2031, "period": "2031-06-30"}
    return Document(source=source, text="\n".join(table), metadata=known)


class Silent(Journal):
    """A journal that keeps its problems in memory."""

    def __init__(self) -> None:
        self._problems: list[tuple[str, Problem]] = []

    def problem(self, problem: Problem, *, item: str = "document") -> None:
        self._problems.append((item, problem))

    def problems(self, item: str) -> Iterator[Problem]:
        return (problem for kind, problem in self._problems if kind == item)

    def finish(self, report: object) -> None: ...


def loaded(graph: Graph, corpus: str, documents: Iterable[Document | Problem], **recipe: object) -> LoadReport:
    """Load without vectors and return the report."""
    return load(graph, documents, corpus, Recipe(**recipe), None, Silent())  # type: ignore[arg-type]


def asked(graph: Graph, corpus: str) -> str:
    """Load the demo corpus and ask."""
    loaded(graph, corpus, read("triplets", [DEMO / f"{name}.jsonl" for name in BASE]))
    generate(graph, corpus, Plan())
    return corpus

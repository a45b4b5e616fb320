"""Words a question about all documents of one type and one value of their metadata (pluri-hop) without a model."""

from __future__ import annotations

from kgservice.model import Subgraph


def worded(row: Subgraph) -> str:
    """Return the question: "Going by all documents of type report with year 2030, which company has the largest …?"."""
    doc_type, name, value = (part.replace("_", " ") for part in row.named)
    facts = row.readings[0].facts
    kinds = {fact.subject_type for fact in facts}
    kind = kinds.pop() if len(kinds) == 1 else None
    relation = facts[0].relation.replace("_", " ")
    asked = {
        "list": f"what is stated as “{relation}” of each {kind or 'subject'}",
        "count": f"of how many different {_plural(kind or 'subject')} is “{relation}” stated",
        "min": f"which {kind or 'subject'} has the smallest value of “{relation}”",
        "max": f"which {kind or 'subject'} has the largest value of “{relation}”",
    }[row.asked]
    scope = f"published in {value}" if name == "published" else f"with {name} {value}"
    return f"Going by all documents of type {doc_type} {scope}, {asked}?"


def _plural(noun: str) -> str:
    return noun[:-1] + "ies" if noun.endswith("y") else f"{noun}s"

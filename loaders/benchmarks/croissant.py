"""Croissant: a data set described by JSON-LD, with its files beside it. Needs the extra kgservice[croissant].

Nothing is downloaded: a file that is described by an address is refused.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from typing import Any, ClassVar

from loaders.shared.fields import Json, Refused, folded
from loaders.shared.files import File
from loaders.shared.row_loader import QUESTION, TEXT, NeedsLibrary, RowLoader


class CroissantLoader(RowLoader):
    """Reads croissant.json: a document a record of the record sets that hold texts, else of those with questions."""

    suffixes: ClassVar[tuple[str, ...]] = ("croissant.json",)

    def rows(self, file: File) -> Iterator[Json]:
        """Yield the records of the chosen record sets, with columns called as in the data."""
        described = json.loads(file.path.read_bytes())
        if not isinstance(described, dict) or not isinstance(described.get("recordSet"), list):
            raise Refused("not Croissant", 'the file has no "recordSet": give the croissant.json of a data set')
        _check_local(described)
        mlcroissant = _mlcroissant()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = mlcroissant.Dataset(jsonld=str(file.path))
            except (AssertionError, AttributeError, mlcroissant.ValidationError) as error:
                raise Refused("not Croissant", f"`mlcroissant validate` says: {folded(str(error))[:200]}") from None
            for name in _chosen(found.metadata.record_sets):
                for record in found.records(name):
                    yield {str(key).rpartition("/")[2]: value for key, value in record.items()}


def _check_local(value: object, *, terms: bool = False) -> None:
    """Refuse what mlcroissant or rdflib would fetch from elsewhere, or unpack; `terms`: within a context."""
    for name, part in value.items() if isinstance(value, dict) else ():
        said = part if isinstance(part, str) else ""
        if name == "contentUrl" and not terms and (":" in said or said.startswith(("/", "..")) or "/.." in said):
            raise Refused("file elsewhere", f"{said[:120]}: download the data set, its files beside croissant.json")
        leads = name == "@import" or (name == "@context" and not isinstance(part, dict))
        if leads or (name == "containedIn" and not terms):
            raise Refused("file elsewhere", f'"{name}" leads to {str(part)[:120]}: write it out, or unpack it')
        _check_local(part, terms=terms or name == "@context")
    for part in value if isinstance(value, list) else ():
        _check_local(part, terms=terms)


def _chosen(sets: Any) -> list[str]:
    """Return the record sets to read: those with texts of their own before those that join them to questions."""
    columns = {one.id: {str(field.id).rpartition("/")[2] for field in one.fields} for one in sets}
    texts = [name for name, known in columns.items() if known & set(TEXT)]
    apart = [name for name in texts if not columns[name] & set(QUESTION)]
    chosen = apart or texts or [name for name, known in columns.items() if known & set(QUESTION)]
    if not chosen:
        raise Refused("no text", f"no record set has a field called {', '.join(TEXT + QUESTION)}")
    return chosen


def _mlcroissant() -> Any:
    try:
        import mlcroissant
    except ImportError as error:
        raise NeedsLibrary("Croissant", "mlcroissant") from error
    return mlcroissant

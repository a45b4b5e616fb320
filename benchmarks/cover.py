"""Facts from the words of covers and audit reports of real 10-K filings, compared with their inline XBRL.

The reading gets no tags: state, city, exchanges and ticker symbol of the cover, auditor and its office. A fact is right
if a tag of its kind has its object. A tag is found if a fact has it.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent)]  # kgservice from this checkout

from kgservice.core.records import Document
from loaders.html import HtmlPage, parsed_page
from loaders.sec.facts import EXCHANGES, STATES, cover_triplets
from loaders.sec.filings_10k import Filing10kLoader
from loaders.shared.fields import folded
from loaders.shared.files import File, read_bytes

DATA = Path(os.environ.get("KGS_TEST_DATA", Path(__file__).parents[2] / "shared" / "data")) / "sec-10k"
KINDS = {
    "is incorporated in": "EntityIncorporationStateCountryCode",
    "is headquartered in": "EntityAddressCityOrTown",
    "is listed on": "SecurityExchangeName",
    "ticker symbol": "TradingSymbol",
    "is audited by": "AuditorName",
    "has an office in": "AuditorLocation",
}


def main() -> None:
    """Read every filing without its tags, and print precision and recall."""
    if not DATA.exists():
        print(json.dumps({"skip": f"no filings at {DATA}; set KGS_TEST_DATA"}))
        return
    paths = sorted(DATA.glob("*.html.gz"))
    counts = Counter[str]()
    for path in paths:
        (filing,) = Filing10kLoader(path).read()
        data = read_bytes(File(path, path.name))
        assert isinstance(filing, Document)
        assert isinstance(data, bytes)
        _compare(filing, parsed_page(data), counts)
    result = {"filings": len(paths), "stated": counts["stated"], "tagged": counts["tagged"]}
    result |= {"missed": {kind: counts[f"missed {kind}"] for kind in KINDS if counts[f"missed {kind}"]}}
    precision, recall = counts["right"] / counts["stated"], counts["found"] / counts["tagged"]
    print(json.dumps({**result, "precision": round(precision, 3), "recall": round(recall, 3)}))


def _compare(filing: Document, page: HtmlPage, counts: Counter[str]) -> None:
    facts = cover_triplets(filing.text, filing.metadata, {})
    for relation, name in KINDS.items():
        tags = page.find_all(attrs={"name": f"dei:{name}"})
        tagged = {_called(folded(tag.get_text()), relation) for tag in tags}
        if relation == "ticker symbol":  # of notes, too: the share's alone is a fact
            tagged &= {_called(str(filing.metadata["ticker"]), relation)}
        stated = {_called(fact.object.label, relation) for fact in facts if fact.relation == relation}
        counts.update({"stated": len(stated), "right": len(stated & tagged)})
        counts.update(
            {"tagged": len(tagged), "found": len(tagged & stated), f"missed {relation}": len(tagged - stated)}
        )


def _called(value: str, relation: str) -> str:
    """Return a value in a fact's form: without a final comma, an exchange's single name, an office's city."""
    value = value.strip(" ,")
    if relation == "is listed on":
        value = next((name for name, pattern in EXCHANGES.items() if pattern.search(value)), value)
    if relation == "has an office in":
        value = value.partition(",")[0]
    return STATES.get(value, value).lower()


if __name__ == "__main__":
    main()

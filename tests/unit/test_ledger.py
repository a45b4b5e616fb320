"""What a run's calls cost, read back from its ledger."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kgservice.core.errors import BadRequest
from kgservice.core.price import Price
from kgservice.llm.client import LLM
from kgservice.llm.ledger import spent_by
from tests.llm_server import LLMServer
from tests.unit.test_llm import answers_of, ask, capital_or, client

__all__ = ("client",)


def test_a_ledger_is_summed_by_document_and_prompt(client: Callable[..., LLM], tmp_path: Path) -> None:
    answer = capital_or(lambda said: "no number" if said == "c" or "cannot be used" in said else {"value": 5})
    with LLMServer(answer) as server:
        llm = client(server, price=Price(input=1.0, output=10.0))
        answers_of(llm, *(ask(name)._replace(document=name * 2) for name in "abc"), ask("d"))
        answers_of(again := client(server, price=Price(input=1.0, output=10.0)), ask("a")._replace(document="aa"))
    by_document = spent_by(llm.ledger.path, "document")
    assert set(by_document) == {"aa", "bb", "cc", "(no document)"}
    assert (by_document["aa"].calls, by_document["aa"].kept, by_document["aa"].failed) == (1, 1, {})
    assert (by_document["cc"].calls, by_document["cc"].failed) == (2, {"not JSON": 1})
    costs = [sums.usd or 0 for sums in by_document.values()]
    assert costs == sorted(costs, reverse=True), "the most expensive one comes first"
    stages, listed = llm.spending().stages, spent_by(llm.ledger.path, "stage")
    assert listed["count"].calls == stages["count"].calls
    assert listed["count"].usd == pytest.approx(stages["count"].usd)
    assert again.spending().stages["count"].kept == 1
    (tmp_path / "other.jsonl").write_text("{}\n")
    for path in (tmp_path / "none.jsonl", tmp_path / "other.jsonl"):
        with pytest.raises(BadRequest, match="no ledger of calls"):
            spent_by(path, "stage")

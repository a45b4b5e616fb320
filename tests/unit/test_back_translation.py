"""Passages that a model translates there and back, and what becomes of those that it fails at."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from kgservice.core.errors import LLMFailure
from kgservice.evaluation.rare.back_translation import back_translated
from kgservice.evaluation.rare.passages import PassagePerturber
from kgservice.graph.contexts import Context
from kgservice.llm.client import LLM
from tests.llm_server import KEY, LLMServer, filled
from tests.unit.test_passages import question
from tests.unit.test_perturb import Letters

STATED = "Tolvane Motors was founded by Irena Kost."
FAILS = "The model fails at this one, on its way back."
BACK = {"Tolvane Motors fut fondée par Irena Kost.": "Irena Kost was the founder of Tolvane Motors."}


def translated(request: dict[str, Any]) -> Any:
    said = request["messages"][1]["content"]
    found = re.search(r'name="text">\n(.*?)\n</data', said, re.DOTALL)
    if found is None:  # how the endpoint is tried out
        return filled(request)
    if "French" in said:
        return {"text": next(iter(BACK)) if found[1] == STATED else found[1] if found[1] == FAILS else " "}
    return {"text": BACK[found[1]]} if "fails" not in found[1] else "no form"


def test_texts_come_back_in_other_words_or_not_at_all(tmp_path: Path) -> None:
    async def run(url: str) -> dict[str, str | LLMFailure]:
        files = {"answers": tmp_path / "answers.sqlite", "ledger": tmp_path / "calls.jsonl"}
        async with LLM(url, SecretStr(KEY), "test-model", **files) as llm:
            return await back_translated(llm, [STATED, "The harbour was widened.", FAILS])

    with LLMServer(translated) as server:
        back = asyncio.run(run(server.url))
    failed = back.pop(FAILS)
    assert back == {STATED: BACK[next(iter(BACK))]}
    assert isinstance(failed, LLMFailure) and failed.reason == "not JSON"


def test_what_came_back_is_checked_for_the_answer() -> None:
    def reworded(back: dict[str, str | LLMFailure]) -> tuple[list[tuple[str, ...]], list[str]]:
        gold = [Context(chunk="c0", title="", about=(), text=STATED, domain="news")]
        made, problems = PassagePerturber(Letters()).variants(question("Irena Kost", STATED), gold, back)
        return [one.texts for one in made if one.kind == "reworded"], [one.reason for one in problems]

    assert reworded({STATED: "Irena Kost was its founder."})[0] == [("Irena Kost was its founder.",)]
    assert reworded({STATED: "Its founder keeps bees."}) == ([], [
        "reworded passages lost the answer", "nothing is left without the answer"
    ])  # fmt: skip
    assert reworded({})[1][0] == "passages were not translated", "nothing stands in for what was not translated"
    assert reworded({STATED: LLMFailure("budget reached")})[1][0] == "translator: budget reached"

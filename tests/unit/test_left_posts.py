"""Which sentences tell that somebody left a post."""

from __future__ import annotations

import pytest

from kgservice.text.left_posts import tells_of_leaving


@pytest.mark.parametrize(
    "sentence",
    [
        "Lanex lost its chief executive Bo Lind in 2020.",
        "Bo Lind was elected mayor of Tessaly in 2014 and was replaced by Clara Nunn in 2018.",
        "Bo Lind became president of the university in 2001 and was later succeeded by Ida Pohl.",
        "Acme fired its long-time chairman Bo Lind.",
        "Clara Nunn replaced Bo Lind as mayor of Tessaly.",
        "Acme's chairman Bo Lind resigned in 2020.",
        "Bo Lind, who stepped down as chief executive of Acme in 2019, lives in Lun.",
        "Acme parted ways with chairman Bo Lind.",
        "Bo Lind, the chairman of Acme, was ousted.",
    ],
)
def test_a_holder_left_a_post(sentence: str) -> None:
    assert tells_of_leaving(sentence, "Bo Lind")


@pytest.mark.parametrize(
    "sentence",
    [
        "Yusuf Haddan was elected mayor of Tessaly in 2014 and was replaced by Bo Lind in 2018.",
        "Bo Lind became chairman of Acme after Ada Orr resigned.",
        "Bo Lind succeeded Ida Pohl, who retired in 2003, as president.",
        "Bo Lind retired from the army in 2001 and became chairman of Acme.",
        "Bo Lind resigned as mayor to become chairman of Acme.",
        "Bo Lind is the chairman of Acme.",
        "Acme lost 5 million in 2020, said its chairman Bo Lind.",
        "Acme replaced its logo and its chairman Bo Lind was glad.",
        "Bo Lind was elected mayor in 2016 and was re-elected in 2020.",
        "Bo Lind was removed to Lun, of which he is mayor.",
        "Ada Orr is mayor of Lun.",
    ],
)
def test_a_holder_holds_a_post(sentence: str) -> None:
    assert not tells_of_leaving(sentence, "Bo Lind")

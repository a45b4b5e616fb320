"""The ends of a model's triplet have to be in the text that it was shown."""

from __future__ import annotations

import pytest

from kgservice.core.records import Term
from kgservice.extraction.grounding import cleaned, is_grounded
from kgservice.text.values import typed

AROUND = ("Aurelian Robotics opened in 2029. Its chair is Maren Oduya.", "Annual report of Aurelian Robotics, 2031")


def grounded(label: str, sentence: str, class_: str | None = None) -> bool:
    return is_grounded(typed(Term(label=label)).model_copy(update={"type": class_}), sentence, AROUND)


@pytest.mark.parametrize(
    ("label", "sentence", "class_"),
    [
        ("Lake Ana", "Town Ana lies near Lake Ana.", None),
        ("Bank of Norway", "Norway's Bank raised its rate.", None),
        ("Germany", "The Germans left.", None),
        ("Netherlands", "The Dutch left.", None),
        ("Obama", "The Obamas left.", None),
        ("Orr County", "It lies between Lunsk and Orr counties.", None),
        ("University of Oslo", "She taught at the universities of Oslo and Bergen.", None),
        ("Ministry of Finance", "She led the ministries of Finance and Defence.", None),
        ("Buddhism", "Ada Orr is a Buddhist.", None),
        ("Catholicism", "Ada Orr is a Catholic.", None),
        ("California", "Californian farmers left.", None),
        ("Paris", "A Parisian left.", None),
        ("Engineer", "She worked in engineering.", None),
        ("Singer", "She sings jazz.", None),
        ("Novelist", "She wrote novels.", None),
        ("684.2 million USD", "Sales were $684.2 million USD.", None),
        ("March 2031", "It was founded in March.", None),
        ("Aurelian Robotics", "It sells robots.", "company"),
        ("Aurelian Robotics", "Aurelian sells robots.", "company"),
        ("Aurelian Robotics", "AR sells robots.", "company"),
        ("Aurelian Robotics", "Last year the company sold robots.", "company"),
        ("Москва", "В Москве открыли музей.", None),
        ("北京", "北京是中国的首都。", None),
        ("2031年", "東京タワーは2031年に開業した。", None),
        ("サン・テレビ", "ｻﾝ・ﾃﾚﾋﾞは神戸にある。", None),
        ("서울", "서울은 수도이다.", None),
        ("กรุงเทพ", "กรุงเทพเป็นเมืองหลวง", None),
        ("684.2 million USD", "Revenue was $684.2 million.", None),
        ("5 million EUR", "It cost €5 million.", None),
        ("€5 million", "It cost 5 million EUR in all.", None),
        ("12 percent", "Sales rose 12% again.", None),
        ("-3 %", "Sales changed by (3)%.", None),
        ("31 March 2031", "It was founded on 2031-03-31.", None),
    ],
)
def test_ends_that_the_text_holds(label: str, sentence: str, class_: str | None) -> None:
    assert grounded(label, sentence, class_)


@pytest.mark.parametrize(
    ("label", "sentence", "class_"),
    [
        ("Zenith Bank", "Town Ana lies near Lake Ana.", None),
        ("Zenith Bank", "It sells robots.", "company"),
        ("Aurelian Robotics", "Town Ana lies near Lake Ana.", "company"),
        ("Aurelian Robotics", "The town lies near Lake Ana.", "company"),
        ("694.2 million USD", "Sales were $684.2 million USD.", None),
        ("2029", "It was founded in March.", None),
        ("Bern", "Bernhardine left.", None),
        ("Austria", "Australia won the match.", None),
        ("Niger", "Nigeria won the match.", None),
        ("Christian Lind", "Christina Lind left.", None),
        ("Bo Johnson", "Bo Johnston left.", None),
        ("Jane Lind", "Jan Lind left.", None),
        ("Julia Lind", "Julian Lind left.", None),
        ("Will Lind", "William Lind left.", None),
        ("Niger", "Nigerians won the match.", None),
        ("上海", "北京是中国的首都。", None),
        ("5年", "東京タワーは15年に開業した。", None),
        ("5 million EUR", "It cost $5 million.", None),
        ("5 million EUR", "It cost 5 million.", None),
        ("12 percent", "Sales rose by 12 million.", None),
        ("12 percent", "It has 12 ships.", None),
        ("30 March 2031", "It was founded on 2031-03-31.", None),
    ],
)
def test_ends_that_are_invented(label: str, sentence: str, class_: str | None) -> None:
    assert not grounded(label, sentence, class_)


def test_marks_that_nobody_sees_go() -> None:
    assert cleaned(" Acme\u200b \u202eInc\u202c.\x00\n") == "Acme Inc."
    assert cleaned("\u2066\ufeff") == ""
    assert cleaned("می\u200cخواهم") == "می\u200cخواهم", "a joiner is part of Persian spelling"

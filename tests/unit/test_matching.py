"""String match: what is the same, and what only looks so."""

import pytest

from kgservice.text.matching import answered, match, matches, normalised


def test_normal_form() -> None:
    assert normalised("  The “Acme-Werke”, Ltd. ") == "acme werke ltd"
    assert normalised("Acme's plant") == "acme plant"


@pytest.mark.parametrize(
    ("prediction", "answer", "how"),
    [
        ("`--jobs`", "pg_dump --jobs", "exact"), ("Use --jobs=4.", "pg_dump --jobs", "inclusive"),
        ("--jobs-max", "pg_dump --jobs", ""), ("its jobs", "pg_dump --jobs", ""),
        ("apple inc", "Apple Inc.", "exact"), ("Apple Inc.", "Apple", "inclusive"), ("Pineapple", "Apple", ""),
        ("The company's revenue was $50 million in 2023", "$50 million", "number"),
        ("120,000,000", "120000000", "number"), ("120 million", "120,000,000", "number"),
        ("120 billion", "120,000,000", ""), ("It was founded in 2015", "15", ""), ("5 billion USD", "5 million USD", ""),
        ("about 1.2 billion dollars", "1,200 million USD", "number"), ("5 million EUR", "5 million USD", ""),
        ("5.2 %", "5.2 percent", "number"), ("5.2 percent of GDP", "5.2 %", "number"), ("-3.1 %", "3.1 %", ""),
        ("She was born on May 1, 1990.", "1 May 1990", "date"), ("In 1990", "1 May 1990", ""),
        ("the answer is 42", "42", "number"), ("no such info", "Lun", ""), ("I don't know; perhaps Lun", "Lun", ""),
        ("", "Lun", ""), ("8,250 homes", "8,250", "number"), ("8,250 people", "8,250 homes", ""),
        ("In 2015 there were 90", "90", "number"), ("Born on 12 March 1931.", "1931", "date"),
        ("12 March 1931", "March 1931", "date"), ("1931", "March 1931", ""), ("12 March 1931", "13 March 1931", ""),
        ("Born on the 12th of March, 1931.", "12 March 1931", "date"), ("12 of March 1931", "12 March 1931", ""),
        ("Vitamin B", "Vitamin A", ""), ("Serie B", "Serie A", ""), ("Group B", "Group A", ""), ("Class C shares", "Class A shares", ""),
        ("It is vitamin A.", "vitamin a", "inclusive"), ("A", "A", "exact"), ("the", "a", ""), ("a.", "A", "exact"),
        ("B-side", "A-side", ""), ("A. Smith", "B. Smith", ""), ("“A Tale” of The City", "Tale of the City", "exact"),
        ("He wrote A Tale.", "A Tale", "inclusive"), ("An island", "the island", "exact"),
        ("São Paulo", "Sao Paulo", "exact"), ("It is Muller.", "Müller", "inclusive"), ("мои", "мой", ""), ("US", "U.S.", "exact"),
        ("in the U.S.", "US", "inclusive"), ("They told us.", "U.S.", ""), ("J. R. R. Tolkien", "J.R.R. Tolkien", "exact"),
        ("two", "2", "number"), ("2 ships", "two ships", "number"), ("It has twenty ships.", "20", "number"),
        ("one of the ships", "1", ""), ("One.", "1", "number"), ("two hundred and five", "2", ""), ("two hundred and five", "5", ""),
        ("twenty-one", "20", ""), ("two thirds", "2", ""), ("two and a half", "2", ""), ("the Big Ten", "10", ""),
        ("Two Rivers", "2", ""), ("Two Rivers", "Three Rivers", ""), ("five million EUR", "5 million EUR", "number"),
        ("The song is Ten", "Ten", "inclusive"), ("It was called Seven.", "Seven", "inclusive"),
        ("He made 7 films", "Seven", ""), ("He made 7 films", "seven", "number"),
        ("7", "Seven", "number"), ("7 films.", "Seven", "number"), ("Seven", "7", "number"), ("8", "Seven", ""), ("7", "Lun", ""),
        ("Yes, it does.", "YES", "inclusive"), ("the eu said", "EU", "inclusive"), ("They told us.", "US", ""),
        ("That is it.", "IT", ""), ("1 000 to 2 000 people", "1,000 to 2,000 people", "exact"),
        ("It grew 20%, to 5-10 dollars", "$5-10 dollars", "inclusive"), ("20-30%", "$20-30", ""), ("20%–30%", "20-30%", "exact"),
        ("202-555-0100", "202 555 0100", "inclusive"), ("Call 202 555 0100.", "202-555-0100", "inclusive"),
        ("Boeing 747 400", "Boeing 747-400", "inclusive"), ("a Boeing 747-400", "Boeing 747 400", "inclusive"),
        ("Boeing 747-8", "Boeing 747 400", ""), ("RFC 1 000", "RFC 1", ""), ("from 1 000-2 000", "1,000-2,000", "inclusive"),
        ("202 555 0100", "202-555", ""),
        ("two dozen ships", "2", ""), ("two score", "2", ""), ("two gross", "2", ""), ("two and one-half", "2", ""),
        ("the number two", "2", ""), ("three-quarters of two", "2", ""), ("two crore rupees", "2", ""),
        ("two third places", "2", "number"), ("The number is two.", "2", "number"),
        ("Low Water", "Low Water (1972 film)", "exact"), ("It is Low Water.", "Low Water (1972 film)", "inclusive"),
        ("Low Water (2002 film)", "Low Water (1972 film)", ""), ("Cement", "Cement (product) of Acme", "exact"),
        ("Sand", "Cement (product) of Acme", ""), ("film", "Low Water (film)", ""),
        ("C", "C++", ""), ("C", "C#", ""), ("It is C++.", "C++", "inclusive"), ("F#", "f#", "exact"),
    ],
)  # fmt: skip
def test_match(prediction: str, answer: str, how: str) -> None:
    assert answered(prediction, answer) == how


@pytest.mark.parametrize(
    ("prediction", "answer", "how"),
    [
        ("She wrote To Kill A Bird.", "To Kill a Bird", "inclusive"), ("Half of A Sun", "Half of a Sun", "exact"),
        ("vitamin a deficiency", "Vitamin A deficiency", "exact"), ("She took a vitamin a day.", "Vitamin A", ""),
        ("Group B winners", "Group A winners", ""),
        ("J R R Tolkien", "J. R. R. Tolkien", "exact"), ("It was C S Lewis.", "C.S. Lewis", "inclusive"),
        ("Washington D C", "Washington D.C.", "exact"), ("e. e. cummings", "E. E. Cummings", "exact"),
        ("at 9 a.m.", "9 A.M.", "inclusive"), ("World War I. A. B. was born", "World War I", "inclusive"),
        ("Washington, D.C.", "C", ""), ("the U.S.A.", "A", ""),
    ],
)  # fmt: skip
def test_a_name_is_read_with_its_articles_and_initials_in_one_and_apart(prediction: str, answer: str, how: str) -> None:
    assert answered(prediction, answer) == how


def test_a_text_that_is_no_prediction_may_say_that_something_is_not_known() -> None:
    text = "The passages do not say whether Lun is the capital."
    assert match(text, "Lun") == "inclusive"
    assert answered(text, "Lun") == ""


@pytest.mark.parametrize("text", ["unknown", "N/A", "not specified"])
def test_an_answer_may_read_as_a_refusal(text: str) -> None:
    assert answered(f" {text}.", text) == "exact"
    assert matches(text, [text])
    assert not answered(f"The documents do not tell, {text}", "Lun")
    assert not matches(text, [text, "Lun"])


def test_a_set_is_matched_by_all_its_members() -> None:
    assert matches("Lun, Ost and Kell", ["Ost", "Lun"])
    assert not matches("Lun and Kell", ["Ost", "Lun"])
    assert not matches("Lun", [])


SIGNS = ("-29,915", "−29,915", "–29,915", "(29,915)", "minus 29,915", "| (29,915) |")


@pytest.mark.parametrize("prediction", SIGNS)
def test_a_minus_is_one_sign_however_it_is_written(prediction: str) -> None:
    for answer in SIGNS[:4]:
        assert answered(prediction, answer), answer
        assert not answered("29,915", answer)
    assert not answered(prediction, "29,915")


@pytest.mark.parametrize(
    ("prediction", "answer", "how"),
    [
        ("a loss of (29,915) thousand EUR", "-29,915 thousand EUR", "number"), ("$(565) million", "-$565 million", "number"),
        ("It fell by (0.4)%.", "-0.4%", "number"), ("The number of ships (7)", "7", "number"),
        ("The number of ships (7)", "-7", ""), ("in the year (2029)", "2029", "date"), ("(2029)", "2029", "date"),
        ("412 (four hundred twelve)", "412", "number"), ("−10 to 40 °C", "-10 to 40 °C", "exact"),
        ("$3–4 billion", "£3–4 billion", ""), ("10.5", "10-5", ""), ("Rule 10-5.", "10-5", "inclusive"),
        ("10 to 40 °C", "-10 to 40 °C", ""), ("-10 to 40 °C", "10 to 40 °C", ""), ("Covid-19", "COVID-19", "exact"),
    ],
)  # fmt: skip
def test_brackets_are_a_minus_where_they_are_the_number_s_own(prediction: str, answer: str, how: str) -> None:
    assert answered(prediction, answer) == how

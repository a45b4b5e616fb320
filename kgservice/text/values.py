"""Numbers and dates in labels. A label that is neither as a whole is a name."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from functools import lru_cache

from kgservice.core.records import Kind, Term

Reading = tuple[Kind, float | str | None, str | None]

ENTITY: Reading = ("entity", None, None)
MAX_LENGTH = 80  # characters; longer labels are names
MAX_DIGITS = 15  # more cannot be held in a float
SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
SCALES |= {"k": 10**3, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9, "tn": 10**12}
SYMBOLS = {"US$": "USD", "C$": "CAD", "A$": "AUD", "HK$": "HKD", "$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}
SYMBOLS |= {"₹": "INR", "₩": "KRW", "₽": "RUB", "₺": "TRY", "₴": "UAH", "₦": "NGN", "R$": "BRL"}
NAMED = {"dollar": "USD", "dollars": "USD", "us dollars": "USD", "euro": "EUR", "euros": "EUR", "yen": "JPY"}
NAMED |= {"u.s. dollars": "USD", "canadian dollars": "CAD", "australian dollars": "AUD", "pounds sterling": "GBP"}
DOUBT = "(scale in doubt)"  # suffix of a number whose scale (thousands, millions) the table does not give
CARDINALS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
MONTHS = "january february march april may june july august september october november december"
_SHORT_MONTHS = (*(month[:3] for month in MONTHS.split()), "sept")
MONTH = rf"(?:{'|'.join(f'{name.title()}|{name.upper()}' for name in (*MONTHS.split(), *_SHORT_MONTHS))})\b\.?"  # regex

_CARDINAL = {word: str(number) for number, word in enumerate(CARDINALS.split())}
_TENS = "thirty|forty|fifty|sixty|seventy|eighty|ninety"
_SPELT = re.compile(  # number words in a row: "two", "two hundred and five"
    rf"(?<![\w-])(?:{'|'.join(_CARDINAL)}|{_TENS}|hundred|thousand)"
    rf"(?:[ -](?:and )?(?:{'|'.join(_CARDINAL)}|{_TENS}|hundred|thousand))*(?![\w-])",
    re.IGNORECASE,
)
_FRACTION = "half|halves|(?:third|quarter|fourth|fifth|sixth|seventh|eighth|ninth|tenth)s?"
_PART = re.compile(  # behind a number: "two thirds", "two and one-half", "two dozen"
    r" (?:(?:half|halves|thirds|quarters|fourths|fifths|sixths|sevenths|eighths|ninths|tenths)\b|and a |point "
    rf"|and one-(?:{_FRACTION})\b|(?:dozen|score|gross|lakh|crore)s?\b)"
)
_OF_PART = re.compile(rf"\b(?:(?:{_FRACTION}) of|number) $", re.IGNORECASE)  # "three-quarters of two", "number two"
_CURRENCY = re.compile(
    "USD|EUR|GBP|JPY|CHF|CNY|CAD|AUD|NZD|SEK|NOK|DKK|ISK|INR|KRW|BRL|MXN|ARS|CLP|COP|PEN|ZAR|NGN|KES|EGP|RUB|UAH|TRY|"
    "PLN|CZK|HUF|RON|BGN|ILS|SAR|AED|QAR|SGD|HKD|TWD|THB|IDR|MYR|PHP|VND|PKR|BDT"
)
_MONEY = re.compile(  # the nouns of the world's currencies, and the scales of rupees: "Danish kroner", "pesos a head"
    r"(?i)\b(?:afghani|baht|balboa|birr|bol[ií]var(?:e|iano)?|cedi|cent|centavo|col[oó]n(?:e)?|crore|crown|c[oó]rdoba|dalasi|"
    r"denar|dinar|dirham|dobra|dollar|dong|dram|escudo|euro|florin|forint|franc|gourde|guaran[ií]e?|guilder|hryvnia|kina|"
    r"kip|koruna|kr[oó]n(?:a|e|er|or|ur)|kuna|kwacha|kwanza|kyat|lakh|lari|lek|lempira|leone|leu|lei|lev|leva|lilangeni|lir[ae]|"
    r"loti|manat|mark|metical|naira|nakfa|ngultrum|ouguiya|pataca|pence|penn(?:y|ie)|peseta|peso|pound|pula|quetzal(?:e)?|rand|"
    r"real|reais|renminbi|rial|riel|ringgit|riyal|rou?ble|rufiyaa|rupee|rupiah|shekel|shilling|sole?|som|sterling|taka|tala|"
    r"tenge|tugrik|vatu|won|yen|yuan|z[lł]oty)s?(?=$| (?:an?|each|in|of|per)\b)"
)
_KNOWN = re.compile(
    "[kMGTm]?(?:Wh?|Hz|V|B|b|g|J)|[kcmµn]?m[²³]?|[kcm]?m/[hs]|mph|[cm]?l|k?Pa|°[CF]|K|t|ha|[kMG]bps|dB|rpm|bps|pp"
    r"|sq\.? (?:km|mi|ft|m)"
)
_PERCENT = re.compile(r"(?:%|percent|per cent|pct)(?P<of> of [^\W\d_]+(?: [^\W\d_]+)?)?")
_WORDS = re.compile(r"[a-zµ][a-z²³/-]*(?: [a-z][a-z²³/-]*)?|US dollars")
_FUNCTION = re.compile(r"\b(?:an?|and|as|at|by|for|from|in|into|is|of|or|out|over|than|that|the|to|under|was|with|x)\b")
_SHORT_SCALES = {"k": "thousand", "m": "million", "mn": "million", "mln": "million", "mm": "million", "b": "billion"}
_SHORT_SCALES |= {"bn": "billion", "bln": "billion", "tn": "trillion"}
_CURRENCY_FIRST = re.compile(
    r"([A-Z]{0,2}[$€£¥₹₩₽₺₴₦]|[A-Z]{3}) ?(?:in )?"
    rf"((?i:thousand|million|billion|trillion|{'|'.join(_SHORT_SCALES)}))"
)
_SCALE_FIRST = re.compile(r"(hundred|thousand|million|billion|trillion) (.+)")
_UNITS = re.compile(  # what a note of units begins with: "Amounts expressed in", "Figures are in"
    r"(?i)^(?:(?:all )?(?:amounts?|figures?|values?|data)(?: (?:are|is))? )?"
    r"(?:(?:expressed|stated|presented|shown|reported|given) )?in |(?<=s) of\b"
)
_THOUSANDS = re.compile(  # "£'000", "$000s", "in 000's omitted"; not the end of "1,000" or "1 000"
    r"(?<![\d.,])(?<![\d.,] )['’‘´`]? ?000(?:['’‘´`]?s)?(?![\w.,])(?: omitted)?", re.IGNORECASE
)
_SCALED = re.compile(r"(?<!\d )\b(?:thousands|millions|billions|trillions)\b", re.IGNORECASE)
_NO_UNIT = re.compile(
    r"(?i)(?:revised|restated|unaudited|audited|estimat\w+|forecast|preliminary|provisional|average|total|net|gross|see|"
    r"adjusted|loss|losses|deficits?|benefits?|expenses?|credits?|gains?|decreases?|increases?|charges|earnings|costs|cont\w*|assets|liabilit\w+|income|revenues|sales|payments|proceeds|outflows?|provision|recover\w+|reversals?|used|provided|excluding|including|nominal|real|actual|planned|latest|fiscal|calendar|years?|end|mid|new|old|other|all|as)\b"
)
_NUMBER = re.compile(
    r"(?P<sign>[-−+]?)(?P<lead>(?:[A-Z]{0,2}[$€£¥₹₩₽₺₴₦]|[A-Z]{3} )?) ?(?P<inner>[-−]?)"
    r"(?P<digits>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3}(?:[\u00a0\u202f\u2009][0-9]{3})+|[0-9]+)(?P<decimals>\.[0-9]+)?"
    r"(?: ?(?P<scale>hundred|thousand|million|billion|trillion|mn|bn|tn)s?\b|(?P<letter>[kmbKMB])\b)?(?P<rest>.*)"
)
_BRACKETED = re.compile(r"([A-Z]{0,2}[$€£¥])? ?\(([A-Z]{0,2}[$€£¥])? ?([\d.,]+) ?(%)?\) ?(%)?")  # accounting's minus
_DASH = re.compile(r"(?<![\w%)\]}.,–—-])(?:[‐‑‒–−﹣－]|[Mm]inus (?=\S))(?=(?:[A-Z]{0,2}[$€£¥₹₩₽₺₴₦])?[0-9])")
_ACCOUNTED = re.compile(  # a number in accounting's brackets, and what shows that they are its own
    r"(?P<start>(?:^|\|)\s*)?(?P<lead>[A-Z]{0,2}[$€£¥₹₩₽₺₴₦] ?)?\((?P<inner>[A-Z]{0,2}[$€£¥₹₩₽₺₴₦])? ?"
    r"(?P<digits>[0-9](?:[0-9.,]*[0-9])?) ?(?P<percent>%)?\)"
    rf"(?P<after>(?= ?(?:%|(?:percent|per cent|{'|'.join(scale for scale in SCALES if len(scale) > 2)})\b"
    rf"|(?:{_CURRENCY.pattern})\b|[$€£¥₹₩₽₺₴₦])))?(?P<end>(?=[.;,]?\s*(?:$|\|)))?"
)
_DIGIT = re.compile("[0-9]")
_WORD = re.compile(r"[A-Za-z][\w-]*")  # one that begins with a letter is no value: "A380", "COVID-19"
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}|2100")
_ISO = re.compile(r"([0-9]{4})-([0-9]{2})(?:-([0-9]{2}))?")
_DOTTED = re.compile(r"(1[3-9]|2[0-9]|3[01])\.(0?[1-9]|1[0-2])\.([0-9]{4})")  # 03.04.2030 may be of March
_DAY_FIRST = re.compile(r"(?:([0-9]{1,2})(?:(?:st|nd|rd|th)(?: of)?)? )?([A-Za-z]{3,9})\.?,? ([0-9]{4})")
_MONTH_FIRST = re.compile(r"([A-Za-z]{3,9})\.? ([0-9]{1,2})(?:st|nd|rd|th)?,? ([0-9]{4})")


def typed(term: Term) -> Term:
    """Return the term with kind, value and unit read from its label, unless they are given."""
    if term.kind == "entity" or (term.kind is not None and term.value is not None):
        return term
    kind, value, unit = read_value(term.label)
    if term.kind not in (None, kind):
        return term
    return term.but(kind=kind, value=value, unit=term.unit or unit)


@lru_cache(maxsize=65_536)  # a name comes with each of its facts, and is read several times for each
def read_value(label: str) -> Reading:
    """Return (kind, value, unit) of a whole label.

    "12.5 million USD" is ("number", 12500000.0, "USD"), "(1,234)" -1234, "March 2031" ("date", "2031-03", None), a bare
    year from 1000 to 2100 a date, and everything else ("entity", None, None). A number's unit is a known unit, a
    currency, a percentage or one or two lower-case words, so "7 Up" and "3 Doors Down" are names.
    """
    if not _DIGIT.search(label, 0, MAX_LENGTH + 1) or _WORD.fullmatch(label):
        return ENTITY
    text = re.sub(r"[ \t\n\r]+", " ", label[: MAX_LENGTH + 1]).strip()
    if len(text) > MAX_LENGTH:
        return ENTITY
    when = _date(text)
    if when:
        return "date", when, None
    bracketed = text.startswith("(") and text.endswith(")")  # accounting: (1,234) is negative
    number = _number(text[1:-1] if bracketed else text)
    if number is None or (bracketed and (number[0] < 0 or _YEAR.fullmatch(text[1:-1]))):
        return ENTITY
    return "number", (-number[0] if bracketed else number[0]), number[1]


def signed(text: str) -> str:
    """Return a text in which each negative number has a hyphen as its minus, however that is written.

    Brackets are a minus where they are the number's own: alone in a text or in a cell of a table, behind a currency's
    sign, or before a unit. In "ships (7)" they are none.

    >>> signed("−3 or –4 or minus 5"), signed("$(565) million, (0.4)%"), signed("| (29,915) | 7 |"), signed("ships (7)")
    ('-3 or -4 or -5', '-$565 million, -0.4%', '| -29,915 | 7 |', 'ships (7)')
    """
    return _ACCOUNTED.sub(_unbracketed, _DASH.sub("-", text))


def is_currency(unit: str) -> bool:
    """Return whether a unit as read_value gives it is a currency."""
    return _CURRENCY.fullmatch(unit) is not None


def is_money(unit: str) -> bool:
    """Return whether a unit is a currency or words for one.

    >>> is_money("USD"), is_money("Swiss francs"), is_money("kroner per tonne"), is_money("real estate firms")
    (True, True, True, False)
    """
    return is_currency(unit) or _MONEY.search(unit) is not None


def in_digits(text: str) -> str:
    """Return a text in which the number words from two to twenty are digits; "one" and "zero" where they are all of it.

    Longer numbers, parts and names stay as they are: "one" is a pronoun more often than a number.

    >>> in_digits("Two ships and three of ten"), in_digits("two hundred and five"), in_digits("Ocean's Eleven")
    ('2 ships and 3 of 10', 'two hundred and five', "Ocean's Eleven")
    """
    return _SPELT.sub(_digits, text)


def _digits(found: re.Match[str]) -> str:
    before, after, words = found.string[: found.start()], found.string[found.end() :], found[0].split(" and ")
    alone = not re.search(r"\w", before + after)
    named = not (alone or found[0].islower()) and (before.strip() or re.match(" [A-Z]", after))  # "the Big Ten"
    if named or _PART.match(after) or _OF_PART.search(before) or not all(word.lower() in _CARDINAL for word in words):
        return found[0]
    kept = () if alone else ("zero", "one")
    return " and ".join(word if word.lower() in kept else _CARDINAL[word.lower()] for word in words)


def _unbracketed(found: re.Match[str]) -> str:
    alone = found["start"] is not None and found["end"] is not None
    currency = (found["lead"] or "").strip() or found["inner"] or ""
    own = found["lead"] or found["after"] is not None
    if not own and (not alone or (not currency and not found["percent"] and _YEAR.fullmatch(found["digits"]))):
        return found[0]
    return f"{found['start'] or ''}-{currency}{found['digits']}{found['percent'] or ''}"


def _date(text: str) -> str | None:
    if _YEAR.fullmatch(text):
        return text
    if match := _ISO.fullmatch(text):
        return _day(match[1], int(match[2]), match[3])
    if match := _DOTTED.fullmatch(text):
        return _day(match[3], int(match[2]), match[1])
    if match := _MONTH_FIRST.fullmatch(text):
        return _day(match[3], _month(match[1]), match[2])
    if match := _DAY_FIRST.fullmatch(text):
        return _day(match[3], _month(match[2]), match[1])
    return None


def _month(name: str) -> int:
    """Return 1 to 12 for a month's name or its first three letters (or Sept), else 0."""
    short = "sep" if name.lower() == "sept" else name.lower()
    return next((at for at, month in enumerate(MONTHS.split(), 1) if short in (month, month[:3])), 0)


def _day(year: str, month: int, day: str | None) -> str | None:
    try:
        when = date(int(year), month, int(day or 1))
    except ValueError:
        return None
    return when.isoformat() if day else when.isoformat()[:7]


def _number(text: str) -> tuple[float, str | None] | None:
    match = _NUMBER.fullmatch(text)
    if not match:
        return None
    digits = re.sub(r"[^0-9]", "", match["digits"])
    leading = len(digits) > 1 and digits[0] == "0"  # 007 and 00501 are names
    if leading or len(digits) > MAX_DIGITS or (match["sign"] and match["inner"]):
        return None
    lead = match["lead"].strip()
    currency = SYMBOLS.get(lead) or (lead if _CURRENCY.fullmatch(lead) else None)
    if lead and not currency:
        return None
    scale, rest = match["scale"] or (match["letter"] or "").lower(), match["rest"]
    if match["letter"] and not currency:  # "5m" may be metres
        scale, rest = "", match["letter"] + rest
    unit = _unit(rest, currency)
    if unit is None:
        return None
    value = float(Decimal(digits + (match["decimals"] or "")) * SCALES.get(scale, 1))
    negative = value and (match["sign"] in ("-", "−") or match["inner"])
    return (-value if negative else value), unit or None


def _unit(rest: str, currency: str | None) -> str | None:
    """Return the unit after a number, "" for none, or None if the text is no unit."""
    glued, rest = rest[:1] not in ("", " "), rest.strip()
    unit: str | None = None
    if not rest or (currency and rest == currency):
        unit = currency or ""
    elif currency:
        unit = None
    elif percent := _PERCENT.fullmatch(rest):
        unit = "%" + (percent["of"] or "")
    elif _CURRENCY.fullmatch(rest) or _KNOWN.fullmatch(rest):
        unit = rest
    elif rest in SYMBOLS or rest.lower() in NAMED:
        unit = SYMBOLS.get(rest) or NAMED[rest.lower()]
    elif _WORDS.fullmatch(rest) and not glued and not _FUNCTION.search(rest):  # glued: "2nd", "3d", "1990s"
        unit = rest
    return unit


def read_unit(text: str) -> str:
    """Return the unit in a heading's brackets, in the form that follows a number, "" if they have none.

    "in millions of USD", "USD million" and "US$m" are "million USD", "£'000" and "in pounds sterling, thousands" are
    "thousand GBP", "thousands" is "thousand", "revised" is "".
    """
    first, *rest = (_one_unit(part) for part in re.split("[,;]", text))
    currency = SYMBOLS.get(first) or NAMED.get(first.lower()) or (first if _CURRENCY.fullmatch(first) else "")
    scale = next((other for other in rest if currency and other in SCALES), "")
    return f"{scale} {currency}" if scale else first


def _one_unit(text: str) -> str:
    text = _THOUSANDS.sub(" thousands", text)
    text = _UNITS.sub("", " ".join(text.split()))
    text = re.sub(r"(?i)^(?:us )?(?:dollars|\$) in (thousand|million|billion)s\b", r"\1 USD", text)
    text = re.sub(r"(?i)\b(hundred|thousand|million|billion|trillion)s?\b", lambda match: match[1].lower(), text)
    if match := _CURRENCY_FIRST.fullmatch(text):
        scale = match[2].lower()
        text = f"{_SHORT_SCALES.get(scale, scale)} {SYMBOLS.get(match[1], match[1])}"
    elif match := _SCALE_FIRST.fullmatch(text):
        text = f"{match[1]} {SYMBOLS.get(match[2]) or NAMED.get(match[2].lower(), match[2])}"
    kind, _, unit = read_value(f"1 {text}")
    words = unit is not None and _WORDS.fullmatch(unit) and not _KNOWN.fullmatch(unit)
    if not text or kind != "number" or _NO_UNIT.match(text) or (words and not text.endswith(("s", "people"))):
        return ""
    return SYMBOLS.get(text, text)


def names_scale(text: str) -> bool:
    """Return whether a note of units names a scale, "thousands" or "'000": if `read_unit` is "", it is not known which.

    >>> names_scale("Zloty, in millions, unaudited"), names_scale("per 1,000 births"), names_scale("over 2 millions")
    (True, False, False)
    """
    return bool(_SCALED.search(_THOUSANDS.sub(" thousands", text)))


def quantity(text: str, unit: str) -> str:
    """Return a number as written with its unit, readable by itself, "" if the text is no number.

    "(2.7)" with "% of GDP" is "-2.7 % of GDP", "$4,215" with "million" is "$4,215 million", "$(565)" is "-$565". A unit
    in the text is kept.
    """
    if bracketed := _BRACKETED.fullmatch(text):
        text = f"-{bracketed[1] or bracketed[2] or ''}{bracketed[3]}{bracketed[4] or bracketed[5] or ''}"
    own = "number" if _YEAR.fullmatch(text) else read_value(text)[0]
    if own != "number":
        return ""
    text = text.replace("−", "-")
    if not unit or any(sign.isalpha() for sign in text) or text.endswith("%"):
        return text
    scale = unit.partition(" ")[0]
    if not text.lstrip("-")[0].isdigit():
        unit = scale if scale in SCALES else ""
    return f"{text} {unit}".strip()

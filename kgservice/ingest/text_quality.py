"""How sound a document's text is, and in which language: whether something went wrong before anybody read it."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any, NamedTuple

from kgservice.core.records import Problem, Record

SAMPLE, PARTS = 1_500, 4  # characters of one part, and how many parts over the whole text are looked at
FEW = 20  # words: of less nobody can tell the language
SURE = 0.9  # probability of a language that is not English
ENGLISH, GLUED, LOST = 0.6, 9.5, 0.01  # share of known words, mean letters of a word, share of lost signs
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SIGNS = re.compile(r"\ufffd|\(cid:\d+\)|[\x00-\x08\x0e-\x1f\ue000-\uf8ff]")
_NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi",
    "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean",
    "lt": "Lithuanian", "lv": "Latvian", "nb": "Norwegian", "nl": "Dutch", "no": "Norwegian", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian",
    "sv": "Swedish", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


class TextQuality(Record):
    """Of a document's text: words, the share that an English dictionary knows, mean length, lost signs, language.

    `language` is an ISO 639-1 code, "en" also where there is too little text to tell.
    """

    words: int
    known: float
    length: float
    lost: float
    language: str

    def warnings(self) -> list[str]:
        """Return what is likely to be wrong with the text; names no document."""
        found = []
        if self.lost > LOST:
            found.append("signs that the file does not name")
        if self.words >= FEW and self.length > GLUED and self.language == "en":
            found.append("words without spaces between them")
        elif self.words >= FEW and self.known < ENGLISH / 2 and self.language == "en":
            found.append("few words that a dictionary knows")
        return found


class _Told(NamedTuple):
    code: str
    probability: float


def health(text: str) -> TextQuality:
    """Return how sound a text is, by parts of it at even distances; a text of any size takes some milliseconds."""
    sample = _sample(text)
    words = _WORD.findall(unicodedata.normalize("NFKC", sample))
    plain = [word for word in words if len(word) > 1 and not word.isupper()]
    known = sum(map(_known, plain)) / (len(plain) or 1)
    language = "en"
    if len(words) >= FEW and known < ENGLISH:  # code and lists of names are English as long as nothing else is likely
        told = _language(" ".join(words))
        latin = sum(word.isascii() for word in words) * 2 > len(words)
        language = told.code if told.probability >= SURE or not latin else "en"
    signs = sum(len(found[0]) for found in _SIGNS.finditer(sample))
    length = sum(map(len, words)) / (len(words) or 1)
    figures = {"known": round(known, 3), "length": round(length, 2), "lost": round(signs / (len(sample) or 1), 4)}
    return TextQuality(words=len(text.split()), language=language, **figures)


def language_name(code: str) -> str:
    """Return "German" for "de"; the code itself where no name is listed."""
    return _NAMES.get(code, code)


def unread(source: str, language: str) -> Problem:
    """Return the note that a text is not English and was not read by English rules."""
    detail = f"stored and searchable, not read: give --extract rules:{language}_… (a spaCy pipeline) or --extract llm"
    return Problem(source=source, state="rejected", reason=f"language: {language_name(language)}", detail=detail)


def unworded(source: str, language: str) -> Problem:
    """Return the note that triplets of a text that is not English are kept, and that no questions are made of them."""
    detail = (
        "its triplets are kept and searchable; questions have templates in English, and in Russian with pymorphy3 "
        "(pip install pymorphy3)"
    )
    return Problem(source=source, state="rejected", reason=f"language: {language_name(language)}", detail=detail)


def warned(source: str, checked: TextQuality) -> list[Problem]:
    """Return the warnings of a document as what is noted of it."""
    said = (
        f"{checked.known:.0%} of the words known, {checked.length:.1f} letters a word, {checked.lost:.1%} of signs lost"
    )
    return [Problem(source=source, state="rejected", reason=reason, detail=said) for reason in checked.warnings()]


def _sample(text: str) -> str:
    if len(text) <= SAMPLE * PARTS:
        return text
    step = (len(text) - SAMPLE) // (PARTS - 1)
    return " ".join(text[at : at + SAMPLE] for at in range(0, step * PARTS, step))


@lru_cache(maxsize=100_000)
def _known(word: str) -> bool:
    from simplemma import is_known  # a dictionary, read at the first word

    plain = word.replace("’", "'").removesuffix("'s")
    return bool(is_known(plain, lang="en"))


def _language(text: str) -> _Told:
    code, probability = _identifier().classify(text)
    return _Told(str(code), float(probability))


@lru_cache(maxsize=1)
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)

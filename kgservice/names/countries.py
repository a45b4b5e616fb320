"""What countries are called: names, abbreviations and demonyms, as the library `countryinfo` (MIT) lists them.

Some of its names are old ("Swaziland"): where the time zone database, as `pytz` (MIT) carries it, calls a country
otherwise, and `countryinfo` knows that spelling, the country's name is that one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from kgservice.names.abbreviations import initials
from kgservice.names.spelling import is_short

CONTINENTS = frozenset(
    "africa|america|americas|antarctica|asia|australia|eurasia|europe|north america|oceania|south america".split("|")
)
ALIKE = 4  # letters that a short name has in common with that of its country
_OF_A_PEOPLE = re.compile(r"(?:m[ae]n|wom[ae]n|s)$")
NEARLY_ALL = 20  # how many times the people of any other country that are called so

How: TypeAlias = Literal["name", "code", "demonym"]


class Country(NamedTuple):
    """The country that a name means, and how: "US" may mean much else, and "French" a language."""

    name: str
    how: How


def is_continent(label: str) -> bool:
    """Return whether a name is a continent's: no part of one, "South Asia"."""
    return label.lower().removeprefix("the ") in CONTINENTS


@lru_cache(maxsize=1)
def _known() -> dict[str, Country]:
    """Return the country of each name, by what `folded` makes of it."""
    own_names: set[str] = set()
    people: dict[str, dict[str, int]] = defaultdict(dict)
    names: dict[str, set[str]] = defaultdict(set)
    for known in _states():
        country, own = _today(known), known["name"].removeprefix("The ")
        own_names.add(country)
        spellings = (country, own, *(spelt.strip() for spelt in known.get("altSpellings", ())))
        codes = {one.upper() for spelt in spellings if " " in spelt for one in initials(spelt)}
        for part in {part for spelt in spellings for part in _shorter(spelt)}:
            names[folded(part)].add(country)
        for spelt in spellings:
            if spelt == own or _is_written(spelt, country, codes):
                names[folded(spelt)].add(country)
        for demonym in (known.get("demonym") or "").replace("/", ",").split(","):
            people[folded(demonym)][country] = known.get("population") or 0
    found = {demonym: Country(named, "demonym") for demonym, of in people.items() if demonym and (named := _most(of))}
    for spelt, of in names.items():
        if len(of) == 1:
            found[spelt] = Country(min(of), "code" if is_short(spelt) else "name")
    return found | {folded(name): Country(name, "name") for name in own_names}  # whatever islands are called after it


def _today(known: Mapping[str, Any]) -> str:
    """Return a country's name today: "North Macedonia" of "Republic of Macedonia", "Eswatini (Swaziland)" of
    "Swaziland"."""
    from pytz import country_names

    own: str = known["name"].removeprefix("The ")
    now, _, before = country_names.get(known["ISO"]["alpha2"], "").partition(" (")
    return now if now in known.get("altSpellings", ()) and before in ("", f"{own})") else own


def _states() -> list[Mapping[str, Any]]:
    """Return every country with a code of its own today: no Scotland, no Wales ("GB"), no Serbia and Montenegro."""
    from countryinfo import CountryInfo  # 250 small files, read at the first name
    from pytz import country_names

    most: dict[str, int] = {}
    for known in CountryInfo.all().values():
        code, people = known["ISO"]["alpha2"], known.get("population") or 0
        most[code] = max(people, most.get(code, 0))
    return [
        known
        for known in CountryInfo.all().values()
        if (code := known["ISO"]["alpha2"]) in country_names and 2 * (known.get("population") or 0) >= most[code]
    ]


@lru_cache(maxsize=65536)
def country(label: str) -> Country | None:
    """Return the country that a name, a code or a demonym means, None where no other does.

    >>> country("the U.S."), country("British"), country("us"), country("Oslo")
    (Country(name='United States', how='code'), Country(name='United Kingdom', how='demonym'), None, None)
    >>> country("Irishmen"), country("Norman")
    (Country(name='Ireland', how='demonym'), None)
    >>> country("Serbian")
    Country(name='Serbia', how='demonym')
    >>> country("United States"), country("China")
    (Country(name='United States', how='name'), Country(name='China', how='name'))
    """
    known, spelt = _known(), folded(label)
    people = known.get(_OF_A_PEOPLE.sub("", spelt))  # "Americans", "Irishmen"
    return known.get(spelt) or (people if people and people.how == "demonym" else None)


def is_demonym(word: str) -> bool:
    """Return whether a word is a country's people: "French", but not "France"."""
    known = country(word)
    return known is not None and known.how == "demonym"


def is_country(label: str) -> bool:
    """Return whether a name or code is a country's and no other country has a province of that name.

    >>> is_country("United States"), is_country("Peru"), is_country("Georgia"), is_country("French")
    (True, True, False, False)
    """
    known = country(label)
    return known is not None and known.how != "demonym" and folded(label) not in _provinces()


def is_province(label: str) -> bool:
    """Return whether a name is that of a state or province, and no country has it.

    >>> is_province("New York"), is_province("Ontario"), is_province("Georgia"), is_province("Norvia")
    (True, True, False, False)
    """
    return folded(label) in _of_provinces() and country(label) is None


@lru_cache(maxsize=1)
def _provinces() -> frozenset[str]:
    """Return the provinces that are called like another country."""
    named = ((name, country(name)) for name in _of_provinces())
    return frozenset(name for name, other in named if other and _of_provinces()[name] - {other.name})


@lru_cache(maxsize=1)
def _of_provinces() -> dict[str, set[str]]:
    """Return the countries that have a province of each name, as they are called today."""
    from countryinfo import CountryInfo

    of = defaultdict[str, set[str]](set)
    for known in CountryInfo.all().values():
        for province in known.get("provinces") or ():
            of[folded(province)].add(_today(known))
    return of


def folded(label: str) -> str:
    """Return a name as the table has it; only codes keep their capitals."""
    bare = " ".join(label.split()).replace(".", "").removeprefix("the ").removeprefix("The ")
    return bare if is_short(bare) else bare.casefold()


def _is_written(spelt: str, country: str, codes: Collection[str]) -> bool:
    """Return whether a name is English, or, of a code, has the initials of one: "Island" is Iceland's, and "AUT"
    Austria's."""
    if spelt.isupper() and len(spelt) <= 3:
        return spelt in codes
    return "," not in spelt and (" " in spelt or spelt[:ALIKE] == country[:ALIKE])


def _shorter(spelt: str) -> list[str]:
    """Return the names within a long one: "America" and "Britain"."""
    _, of, rest = spelt.partition(" of ")
    return [part for part in (of and rest.removeprefix("the "), spelt.removeprefix("Great ")) if part and part != spelt]


def _most(of: dict[str, int]) -> str:
    """Return the only country of which people are called so, or that has nearly all of them."""
    first, *others = sorted(of, key=lambda one: (-of[one], one))
    return first if all(of[first] > NEARLY_ALL * of[other] for other in others) else ""

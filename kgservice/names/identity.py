"""Who is who in one document: its own thing, the full name of a short one, and names that the text says are one.

A function of the document alone, so that no load reads another document again; what a name means in the whole corpus is
decided elsewhere (linking.merging). Of two things that a short name may mean neither is taken.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from kgservice.names.abbreviations import initials, spelt_out
from kgservice.names.countries import How, country, folded
from kgservice.names.mentions import ADJECTIVE, BRACKET, GENITIVE, NamePlace, follows, is_common, places, unnumbered
from kgservice.names.own_names import introduced, own_name
from kgservice.names.persons import (
    PARTICLES,
    full,
    generation,
    given,
    has_other_middle,
    is_part,
    is_shorter,
    is_surname,
    sex,
    untitled,
)
from kgservice.names.spelling import forbidden, in_capitals, is_short, name
from kgservice.text import whole_words
from kgservice.text.english import AUXILIARIES, BE, PREPOSITIONS

PERSON, PLACE = "PER", "LOC"  # as recognisers call them
MAX_PERSON = 5  # words of a person's name
OPENING = 150  # characters in which a life's dates stand
NEAR, FAR = 60, 300  # characters between a name and what a text calls it, without brackets and with them
BEHIND = 4  # names before another in which the one may be that is called so: those in brackets are others
MARKS = ("!", "?")  # that a name may end with
SURE_CODE = 3  # letters from which a code of a country means nothing else

_OPENS = re.compile(r"[,;]? ?[(\[] ?(?:(?:abbreviated|abbr\.|acronym|or|also|short for|i\.e\.,?) )?[\"“‘']? ?")
_DEFINES = re.compile(  # what contracts and reports call a party: "Cisco Systems, Inc. (the “Company,” “Cisco,” “we”)"
    r"(?:,? (?:and|together with) (?:its|their) (?:\w+ )?subsidiaries)?,? ?\([a-z ,]*"
    r"(?:(?:the )?[\"“][^\"“”()]{1,25}[\"”],? (?:(?:and|or) )?(?:the )?)*[\"“]"
)
_WAYS = "also|formerly|previously|originally|better|commonly|sometimes|often|officially|popularly"
_SAYS = r"(?:known|called|named|nicknamed|spelled|written|abbreviated|referred to)(?: \w+ly| just)?(?: as)?"
_QUOTE = "[\"“‘']{0,2}"  # some texts have a quotation mark twice
_GLOSS = re.compile(  # "Ypres (Dutch: Ieper", "Christiania (now Oslo", "Amintiri ("Recollections", "X, also known as Y"
    r"[\"”]? ?\([\"“]|(?: \([^()]*\))?(?:,| ?\() ?or (?:the )?[\"“‘]|"  # "X (…), or "Y""
    r"[\"”]? ?\((?:[A-Z][a-z]+(?: [a-z]+)?: ?|(?:now|then|formerly|later|previously|also|born|née|aka|a\.k\.a\.) )"
    rf"(?:the )?{_QUOTE}|(?: \([^()]*\))?(?:(?:, ?| ?\()(?:{_WAYS}) {_SAYS}| (?:{_WAYS}) known(?: simply)? as) "
    rf"{_QUOTE}(?:the )?{_QUOTE}"
)
_ASIDE = re.compile(r"\([^()]*\)")
_FURTHER = re.compile(r"[\"”’']{0,2} ?[),;.\]]|[\"”’'] ")
_AFTER = "|".join(sorted(PREPOSITIONS | BE | AUXILIARIES | set("and or but had has have that which who".split())))
_LANGUAGE = re.compile(  # "speaks Swedish", "in Swedish.", "the Swedish language", "Swedish: kung", "Dutch for king"
    r"\b(?:(?:speaks?|spoken|speaking|written|translated|languages?)(?: in| into| from)? @|"
    r"(?:[Ii]n|[Ii]nto|[Ff]rom(?: the)?|[Oo]ld|[Mm]iddle) @(?! \w))|@(?:(?=[:–-])|"
    r"\s?[,)]|\s(?:for|languages?|words?|name|spelling|translation|pronunciation|dialects?)\b)"
)
_ENDINGS = ("ian", "an", "ean", "n", "ese", "ish", "i")  # of adjectives, after a place without its last vowels
_ADJECTIVE, _VOWELS = re.compile(rf"(?:{'|'.join(_ENDINGS)})\Z"), re.compile(r"[aeiouy]*\Z")
_LIVED = re.compile(r"\((?:[^()]{0,60}\b)?(?:born|b\.|1\d{3}|20\d\d)\b")
_SEVERAL = re.compile(r" (?:and|or|&) ")
_SOMEBODY = re.compile(r"\b(?:[Hh]e|[Ss]he|[Hh]is|[Hh]er)\b")
_DIGIT = re.compile(r"\d")


def identify(
    title: str,
    texts: Sequence[str],
    named: Iterable[str] = (),
    kinds: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return what names of a document stand for, of those that stand for another one than themselves.

    `named` are names that somebody found in the texts, beside those that are seen by their capitals; `kinds` is what a
    recogniser takes names for ("PER", "ORG", "LOC").
    """
    reader = _Reader(title, texts, named, kinds or {})
    reader.read()
    return reader.meant()


class _Reader:
    """Joins the names of one document, the surest ways first; a name that two groups claim joins neither."""

    def __init__(self, title: str, texts: Sequence[str], named: Iterable[str], kinds: Mapping[str, str]) -> None:
        self._texts, self._title = texts, unnumbered(title)
        self._bare, self._end = BRACKET.sub("", self._title), (len(texts), 0)  # the place of a name that is nowhere
        self._opening = _opening(self._title, texts)
        self._kinds = {name(label).joined: kind for label, kind in sorted(kinds.items())}
        found = sorted({*named, *self._opening})
        self._places = [_all_places(text, found) for text in texts]
        alone = {one.label for there in self._places for one in there}
        self._genitives = {label: label[:-2] for label in found if label.endswith(GENITIVE)}  # "Harrah's" is no Harrah
        self._beside_owner = {label for label, bare in self._genitives.items() if bare in alone}
        titles = [part for part in (self._title, self._bare) if part]
        self._own = {part for one in titles for part in (one, one.partition(",")[0])}
        self._order = {
            label: at
            for at, label in enumerate(dict.fromkeys([*titles, *self._in_order(found), *self._genitives.values()]))
        }
        self._spelt = {label: name(label) for label in self._order}
        self._into: dict[str, str] = {}
        self._doubtful: set[str] = set()  # of which texts say that they are two things
        self._first: dict[str, list[str]] = defaultdict(list)  # names of several words, by the first and the last
        self._last: dict[str, list[str]] = defaultdict(list)
        for label, of in self._spelt.items():
            if len(of.words) > 1:
                self._first[of.words[0]].append(label)
                self._last[of.words[-1]].append(label)
        self._own_person = self._is_of_a_person()
        self._people = self._persons()

    def meant(self) -> dict[str, str]:
        """Return the names that stand for others."""
        roots = {label: self._root(label) for label in self._order}
        whole = {root: f"{root}." for root in roots.values() if f"{root}." in self._order and root != self._title}
        spoken = whole | self._in_mixed_case(roots)  # "U.S" is what the end of a sentence leaves of "U.S."
        return {label: meant for label, root in roots.items() if (meant := spoken.get(root, root)) != label}

    def _in_mixed_case(self, roots: Mapping[str, str]) -> dict[str, str]:
        """For names in capitals alone, as headings have them, the first spelling of the same letters that is not."""
        found: dict[str, str] = {}
        for label, root in roots.items():
            if in_capitals(root) and not in_capitals(label) and label.casefold() == root.casefold():
                found.setdefault(root, label)
        return found

    def read(self) -> None:
        """Join what is one."""
        if self._bare and self._bare != self._title:
            self._into[self._bare] = self._title
        for label in self._opening:
            self._join(label, self._title)
        for label in self._introduced():
            self._join(label, self._title)
        self._join_spelt()
        self._join_glossed()
        for fitting in (
            self._acronyms,
            self._middle,
            self._surname,
            self._first_name,
            self._last_noun,
            self._further,
        ):
            self._join_all(fitting)
        self._join_countries()
        self._join_all(self._adjective)

    def _introduced(self) -> Iterator[str]:
        """Return the other names by which the first sentence introduces the document's thing."""
        starts: dict[int, list[str]] = defaultdict(list)
        for label, start, end in self._places[0] if self._places else ():
            other = _DIGIT.search(label) or country(label) or self._is_place_of_own(label)
            if self._texts[0][start:end] == label and not other:
                starts[start].append(label)
        yield from introduced(self._title, self._texts[0], starts) if starts else ()

    def _is_place_of_own(self, label: str) -> bool:
        """Return whether a name is that of a place, and the document's thing is none.

        "Lun" of the University of Lun, "Ada Orr (born New York City, 1950)".
        """
        own = self._kind(self._bare) if self._bare else ""
        elsewhere = self._kind(label) == PLACE and (self._own_person or own not in ("", PLACE))
        return elsewhere or f" of {label}" in self._title

    def _in_order(self, named: Iterable[str]) -> list[str]:
        """Return the names of the texts, each where it stands first."""
        found: dict[str, tuple[int, int]] = {}
        for at, there in enumerate(self._places):
            for one in there:
                found.setdefault(one.label, (at, one.start))
        for label in set(named) - found.keys():
            starts = ((at, text.find(label)) for at, text in enumerate(self._texts))
            found[label] = next((place for place in starts if place[1] >= 0), self._end)
        return sorted(found, key=lambda label: (found[label], -label.endswith(MARKS), label))  # "Mamma Mia!" whole

    def _kind(self, label: str) -> str:
        return self._kinds.get(self._spelt[label].joined, "")

    def _surname_kind(self, label: str) -> str:
        """Return what a recogniser takes the last word of a name for; no recogniser reads the title."""
        return self._kinds.get(name(label.rsplit(maxsplit=1)[-1]).joined, "")

    def _is_of_a_person(self) -> bool:
        """Return whether the title is a plain name, taken for a person or followed by a life, and texts say "he"."""
        opening, last = self._texts[0][:OPENING] if self._texts else "", self._bare.split()[-1:]
        lived = _LIVED.search(opening) and " ".join(last) in opening
        taken = PERSON in (self._kind(self._bare) if self._bare else "", self._kinds.get("".join(last).casefold(), ""))
        plain = taken or lived or not _says_more(self._bare)
        somebody = any(_SOMEBODY.search(text) for text in self._texts)
        return _is_plain(self._bare) and bool(plain) and not country(self._bare) and somebody

    def _is_where(self, label: str) -> bool:
        """Return whether a text says that something is or goes there."""
        said = rf"\b(?:[Ii]n|[Aa]t|near|from|[Tt]o|[Ii]nto|outside|around) {re.escape(label)}(?!\w|[’']s)"
        return any(label in text and re.search(said, text) for text in self._texts)

    def _persons(self) -> dict[str, list[str]]:
        """Return the names that can be a person's, by surname: what is taken for one, or for nothing else, as far as it
        goes.

        A name of which nothing is known has no word of the dictionary, and its last is no place's and no body's.
        """
        found: dict[str, list[str]] = defaultdict(list)
        for label, of in self._spelt.items():
            if _SEVERAL.search(label):
                continue
            surname = given(of)[-1] if of.words else ""
            if self._own_person and is_part(given(self._spelt[self._bare]), given(of)):
                found[surname].append(label)
            elif _is_plain(label):
                plain = not _says_more(label) and not country(label)
                unknown = plain and not any(map(self._is_where, (label, label.split()[-1])))
                if unknown or self._kind(label) == PERSON:
                    found[surname].append(label)
        return {surname: self._shortest(labels) for surname, labels in found.items()}

    def _shortest(self, labels: list[str]) -> list[str]:
        """Return names without those that put a word before another: "Mike Mullen", not "Admiral Mike Mullen".

        Of "Van Daele" and "Paul Van Daele" the surname is left out.
        """
        words = {label: self._spelt[label].words for label in labels}
        longer = {of[at:] for of in words.values() for at in range(1, len(of) - 1)}
        labels = [label for label in labels if not (is_surname(words[label]) and words[label] in longer)]
        ends = {words[label] for label in labels}
        return [
            label for label in labels if not any(words[label][at:] in ends for at in range(1, len(words[label]) - 1))
        ]

    def _root(self, label: str) -> str:
        while label in self._into:
            label = self._into[label]
        return label

    def _join(self, label: str, into: str) -> None:
        one, other = self._root(label), self._root(into)
        if one == self._title:
            one, other = other, one
        if one != other:
            self._into[one] = other

    def _join_all(self, fitting: Callable[[str], Iterable[str]]) -> None:
        """Join each name with the only group that fits it; by surname the document's own comes first."""
        found = {}
        for label in self._order:
            if self._root(label) == label and label not in self._doubtful and label not in self._genitives:
                roots = {self._root(other) for other in fitting(label)} - {label}
                if self._title in roots and fitting == self._surname:
                    roots = {self._title}
                if len(roots) == 1:
                    found[label] = roots.pop()
        for label, other in found.items():
            self._join(label, other)

    def _join_spelt(self) -> None:
        """Join names of the same letters, whatever their case, marks, dots, articles and legal forms."""
        groups: dict[str, list[str]] = defaultdict(list)
        for label, of in self._spelt.items():
            if of.joined and label not in self._beside_owner:
                groups[of.joined].append(label)
        for same in groups.values():
            leaders: list[str] = []
            for label in sorted(same, key=lambda one: not self._spelt[one].initials):
                fitting = [one for one in leaders if not forbidden(self._spelt[label], self._spelt[one])]
                if not fitting:  # "US" is not "us", "Ada L. Voss" not "Ada M. Voss"
                    leaders.append(label)
                elif len(fitting) == 1 or self._title in fitting:
                    one = self._title if self._title in fitting else fitting[0]
                    self._join(*sorted((label, one), key=self._order.__getitem__, reverse=True))
        for label, of in self._spelt.items():
            if of.firm in groups:
                self._join(groups[of.firm][0], label)

    def _join_glossed(self) -> None:
        """Join a short or second name with what a text says it is; with nothing where texts say two things of it."""
        said = list(self._glossed())
        while True:
            whole: dict[str, set[str]] = defaultdict(set)
            for one, other in said:
                if self._root(one) != self._root(other):
                    whole[self._root(one)].add(self._root(other))
            sure = {one: others.pop() for one, others in whole.items() if len(others) == 1}
            if not sure:
                self._doubtful = set(whole)
                return
            for one, other in sure.items():
                self._join(one, other)

    def _glossed(self) -> Iterator[tuple[str, str]]:
        """Yield what a text says is one: (short or second name, the name before it)."""
        for text, found in zip(self._texts, self._places, strict=True):
            ends = sorted({one.end for one in found})
            longest = {one.end: one for one in reversed(found)}  # the one that begins first
            last = 0
            for after in found:
                while last < len(ends) and ends[last] < after.start:
                    last += 1
                for before in ends[max(last - BEHIND, 0) : last]:
                    between = text[before : after.start]
                    if len(_ASIDE.sub("", between)) <= NEAR and len(between) <= FAR and _FURTHER.match(text, after.end):
                        first = longest[before]
                        if self._is_place_of_own(after.label) and self._root(first.label) == self._title:
                            continue
                        for one, other in _called(after.label, between, first.label):
                            yield one, self._whole(other, first.label)

    def _whole(self, end: str, label: str) -> str:
        """Return the name that is meant by its end: the whole where that is the title, or has but an article more."""
        return label if label.endswith(end) and (label in self._own or _bare(label) == end) else end

    def _acronyms(self, label: str) -> Iterable[str]:
        """Return the names whose initials an abbreviation has."""
        if not is_short(label):
            return ()
        of = self._spelt[label].joined
        return [other for other in self._order if other[0] == label[0] and of in initials(other)]

    def _middle(self, label: str) -> Iterable[str]:
        """Return the same person with more of the name, or initials for it, before the surname."""
        words = given(self._spelt[label])
        others = self._people.get(words[-1], []) if words else []
        if label not in others:
            return ()
        own = given(self._spelt[self._bare]) if self._own_person else ()
        if own and label not in self._own and is_part(own, words):
            if has_other_middle(self._bare, label):
                return ()
            if self._is_written_out(label):
                return [self._title]
        longer = [(other, given(self._spelt[other])) for other in others]
        fitting = [other for other, more in longer if words != more and is_shorter(words, more)]
        return [other for other in fitting if self._is_shorter(label, other)]

    def _is_written_out(self, label: str) -> bool:
        """Return whether another whole name than the title is the document's person with the same number of words."""
        same = generation(self._bare) == generation(label) and len(full(self._bare)) == len(full(label))
        return same and not self._is_of_other_sex(self._bare, label)

    def _is_shorter(self, short: str, longer: str) -> bool:
        """Return whether a name with fewer words is another's, by what it leaves out: a whole word only after the
        other."""
        if has_other_middle(short, longer) or generation(short) != generation(longer):
            return False
        after = self._starts.get(longer, self._end) < self._starts.get(short, self._end)
        left_out = len(full(longer)) - len(full(short))
        return (left_out == 0 or (left_out > 0 and after)) and not self._is_of_other_sex(short, longer)

    @cached_property
    def _starts(self) -> dict[str, tuple[int, int]]:
        """Return where each name first stands, headings of nothing else aside."""
        found: dict[str, tuple[int, int]] = {}
        for at, there in enumerate(self._places):
            text = self._texts[at]
            for label, start, end in there:
                line = text[text.rfind("\n", 0, start) + 1 : start] + text[end:].partition("\n")[0]
                if re.search(r"\w", line):
                    found.setdefault(label, (at, start))
        return found

    def _is_of_other_sex(self, one: str, other: str) -> bool:
        """Return whether the one of two names is a man's and the other a woman's."""
        return {self._sex(one), self._sex(other)} == {"he", "she"}

    def _sex(self, label: str) -> str:
        """Return what a person is called, "he" or "she": by a title, as the document's own, or with a generation."""
        words = self._spelt[label].words
        if titled := sex(words) or self._sexes.get(words, ""):
            return titled
        if self._own_person and self._root(label) == self._title:
            return self._own_sex
        return "he" if len(given(self._spelt[label])) > 1 and generation(label) else ""

    @cached_property
    def _own_sex(self) -> str:
        """Return what the texts call the document's person, by most of their pronouns."""
        said = Counter(found[0].lower() for text in self._texts for found in _SOMEBODY.finditer(text))
        female, male = said["she"] + said["her"], said["he"] + said["his"]
        return "she" if female > male else "he" if female < male else ""

    @cached_property
    def _sexes(self) -> dict[tuple[str, ...], str]:
        """Return what the titles before whole names say, by their words without title."""
        titled = {untitled(of.words): sex(of.words) for of in self._spelt.values() if sex(of.words)}
        return {words: said for words, said in titled.items() if len(words) > 1}

    def _surname(self, label: str) -> Iterable[str]:
        """Return the persons of a surname, with or without a title before it."""
        return [one for one in self._bearers(label) if not self._is_of_other_sex(label, one)]

    def _bearers(self, label: str) -> Iterable[str]:
        words = untitled(self._spelt[label].words)
        if not words or (" " in label and not is_surname(words)) or label in self._own:  # "Burne-Jones" is one name
            return ()
        return [one for one in self._people.get(words[-1], ()) if given(self._spelt[one])[-len(words) :] == words]

    def _first_name(self, label: str) -> Iterable[str]:
        """Return the persons of a first name that were named before; the document's own where that is taken for a
        person."""
        words = self._spelt[label].words
        if len(words) != 1 or is_common(words[0]) or label in self._own:
            return ()
        somebody = self._own_person or not _is_plain(self._bare)  # "Carol" of "Carol II of Romania"
        named = self._kinds.get(words[0]) == PERSON and self._title in self._first[words[0]]
        if somebody and named and not _says_more(self._title):
            return (self._title,)
        earlier = [one for one in self._first[words[0]] if self._order[one] < self._order[label]]
        own = self._own_person or not self._title or self._kind(self._title) == PERSON  # no Toyota is "Toyota Probox"
        earlier = [one for one in earlier if own or one != self._title]
        return [one for one in earlier if one in self._people.get(given(self._spelt[one])[-1], ())]

    def _last_noun(self, label: str) -> Iterable[str]:
        """Return what "the Bank" and "the Spurs" are: the names before that end with this word of the dictionary."""
        words = self._spelt[label].words
        several = words[-1:] and words[-1].endswith("s")  # "the Vikings"
        if len(words) != 1 or not _bare(label)[0].isupper() or not (several or is_common(words[0])):
            return ()
        ending = [one for one in self._last[words[0]] if self._order[one] < self._order[label] and _is_of(one)]
        ending = [one for one in ending if one not in self._people.get(words[0], ())]
        own = ending == [self._bare] and is_common(words[0])
        return ending if own or (ending and self._is_certain(label)) else ()

    def _further(self, label: str) -> Iterable[str]:
        """Return the names that say of what or where something is: "the Supreme Court of Pakistan".

        After a person's whole name that is a place alone: not "directed by Orla Brandt for Varnia Pictures". A ruler's
        first name and number are no whole name: "Hugh II of Saint-Pol".
        """
        words = self._spelt[label].words
        bare, person = _bare(label), label in self._people.get((given(self._spelt[label]) or ("",))[-1], ())
        person = person and not self._spelt[label].numbers
        joints = ("of",) if person else ("of", "for")
        begins = tuple(f"{article}{bare} {joint} " for article in ("", "The ", "the ") for joint in joints)
        said = (one for one in self._first.get(words[0], ()) if one.startswith(begins)) if words else ()
        longer = [one for one in said if not person or self._is_place(one.partition(f"{bare} of ")[2])]
        sure = bool(longer) and (len(words) > 1 or (is_common(words[0]) and self._is_certain(label)))
        return longer if sure else ()

    def _is_place(self, label: str) -> bool:
        return bool(country(label)) or self._kinds.get(name(label).joined) == PLACE

    def _is_certain(self, label: str) -> bool:
        """Return whether a text says "the" before a name that nothing more belongs to."""
        after = "" if ADJECTIVE.search(label) else "|[a-z]"
        said = rf"\b[Tt]he {re.escape(_bare(label))}(?=[.,;:)’'\"]|'s|$| (?:(?:{_AFTER})\b{after}))"
        return any(_bare(label) in text and re.search(said, text) for text in self._texts)

    def _join_countries(self) -> None:
        """Join the names of one country, and what is said of its people; "US" after "the", or named otherwise too."""
        named: dict[str, list[tuple[str, How]]] = defaultdict(list)
        for label in self._order:
            if (known := country(label)) and self._root(label) != self._title:
                named[known.name].append((label, known.how))
        for country_, labels in named.items():
            longer = self._root(country_)
            if (known := country(longer)) and known.name == country_ != longer != self._title:
                del self._into[country_]  # "United States" was taken for short for "United States of America"
                self._into[longer] = country_
            spelt = {folded(label) for label, _ in labels}
            for label, how in labels:
                short = how == "code" and len(folded(label)) < SURE_CODE
                is_place = "." in label and self._kind(label) == PLACE  # "New York, U.S.", but not "Vellmar, S.A."
                doubtful = short and len(spelt) == 1 and not (is_place or self._has_article(label))
                doubtful = doubtful or self._root(label) in self._doubtful
                if not doubtful and (how != "demonym" or self._is_of_people(label)):
                    self._join(label, country_)

    def _has_article(self, label: str) -> bool:
        return label != _bare(label) or any(f"the {label}" in text for text in self._texts)

    def _adjective(self, label: str) -> Iterable[str]:
        """Return the place of which an adjective is made: "European" of "Europe"; not "Lutheran" of a person."""
        if not _ADJECTIVE.search(label) or " " in label or country(label) or not self._is_of_people(label):
            return ()
        stems = {label[: -len(ending)] for ending in _ENDINGS if label.endswith(ending)}
        nouns = [one for one in self._order if _VOWELS.sub("", _bare(one)) in stems and self._kind(one) != PERSON]
        return [one for one in nouns if not is_common(one.lower())]

    def _is_of_people(self, demonym: str) -> bool:
        """Return whether a demonym is said of people and things wherever it stands, and never of a language."""
        found = [
            f"{text[max(0, start - 12) : start]}@{text[end : end + 30]}"
            for text in self._texts
            for start, end in whole_words.spans(text, demonym)
        ]
        return bool(found) and not any(_LANGUAGE.search(around) for around in found)


def _opening(title: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the name with which a document's first sentence calls its title's thing, if it is another."""
    own = own_name(title, texts[0]) if texts else None
    return (" ".join(texts[0][own.start : own.end].split()),) if own else ()


def _all_places(text: str, named: Iterable[str]) -> list[NamePlace]:
    """Return the names of a text that its capitals show, and those that were found otherwise, by place.

    One that was found with its genitive keeps it: "Harrah's" is no Harrah.
    """
    found = {(one.start, one.end): one for one in places(text)}
    for label in named:
        for start, end in whole_words.spans(text, label):
            found.setdefault((start, end), NamePlace(label, start, end))
            if label.endswith(GENITIVE):
                found.pop((start, end - 2), None)
    return sorted(found.values(), key=lambda one: (one.start, one.end))


def _called(label: str, between: str, before: str) -> Iterator[tuple[str, str]]:
    """Yield a name and the one before it, if what stands between says that they are one."""
    defined = _DEFINES.fullmatch(between)
    glossed = _GLOSS.fullmatch(between) or (between.lstrip() == "(" and _script(label) != _script(before))
    if glossed or (defined and _bare(before).startswith((f"{label} ", f"{label},"))):
        yield label, before
    elif defined or _OPENS.fullmatch(between):
        for short, longer in ((label, before), (before, label)):
            if whole := spelt_out(short, longer):
                yield short, whole
                return


def _script(label: str) -> str:
    """Return the script of a name's first letter: LATIN, CYRILLIC, CJK."""
    return next((unicodedata.name(sign, "").partition(" ")[0] for sign in label if sign.isalpha()), "")


def _is_plain(label: str) -> bool:
    words = [re.sub(r"[.,’'\"“”-]", "", word) for word in label.split()]
    capitals = words[:1] + [word for word in words[1:] if word not in PARTICLES]  # "Karl von Lind"
    if len(capitals) < len(words) and words[-1].isupper():  # "S.A. de C.V."
        return False
    return 2 <= len(words) <= MAX_PERSON and all(word[:1].isupper() and word.isalpha() for word in capitals)


def _says_more(label: str) -> bool:
    """Return whether a name is a headline, or has a word of the dictionary or two capitals: "Lake Okafor", "FC Lun"."""
    if not all(map(follows, BRACKET.sub("", label).split())):
        return True  # "Djokovic beats Alcaraz in the final"
    words = [word for word in label.split() if word[0].isupper()]
    return any(is_common(word.lower()) or (word.isupper() and len(word) > 1 and word.isalpha()) for word in words)


def _bare(label: str) -> str:
    return label.removeprefix("The ").removeprefix("the ")


def _is_of(label: str) -> bool:
    """Return whether a name's last word stands after no small word: not "University of Michigan"."""
    words = _bare(label).split()
    return len(words) > 1 and words[-2][0].isupper()

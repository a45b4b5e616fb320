"""Parts of spaCy's pipeline that find the same as spaCy's own in less time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from spacy.matcher import Matcher
from spacy.pipeline import DependencyParser, EntityRecognizer
from spacy.tokens._retokenize import set_token_attrs

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.pipeline import AttributeRuler, Lemmatizer
    from spacy.tokens import Doc

_DECIDES: list[int | str] = ["TAG", "LOWER", "DEP"]
_DECIDED = frozenset((*_DECIDES, "IS_SPACE"))  # attributes of a pattern that these three tell
REMEMBERED = 50_000  # words, each with a tag and a relation


def quicken(nlp: Language) -> None:
    """Replace what is slow in a pipeline like spaCy's en_core_web_md."""
    lemmatizer, ruler = cast("Lemmatizer", nlp.get_pipe("lemmatizer")), cast("Any", nlp.get_pipe("attribute_ruler"))
    known = lemmatizer.lookups.get_table("lemma_index")
    for part, forms in list(known.items()):  # lists of up to 57,000 words, in which spaCy searches
        known[part] = frozenset(forms)
    ruler.match, ruler.set_annotations = WordMatcher(ruler), partial(set_annotations, ruler)
    quick = {"parser": QuickParser, "ner": QuickRecognizer}
    nlp._components = [(name, quick[name].of(pipe) if name in quick else pipe) for name, pipe in nlp._components]


class _Stepwise:
    """Takes the steps of a transition system from Python, where spaCy takes them without the interpreter's lock.

    There spaCy asks for the lock hundreds of times a word (its C functions may raise), which takes most of the time.
    """

    model: Any
    moves: Any
    transition_states: Any

    @classmethod
    def of(cls, pipe: Any) -> Any:
        """Return a part with the model, the moves and the settings of one of spaCy's."""
        made: Any = cls
        return made(pipe.vocab, pipe.model, pipe.name, pipe.moves, scorer=pipe.scorer)

    def predict(self, docs: Sequence[Doc]) -> list[Any]:
        """Return the last state of each document."""
        batch: list[Any] = self.moves.init_batch(docs)
        states = [state for state in batch if not state.is_final()]
        if not any(map(len, docs)):
            return batch
        step = self.model.predict(docs)
        while states:
            states = self.transition_states(states, step.predict(states))
        step.clear_memory()
        return batch


class QuickParser(_Stepwise, DependencyParser):  # type: ignore[misc]
    """The dependency parser."""


class QuickRecognizer(_Stepwise, EntityRecognizer):  # type: ignore[misc]
    """The name recogniser."""


class WordMatcher:
    """Matches the patterns of a ruler, and remembers what a word alone matches.

    spaCy tries each of 180 patterns at each word; all but a few are of one word.
    """

    def __init__(self, ruler: AttributeRuler) -> None:
        self._of_word, self._longer = (cast("Any", Matcher(ruler.vocab)) for _ in range(2))
        self._strings = ruler.vocab.strings
        for number, entry in enumerate(ruler.patterns):
            for pattern in cast("list[list[dict[str, Any]]]", entry["patterns"]):
                alone = len(pattern) == 1 and _DECIDED.issuperset(pattern[0])
                (self._of_word if alone else self._longer).add(str(number), [pattern])
        self._known: dict[tuple[int, ...], list[int]] = {}

    def __call__(self, doc: Doc) -> list[tuple[int, int, int]]:
        """Return the matches in order: the number of the ruler's entry, the first word and the end."""
        more = self._longer(doc, allow_missing=True) if len(self._longer) else []
        found = [(int(self._strings[key]), start, end) for key, start, end in more]
        if len(self._known) > REMEMBERED:
            self._known.clear()
        for at, word in enumerate(map(tuple, doc.to_array(_DECIDES).tolist())):
            if (known := self._known.get(word)) is None:
                alone = self._of_word(doc[at : at + 1], allow_missing=True)
                known = self._known[word] = [int(self._strings[key]) for key, *_ in alone]
            found += [(number, at, at + 1) for number in known]
        return sorted(found)


def set_annotations(ruler: AttributeRuler, doc: Doc, matches: Sequence[tuple[int, int, int]]) -> None:
    """Set what a ruler's entries tell of their words, the later entry last."""
    for number, start, end in matches:
        index = ruler.indices[number]
        set_token_attrs(doc[index + (end if index < 0 else start)], ruler.attrs[number])

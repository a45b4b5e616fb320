import numpy as np
import spacy

from kgservice.extraction.syntax.parser import PACKAGED
from kgservice.extraction.syntax.quick_pipes import WordMatcher, quicken

TEXTS = (
    "Ada Orr, born on 3 May 1970 in Lunsk, is gonna lead Acme Corp. of New York; she ain't been paid $3.5 million.",
    "He'd  met\nBo Lind when the Lunsk Museum's directors were buying better buildings. What's done was done worse.",
    "",
    "That that is, is. Do n't you all see the mice that he has left and they have found, lying there?",
    "Founded by Cy Vale and Dr. Dee Mott in 1999, the companies had fewer men than wolves, geese or oxen.",
)
SEEN = ["TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "ENT_IOB", "ENT_TYPE"]


def pipeline():
    nlp = spacy.load(PACKAGED)
    nlp.vocab.vectors.data = nlp.vocab.vectors.data.astype(np.float32)
    return nlp


def read(nlp):
    """Return what a pipeline reads in each word of the texts; numbers that are strings are said as such."""
    kinds = [attribute not in ("HEAD", "ENT_IOB") for attribute in SEEN]
    return [
        [
            tuple(nlp.vocab.strings[one] if said and one else one for one, said in zip(row, kinds, strict=True))
            for row in rows
        ]
        for rows in (doc.to_array(SEEN).tolist() for doc in nlp.pipe(TEXTS * 10))
    ]


def test_quick_parts_find_what_those_of_spacy_find():
    own, quick = pipeline(), pipeline()
    quicken(quick)
    found = read(own)
    assert read(quick) == found
    assert read(quick) == found  # by what was remembered of words
    assert [word.dep_ for word in quick(TEXTS[0])] == [word.dep_ for word in own(TEXTS[0])]


def test_a_matcher_of_words_forgets_before_it_grows_too_large(monkeypatch):
    nlp = pipeline()
    ruler = nlp.get_pipe("attribute_ruler")
    text = nlp(TEXTS[0])
    own, made = [(number, *place) for number, _, *place in ruler.match(text)], WordMatcher(ruler)
    monkeypatch.setattr("kgservice.extraction.syntax.quick_pipes.REMEMBERED", 3)
    assert made(text) == made(text) == own
    made(nlp("Bo"))
    assert len(made._known) < 3

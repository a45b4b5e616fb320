"""Extractive summaries of documents, with no model: SumBasic (Nenkova and Vanderwende, 2005)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from kgservice.text.sentences import sentences

WORDS = 75  # about the 100 tokens of a summary in PluriHop's prompt A.1
SHORTEST = 4  # content words; fewer say too little to stand for a document

_WORD = re.compile(r"\w{4,}")  # short words are function words or say little


def summary(texts: Sequence[str]) -> str:
    """Return the sentences whose words are the most frequent of the document, in its order, about 75 words.

    A word that is in the summary counts less from then on, so the next sentence says something else. A document of
    at most 75 words is its own summary. Table rows and headings are taken only where there is nothing else.
    """
    whole = "\n".join(texts)
    if len(whole.split()) <= WORDS:
        return whole.strip()
    found = list(dict.fromkeys(" ".join(text[start:end].split()) for text in texts for start, end in sentences(text)))
    content = [_WORD.findall(sentence.lower()) for sentence in found]
    usable = [index for index, said in enumerate(content) if len(said) >= SHORTEST and found[index][0] not in "|#"]
    chosen = _chosen(found, content, usable or list(range(len(found))))
    return " ".join(" ".join(found[index] for index in sorted(chosen)).split()[: 2 * WORDS])


def _chosen(found: list[str], content: list[list[str]], usable: list[int]) -> list[int]:
    counts = Counter(word for said in content for word in said)
    total = sum(counts.values()) or 1
    weight = {word: number / total for word, number in counts.items()}
    left, chosen, length = dict.fromkeys(usable), list[int](), 0
    while left and length < WORDS:
        best = max(
            left, key=lambda index: (sum(weight[w] for w in content[index]) / (len(content[index]) or 1), -index)
        )
        del left[best]
        chosen.append(best)
        length += len(found[best].split())
        weight.update({word: weight[word] ** 2 for word in set(content[best])})
    return chosen

"""Extractive summaries of documents without a model: SumBasic (Nenkova and Vanderwende, 2005)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from kgservice.text.sentences import sentences

WORDS = 75  # about the 100 tokens of a summary in PluriHop's prompt A.1
SHORTEST = 4  # least content words of a sentence in a summary

_WORD = re.compile(r"\w{4,}")  # short words are mostly function words


def summary(texts: Sequence[str]) -> str:
    """Return the sentences with the most frequent words of the document, in its order, about 75 words.

    A word in the summary has a lower weight from then on, so the next sentence adds something else. A document of at
    most 75 words is its own summary. Table rows and headings are used only if there is nothing else.
    """
    whole = "\n".join(texts)
    if len(whole.split()) <= WORDS:
        return whole.strip()
    pieces = list(dict.fromkeys(" ".join(text[start:end].split()) for text in texts for start, end in sentences(text)))
    content = [_WORD.findall(sentence.lower()) for sentence in pieces]
    usable = [index for index, words in enumerate(content) if len(words) >= SHORTEST and pieces[index][0] not in "|#"]
    chosen = _chosen(pieces, content, usable or list(range(len(pieces))))
    return " ".join(" ".join(pieces[index] for index in sorted(chosen)).split()[: 2 * WORDS])


def _chosen(texts: list[str], content: list[list[str]], usable: list[int]) -> list[int]:
    counts = Counter(word for words in content for word in words)
    total = sum(counts.values()) or 1
    weight = {word: number / total for word, number in counts.items()}
    remaining, chosen, length = dict.fromkeys(usable), list[int](), 0
    while remaining and length < WORDS:
        best = max(
            remaining, key=lambda index: (sum(weight[w] for w in content[index]) / (len(content[index]) or 1), -index)
        )
        del remaining[best]
        chosen.append(best)
        length += len(texts[best].split())
        weight.update({word: weight[word] ** 2 for word in set(content[best])})
    return chosen

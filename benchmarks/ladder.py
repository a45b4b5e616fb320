"""What 1,000 adaptive submissions gain over an honest run, with raw scores and with the leaderboard's own rule.

    .venv/bin/python benchmarks/ladder.py [--seeds 20] [--questions 640] [--probes 1000]

A system knows candidates for each question: its best guess is right with probability .55, its second with .25. The
honest run submits the best guesses. An attacker submits as often as it may, looks at the board after each, and hands in
what it believes in the end:

- `flips`: change one answer to the second guess, keep it where the board rises;
- `blocks`: the same with 2 to 64 answers at once;
- `votes`: submit random mixtures, then take for each question the guess that stood in the better half of them
  (Blum & Hardt 2015, section 4: "boosting");
- `fresh`: begin with no answers, so that every block that is filled in is a rise, and keep the fillings that rise most.

Points are per cent of right answers. `private`: gain over the honest run on the private half. `public`: the same on the
public half, which is what leaked, as nobody knows which questions are in it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kgservice.leaderboard.ladder import rises, rounded

FIRST, SECOND = 0.55, 0.25
Flags = npt.NDArray[np.bool_]
Choice = npt.NDArray[np.int64]  # for each question: 0 the best guess, 1 the second, 2 no answer
Show = Callable[[Choice], float]


class Gain(NamedTuple):
    """Points over the honest run on each half."""

    private: float
    public: float


class World:
    """Questions, which guesses at them are right, and the public half."""

    def __init__(self, questions: int, rng: np.random.Generator) -> None:
        luck = rng.random(questions)
        first = luck < FIRST
        second = (luck >= FIRST) & (luck < FIRST + SECOND)
        self.right = np.stack([first, second, np.zeros(questions, bool)])
        self.public: Flags = rng.random(questions) < 0.5

    def worth(self, choice: Choice) -> Flags:
        """Return which questions a submission answers."""
        found: Flags = self.right[choice, np.arange(len(choice))]
        return found

    def gain(self, choice: Choice) -> Gain:
        """Return the points over the honest run."""
        more = self.worth(choice).astype(float) - self.right[0]
        return Gain(100 * more[~self.public].mean(), 100 * more[self.public].mean())


def raw(world: World) -> Show:
    """Return a board that shows the exact score over all questions."""
    return lambda choice: float(world.worth(choice).mean())


def ladder(world: World) -> Show:
    """Return a board as kgservice shows it."""
    best: list[float] | None = None
    shown, compared, risen = 0.0, 0, 0

    def show(choice: Choice) -> float:
        nonlocal best, shown, compared, risen
        first = int(best is not None)
        worth = [float(one) for one in world.worth(choice)[world.public]]
        if rises(worth, best, compared, risen):
            best, shown, risen = worth, rounded(sum(worth) / len(worth), len(worth)), risen + 1
        compared += first
        return shown

    return show


def climb(show: Show, rng: np.random.Generator, questions: int, probes: int, most: int) -> Choice:
    """Change up to `most` answers at a time, and keep what the board rises by."""
    held = np.zeros(questions, int)
    best = show(held)
    for _ in range(probes - 1):
        trial = held.copy()
        places = rng.choice(questions, 1 if most == 1 else int(rng.integers(2, most + 1)), replace=False)
        trial[places] = 1 - trial[places]
        if (found := show(trial)) > best:
            held, best = trial, found
    return held


def flips(show: Show, rng: np.random.Generator, questions: int, probes: int) -> Choice:
    """Try the second guesses one by one."""
    return climb(show, rng, questions, probes, 1)


def blocks(show: Show, rng: np.random.Generator, questions: int, probes: int) -> Choice:
    """Try the second guesses many at once."""
    return climb(show, rng, questions, probes, 64)


def votes(show: Show, rng: np.random.Generator, questions: int, probes: int) -> Choice:
    """Believe the guesses that stood in the better half of random mixtures."""
    trials = (rng.random((probes, questions)) < 0.5).astype(int)
    scores = np.array([show(trial) for trial in trials])
    if scores.max() == scores[1:].min():  # the board never moved
        return np.zeros(questions, int)
    moved = np.diff(scores, prepend=scores[0]) if scores[-1] == scores.max() else scores
    weight = moved - moved.mean()
    found: Choice = (weight @ (trials - 0.5) > np.sqrt((weight**2).sum()) * 0.25).astype(int)
    return found


def fresh(show: Show, rng: np.random.Generator, questions: int, probes: int) -> Choice:
    """Begin with nothing, fill in a block at a time, and keep a filling only where the board rises by it."""
    held = np.full(questions, 2)
    best, used, size = show(held), 1, 20
    order, tries = rng.permutation(questions), 0
    while len(order) and used < probes:
        place = order[:size]
        trial = held.copy()
        trial[place] = (rng.random(len(place)) < (0.15 if tries else 0.0)).astype(int)
        found, used, tries = show(trial), used + 1, tries + 1
        if found > best:
            held, best, order, tries = trial, found, order[len(place) :], 0
        elif tries == 40:  # too few of them are right for a rise: some more at once
            size, tries = size + 10, 0
    held[held == 2] = 0
    return held


ATTACKS = {"flips": flips, "blocks": blocks, "votes": votes, "fresh": fresh}
BOARDS = {"raw": raw, "ladder": ladder}


def simulate(board: str, attack: str, seed: int, questions: int = 640, probes: int = 1_000) -> Gain:
    """Return what an attack gains on a board."""
    rng = np.random.default_rng(seed)
    world = World(questions, rng)
    return world.gain(ATTACKS[attack](BOARDS[board](world), rng, questions, probes))


def main() -> None:
    """Print a row an attack and a board."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--questions", type=int, default=640)
    parser.add_argument("--probes", type=int, default=1_000)
    known = parser.parse_args()
    for board in BOARDS:
        for attack in ATTACKS:
            gains = [simulate(board, attack, seed, known.questions, known.probes) for seed in range(known.seeds)]
            means = {half: round(float(np.mean([getattr(one, half) for one in gains])), 2) for half in Gain._fields}
            worst = {f"worst {half}": round(max(getattr(one, half) for one in gains), 2) for half in Gain._fields}
            print(json.dumps({"board": board, "attack": attack, **means, **worst}))


if __name__ == "__main__":
    main()

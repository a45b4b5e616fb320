"""Certificates with one lie each, and in plain Python whether what they claim is true all the same."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from kgservice.questions.patterns import DIAGNOSTIC
from kgservice.text.matching import NOT_STATED

Rows = list[dict[str, Any]]
FLIPS = {
    "last": "first", "first": "last", "object": "subject", "subject": "object", "larger": "smaller", "smaller": "larger",
    "earlier": "later", "later": "earlier", "min": "max", "max": "min", "list": "count", "count": "list", "rose": "fell", "fell": "rose",
}  # fmt: skip


class Forgery(NamedTuple):
    """A certificate in which one thing was changed; `of` is a fact, question or answer."""

    of: str
    lines: list[bytes]
    rows: Rows


def written(rows: Rows) -> list[bytes]:
    """Return rows as the lines of a certificate."""
    return [json.dumps(row, ensure_ascii=False).encode() for row in rows]


def sealed(lines: list[bytes], commitments: list[bytes]) -> list[bytes]:
    """Return the commitments of somebody who makes the digest of the certificate anew."""
    digest = hashlib.sha256(b"".join(line + b"\n" for line in lines)).hexdigest()
    return [json.dumps({"sha256": digest}).encode(), *commitments[1:]]


def forgeries(lines: list[bytes], number: int, seed: int) -> Iterator[Forgery]:
    """Yield certificates with one change each: a fact, a question or an answer in turn, drawn by seed."""
    luck, known = random.Random(seed), list(map(json.loads, lines))
    asked = [at for at, row in enumerate(known) if "pattern" in row]
    things = sorted({end for row in known if "fact" in row for end in row["fact"][::2]})
    relations = sorted({row["fact"][1] for row in known if "fact" in row})
    by_end = defaultdict(list)
    for at, row in enumerate(known):
        for end in row["fact"][::2] if "fact" in row else ():
            by_end[end].append(at)
    for turn in range(number):
        rows, of = [*known], ("fact", "question", "answer")[turn % 3]
        at = luck.choice(asked)
        row = rows[at] = json.loads(json.dumps(known[at]))
        if of == "fact":
            ends = [end for end in (*row["named"], *row["answers"]) if isinstance(end, str) and end in by_end] or things
            _change_fact(rows, by_end[luck.choice(ends)], things, luck)
        elif of == "question":
            _change_question(row, things, relations, luck)
        else:
            row["answers"] = (
                [luck.choice(things), *row["answers"][1:]] if row["asked"] != "count" else [row["answers"][0] + 1]
            )
        if rows != known:
            same = {id(one): line for one, line in zip(known, lines, strict=True)}
            yield Forgery(of, [same.get(id(one)) or written([one])[0] for one in rows], rows)


def _change_fact(rows: Rows, near: list[int], things: list[str], luck: random.Random) -> None:
    at = luck.choice(near)
    fact = [*rows[at]["fact"]]
    fact[luck.choice((0, 2))] = luck.choice(things)
    way = luck.choice(("dropped", "added", "changed"))
    if way == "added":
        rows.append(rows[at] | {"fact": fact})
    else:
        rows[at : at + 1] = [] if way == "dropped" else [rows[at] | {"fact": fact}]


def _change_question(row: dict[str, Any], things: list[str], relations: list[str], luck: random.Random) -> None:
    way = luck.choice(("named", "relation", "asked"))
    if way == "asked" and row["asked"] in FLIPS:
        row["asked"] = FLIPS[row["asked"]]
    elif way == "relation":
        row["relations"][luck.randrange(len(row["relations"]))] = luck.choice(relations)
    else:
        row["named"][luck.randrange(len(row["named"]))] = luck.choice(things)


def true(rows: Rows) -> bool:
    """Return whether every question of a certificate has exactly the answers it states, by the patterns' definitions."""
    out, into, values, scopes = defaultdict(set), defaultdict(set), {}, {}
    stated = defaultdict(set)
    for row in rows:
        if "fact" in row:
            s, r, o = row["fact"]
            out[s, r].add(o)
            into[o, r].add(s)
            stated[r].update((s, o, document) for document in row["documents"])
        elif "value" in row:
            values[row["value"]] = row["scale"], row["rank"]
        elif "scope" in row:
            scopes[row["scope"]] = set(row["documents"])
    diagnostic = [row for row in rows if row.get("pattern") in DIAGNOSTIC]
    rows = [row for row in rows if row.get("pattern") not in DIAGNOSTIC]
    return all(_true_diagnostic(row, out) for row in diagnostic) and all(
        _true(row, out, into, values, scopes, stated) for row in rows if "pattern" in row
    )


def _true(row: dict[str, Any], out: Any, into: Any, values: Any, scopes: Any, stated: Any) -> bool:
    pattern, asked, named, relations, answers = (
        row[name] for name in ("pattern", "asked", "named", "relations", "answers")
    )
    if pattern in ("set_of_objects", "set_of_subjects"):
        found = (out if pattern == "set_of_objects" else into)[named[0], relations[0]]
        return len(found) > 1 and named[0] not in found and sorted(found) == answers
    if pattern == "comparison":
        pairs = [(s, o) for s in named for o in out[s, relations[0]]]
        return len(pairs) == 2 and pairs[0][0] != pairs[1][0] and [_best(pairs, values, asked)] == answers
    if asked in ("rose", "fell"):
        *years, end = named
        said = [{o for s, o, d in stated[relations[0]] if s == end and d in scopes.get(year, ())} for year in years]
        known = [values.get(min(found)) if len(found) == 1 else None for found in said]
        if None in known or len({scale for scale, _ in known}) > 1 or len({*years}) < len(years):
            return False
        ranks = [rank if asked == "rose" else -rank for _, rank in known]
        return sorted(year for year, one, two in zip(years[1:], ranks, ranks[1:], strict=False) if one < two) == answers
    if pattern == "pluri_hop":
        within = [one for one in stated[relations[0]] if one[2] in scopes.get(named[0], ())]
        return _true_of_scope(row, within, values)
    if len(set(relations)) < len(relations):
        return False
    f, g, h = [*relations, None, None][:3]
    if asked == "pivot":
        a, c, *more = named
        ways = {
            "conditional_chain": [out[a, f], into[c, g]], "conditional_star": [into[a, f], into[c, g]],
            "conditional_inverted_star": [out[a, f], out[c, g]],
            "star3": [into[a, f], into[c, g], *(into[d, h] for d in more)],
            "inverted_star3": [out[a, f], out[c, g], *(out[d, h] for d in more)],
        }  # fmt: skip
        return sorted(set.intersection(*ways[pattern])) == answers
    steps = {
        ("single", "object"): [(out, f)], ("single", "subject"): [(into, f)],
        ("chain", "last"): [(out, f), (out, g)], ("chain", "first"): [(into, g), (into, f)],
        ("star", "last"): [(into, f), (out, g)], ("star", "first"): [(into, g), (out, f)],
        ("inverted_star", "last"): [(out, f), (into, g)], ("inverted_star", "first"): [(out, g), (into, f)],
        ("chain3", "last"): [(out, f), (out, g), (out, h)], ("chain3", "first"): [(into, h), (into, g), (into, f)],
    }  # fmt: skip
    way = [*named]
    for side, relation in steps[pattern, asked]:
        found = side[way[-1], relation]
        if len(found) != 1:
            return False
        way += found
    return len(set(way)) == len(way) and way[-1:] == answers


def _true_diagnostic(row: dict[str, Any], out: Any) -> bool:
    named, answers = row["named"], row["answers"]
    told, *others = (out[named[0], relation] for relation in row["relations"])
    if row["pattern"] == "conflict":
        return len(told) == 2 and named[0] not in told and sorted(told) == answers
    if row["pattern"] == "unanswerable":
        return not told and answers == [NOT_STATED]
    return len(told) == len(others[0]) == 1 and named[1] not in told and [*told] == answers


def _best(pairs: list[tuple[str, str]], values: Any, asked: str) -> str | None:
    known = [values.get(o) for _, o in pairs]
    if None in known or len({scale for scale, _ in known}) > 1:
        return None
    ranks = sorted((rank, s) for (s, _), (_, rank) in zip(pairs, known, strict=True))
    first, second = (ranks[0], ranks[1]) if asked in ("smaller", "earlier", "min") else (ranks[-1], ranks[-2])
    return first[1] if first[0] != second[0] else None


def _true_of_scope(row: dict[str, Any], within: list[tuple[str, str, str]], values: Any) -> bool:
    asked, answers = row["asked"], row["answers"]
    if asked in ("most", "often"):
        said = Counter(s for s, o, _ in within if o == row["named"][1])
        if asked == "often":
            return bool(answers) and sorted(s for s in said if said[s] > 2) == answers
        return [s for s, number in said.items() if number == max(said.values())] == answers != []
    pairs = sorted({(s, o) for s, o, _ in within})
    if len(pairs) < 2 or len({s for s, _ in pairs}) < len(pairs):
        return False
    if asked in ("list", "count"):
        return bool(answers == ([list(pair) for pair in pairs] if asked == "list" else [len(pairs)]))
    return bool([_best(pairs, values, asked)] == answers)

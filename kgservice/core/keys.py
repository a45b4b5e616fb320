"""Deterministic keys in digits and the letters a to v, so that sorting keys as text is one order for every program.

Every key of a corpus starts with the corpus's code: one range of an index is one corpus. Shapes (characters):

    corpus code 6 · document, entity, form, decision, fact 20 = code + 14 · chunk 31 = document + "-" + 10
    past document 26 = document + "-" + 5 digits
    group (sr, ro) 28 = entity + relation code 8 · question 38 = group + 10

A group key is the entity's key followed by the code of the relation and its period, so Cypher can make the key of
another entity's group for the same relation and period: `other.key + substring(f.sr, 20)`.
"""

from __future__ import annotations

import hashlib
import json.encoder
from collections.abc import Iterable
from functools import lru_cache

from kgservice.core.errors import BadRequest

CODE, KEY, GROUP, CHUNK, QUESTION = 6, 20, 28, 31, 38

_ALPHABET = b"0123456789abcdefghijklmnopqrstuv" * 8  # a character for each byte, by its low five bits
_DIGITS = frozenset(_ALPHABET.decode())
_string = json.encoder.encode_basestring  # raises TypeError for anything else
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def encode(part: object) -> str:
    """Return a part as JSON, as digest writes it."""
    return _encode(part)


def digest(length: int, *parts: object) -> str:
    """Return `length` characters (at most 64, 5 bits each) of the BLAKE2b hash of the parts."""
    try:
        encoded = f"[{','.join(map(_string, parts))}]"  # type: ignore[arg-type]
    except TypeError:  # another part than a string
        encoded = _encode(parts)
    return digest_of(length, encoded)


def digest_of(length: int, encoded: str) -> str:
    """Return the digest of parts that are a list in JSON already, written without spaces and escapes of letters."""
    data = encoded.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=length).digest().translate(_ALPHABET).decode("ascii")


def is_key(text: str, *lengths: int) -> bool:
    """Return whether a text has the form of a key of one of some lengths; of a document's or an entity's by default."""
    return len(text) in (lengths or (KEY,)) and _DIGITS.issuperset(text)


@lru_cache(maxsize=1024)
def corpus_code(corpus: str) -> str:
    """Return the code that starts every key of a corpus."""
    return digest(CODE, "corpus", corpus)


def document_key(corpus: str, source: str) -> str:
    """Return the key of the document that a loader names `source`."""
    return corpus_code(corpus) + digest(KEY - CODE, "document", corpus, source)


def past_key(document: str, number: int) -> str:
    """Return the key of a document's former version, of which the first has number 1."""
    return f"{document}-{number:05}"


def chunk_key(document: str, content_hash: str, occurrence: int) -> str:
    """Return a chunk's key. It depends on the content, not the position, so an insertion keeps other keys."""
    known = f'["chunk","{content_hash}",{occurrence}]'  # a hash has no quotes
    return f"{document}-{digest_of(10, known)}"


@lru_cache(maxsize=65536)
def entity_key(corpus: str, entity_id: str) -> str:
    """Return the key of the entity with this id ("Q90" or "local:Paris")."""
    return corpus_code(corpus) + digest(KEY - CODE, "entity", corpus, entity_id)


def form_key(corpus: str, form: str) -> str:
    """Return the key that a corpus's entities share if their names have this form (names.mentions.form)."""
    return corpus_code(corpus) + digest(KEY - CODE, "form", corpus, form)


@lru_cache(maxsize=65536)
def decision_key(corpus: str, kind: str, name: str) -> str:
    """Return the key of the decision about an entity (by id) or a relation."""
    return corpus_code(corpus) + digest(KEY - CODE, "decision", kind, corpus, name)


def spelling_key(corpus: str, block: str, name: str = "") -> str:
    """Return the key of a name in a block of similar names, or without a name the prefix of the block's keys."""
    start = corpus_code(corpus) + digest(KEY - CODE, "spelling", corpus, block)
    return start + digest(10, "name", name) if name else start


@lru_cache(maxsize=65536)
def relation_code(relation: str, period: str = "") -> str:
    """Return the code of a relation in a period ("" for none), the second part of its group keys."""
    return digest(GROUP - KEY, "relation", relation, *filter(None, [period]))


def fact_key(corpus: str, subject: str, relation: str, obj: str, period: str = "") -> str:
    """Return the key of the canonical fact (subject key, relation, object key) in a period ("" for none)."""
    return corpus_code(corpus) + digest(KEY - CODE, "fact", subject, relation, obj, *filter(None, [period]))


def question_key(
    anchor: str, pattern: str, asked: str, relations: Iterable[tuple[str, str]], named: list[str], answers: list[str]
) -> str:
    """Return a question's id. `anchor` is a group key implied by the other arguments, so ids sort as groups.

    A relation comes with its period, "" for none.
    """
    dated = [relation if not period else [relation, period] for relation, period in relations]
    return anchor + digest(10, "question", pattern, asked, dated, named, answers)


def cursor(corpus: str, after: str) -> str:
    """Return the cursor of a corpus's listing after a key. Raises BadRequest if the key is of another corpus."""
    code = corpus_code(corpus)
    if after and not after.startswith(code):
        raise BadRequest(f"{after!r} is not an id of corpus {corpus!r}: give the id of the last row you have")
    return after or code

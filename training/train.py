"""Trains the packaged English pipeline on UD_English-EWT and UNER and writes it where the wheel carries it.

About 40 minutes on two cores: the parser and the name recogniser learn side by side, then the lemmatizer.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.training import Example
from treebank import write

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "kgservice" / "extraction" / "english"
DATA = Path(os.environ.get("KGS_TEST_DATA", HERE.parents[1] / "shared" / "data")) / "ud-ewt"
SCORES = ("token_f", "pos_acc", "lemma_acc", "dep_uas", "dep_las", "ents_p", "ents_r", "ents_f")


def main() -> None:
    """Train, put the parts together and score the whole on raw text."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=DATA, help="the treebank and the names (README: ud-ewt)")
    options.add_argument("--work", type=Path, help="where to train; a folder for the time being by default")
    options.add_argument("--target", type=Path, default=TARGET)
    given = options.parse_args()
    if not given.data.exists():
        sys.exit(f"no treebank at {given.data}: give --data or set KGS_TEST_DATA")
    with tempfile.TemporaryDirectory() as folder:
        work = given.work or Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        for part in ("train", "dev", "test"):
            write(given.data, part, work / f"trees-{part}.spacy", names=False)
            write(given.data, part, work / f"names-{part}.spacy", names=True)
        running = [_train(work, "parser", "trees"), _train(work, "names", "names")]
        if any(process.wait() for process in running):
            sys.exit(f"training failed; see the logs in {work}")
        if _train(work, "lemmas", "trees").wait():
            sys.exit(f"training failed; see {work / 'lemmas.log'}")
        _assemble(work, given.target)


def _train(work: Path, part: str, corpus: str) -> subprocess.Popen[bytes]:
    """Start `spacy train` with one of the configurations beside this file, the rest of it filled in by spaCy."""
    python, config = (sys.executable, "-m", "spacy"), work / f"{part}.cfg"
    paths = {"train": work / f"{corpus}-train.spacy", "dev": work / f"{corpus}-dev.spacy"}
    paths["parser"] = work / "parser" / "model-best"
    text = (HERE / config.name).read_text(encoding="utf-8")
    for name, path in paths.items():
        text = text.replace(f"\n{name} = null", f"\n{name} = {json.dumps(str(path))}")
    config.write_text(text, encoding="utf-8")
    subprocess.run([*python, "init", "fill-config", config, config], check=True, capture_output=True)
    with (work / f"{part}.log").open("w") as log:
        command = [*python, "train", config, "-o", work / part]
        return subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | {"OMP_NUM_THREADS": "1"})


def _assemble(work: Path, target: Path) -> None:
    nlp = spacy.load(work / "lemmas" / "model-best")
    nlp.add_pipe("ner", source=spacy.load(work / "names" / "model-best"))
    nlp.meta |= {
        "name": "ud_ewt_kgservice",
        "version": "1",
        "license": "CC BY-SA 4.0",
        "description": "UD_English-EWT trees and lemmas, UNER names; see NOTICE",
        "sources": [{"name": "UD_English-EWT", "license": "CC BY-SA 4.0"}, {"name": "UNER_English-EWT"}],
        "performance": {part: _scored(nlp, work, part) for part in ("dev", "test")},
    }
    nlp.to_disk(target)
    print(json.dumps(nlp.meta["performance"], indent=1))


def _scored(nlp: Language, work: Path, part: str) -> dict[str, Any]:
    """Score on raw text: own words and own sentence ends."""
    scores: dict[str, Any] = {}
    for corpus, wanted in (("trees", SCORES[:5]), ("names", SCORES[5:])):
        gold = DocBin().from_disk(work / f"{corpus}-{part}.spacy").get_docs(nlp.vocab)
        found = nlp.evaluate([Example(nlp.make_doc(document.text), document) for document in gold])
        scores |= {name: round(found[name], 4) for name in wanted}
    return scores


if __name__ == "__main__":
    main()

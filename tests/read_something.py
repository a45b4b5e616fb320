"""Reads a sentence as it is imported: the process that workers are copied from has the program and the pipeline loaded.

Nothing of onnxruntime is: it starts a thread that a copy lacks.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # as core/pools.py does in a worker, before numpy is imported

from kgservice.extraction import text_facts  # noqa: F401
from kgservice.extraction.readers import relation_reader  # noqa: F401
from kgservice.extraction.syntax.parser import Parser

for docs in Parser("").parse_all([("Ada Brune was born in Kasharra in 1961.", "")]):
    list(docs)

"""Reads a sentence as it is imported: the process that workers and readers of files are copied from has the program, the
loaders, the pipeline and the words of the relations loaded.

Nothing of onnxruntime is: it starts a thread that a copy lacks.
"""

import gc
import os

os.environ["OMP_NUM_THREADS"] = "1"  # as core/pools.py does in a worker, before numpy is imported

import loaders.anything  # noqa: F401
from kgservice.extraction import text_facts
from kgservice.extraction.readers import relation_reader  # noqa: F401
from kgservice.extraction.syntax.parser import Parser
from kgservice.ingest import sources  # noqa: F401

for docs in Parser("").parse_all([("Ada Brune was born in Kasharra in 1961.", "")]):
    for doc in docs:
        text_facts.extract(doc, "")
gc.collect()
gc.freeze()  # a copy looks for garbage among its own objects alone

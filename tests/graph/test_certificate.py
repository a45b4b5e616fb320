"""Certificates of releases: proofs of every pattern, planted lies, what is opened and when."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kgservice.core import keys
from kgservice.core.records import Document, Term, Triplet
from kgservice.graph.store import Graph
from kgservice.ingest.sources import read
from kgservice.questions.patterns import PATTERNS
from kgservice.questions.selection import Plan, generate, refresh
from kgservice.releases.archive import ANSWERS, Archive, Manifest
from kgservice.releases.certificate import CERTIFICATE, CHECKER, COMMITMENTS, OPENINGS, SECRET
from kgservice.releases.check_release import check
from kgservice.releases.openings import opened
from kgservice.releases.release import create
from kgservice.releases.split import OPENED, for_training
from tests.graph.documents import DEMO, loaded
from tests.graph.forged import Forgery, forgeries, still_true

EVERY = 10_000
Release = tuple[Archive, Manifest]

"""A release as a repository of data sets for the Hugging Face Hub, with the boards in results.json (DRAGON, section 3).

The public files stay as they are. README.md is the release's card below a head that names its sets, so that
`datasets.load_dataset(folder, "questions")` reads it. DRAGON's space commits its leaderboard as results.json. The paper
does not state that file's fields, so these are ours.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kgservice.leaderboard.board import board
from kgservice.leaderboard.submissions import Submissions
from kgservice.releases.archive import Archive, Manifest

CARD, README, RESULTS = "CARD.md", "README.md", "results.json"
SETS = {
    "texts": "public_texts.jsonl",
    "questions": "public_questions.jsonl",
    "train": "train.jsonl",
    "sandbox_texts": "sandbox/public_texts.jsonl",
    "sandbox_questions": "sandbox/public_questions.jsonl",
    "sandbox_answers": "sandbox/private_qa.jsonl",
}


def write_hub_folder(archive: Archive, submissions: Submissions, release: Manifest, folder: Path) -> list[str]:
    """Write a release and its corpus's boards into a folder, and return the names of the files.

    Files of a release written there before are replaced. Raises BadRequest if the release is damaged.
    """
    public = release.shown().files
    files = {one.name: archive.file(release, one.name) for one in public if one.name != CARD}
    filled = {one.name for one in public if one.rows}
    head = ["---", f"pretty_name: {json.dumps(f'{release.corpus} {release.version}')}", "configs:"]
    for name, path in SETS.items():
        if path in filled:  # `datasets` reads no empty file
            head += [f"- config_name: {name}", f"  data_files: {path}"]
    files[README] = "\n".join([*head, "---", ""]).encode() + archive.file(release, CARD)
    files[RESULTS] = json.dumps(results(archive, submissions, release.corpus), ensure_ascii=False, indent=1).encode()
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return sorted(files)


def results(archive: Archive, submissions: Submissions, corpus: str) -> dict[str, Any]:
    """Return the board of each release of a corpus by version, as a reader sees it."""
    approved, closed = submissions.all(state="approved"), submissions.closed()
    boards = {one.version: board([one.version], approved, closed) for one in archive.all(corpus)}
    return {
        version: {
            "closed": version in closed,
            "total_of": found.total_of.get(version),
            "judge": found.judges.get(version),
            "systems": [place.model_dump(mode="json") for place in found.items],
        }
        for version, found in boards.items()
    }

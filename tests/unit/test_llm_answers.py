"""The file of answers is shared by processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from kgservice.llm.answers import AnswerFile


def test_many_processes_share_the_file_of_answers(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    writes = (
        "import sys; from pathlib import Path; from kgservice.llm.answers import AnswerFile, Reply\n"
        "answers = AnswerFile(Path(sys.argv[1]))\n"
        "for n in range(200): answers.keep(f'{sys.argv[2]}-{n}', 'm', 'p', Reply(text=str(n)))\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", writes, str(path), str(n)]) for n in range(3)]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    answers = AnswerFile(path)
    assert answers.mean_output("m", "p")[0] == 600
    assert all(answers.reply(f"{n}-199") for n in range(3))
    answers.close()

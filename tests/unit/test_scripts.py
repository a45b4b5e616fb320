"""The scripts of benchmarks/ and training/, which no checker of types reads: what they import from each other is there."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("benchmarks", "training")
SCRIPTS = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.py"))]


@pytest.mark.parametrize("path", SCRIPTS, ids=[f"{path.parent.name}/{path.name}" for path in SCRIPTS])
def test_what_is_imported_from_another_script_is_defined_there(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and (others := scripts(node.module, path.parent)):
            missing = {name.name for name in node.names} - defined(others[0])
            assert not missing, f"{path.name}, line {node.lineno}: {node.module} has no {', '.join(sorted(missing))}"


# one process after the other is copied from one that has imported what most of them import: torch and transformers, which
# take some seconds
COPIES = """
import os, runpy, sys
import sklearn.linear_model, sklearn.metrics, torch
sys.path.insert(0, "training")
import reader_files
for name in sys.argv[1:]:
    if os.fork() == 0:
        sys.argv = [os.path.abspath(f"training/{name}.py")]
        runpy.run_path(sys.argv[0], run_name="__main__")
        sys.exit()
    print(f"{name} ended with {os.waitstatus_to_exitcode(os.wait()[1])}", file=sys.stderr, flush=True)
"""


def test_training_without_its_data_says_which_setting_names_it(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    names = ["coreference", "reader", "sides", "statements"]
    done = subprocess.run(
        [sys.executable, "-c", COPIES, *names], cwd=ROOT, capture_output=True, text=True, check=True,
        env=os.environ | {"KGS_TEST_DATA": str(tmp_path / "none")},
    )  # fmt: skip
    said = f"no data at {tmp_path / 'none'}: set KGS_TEST_DATA"
    assert done.stderr.splitlines() == [line for name in names for line in (said, f"{name} ended with 1")]


def scripts(name: str, beside: Path) -> list[Path]:
    """The scripts of a name, the one beside another first: both folders have a `reader.py`."""
    return [path for path in (beside / f"{name}.py", *(ROOT / one / f"{name}.py" for one in FOLDERS)) if path.exists()]


def defined(path: Path) -> set[str]:
    """The names that a script has at its top level."""
    names = set[str]()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.Import() | ast.ImportFrom():
                names |= {(one.asname or one.name).partition(".")[0] for one in node.names}
            case ast.Assign() | ast.AnnAssign():
                names |= {
                    one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
                }
    return names

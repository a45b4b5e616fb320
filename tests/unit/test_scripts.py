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


@pytest.mark.parametrize("name", ["coreference", "reader", "sides", "statements"])
def test_training_without_its_data_says_which_setting_names_it(name: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    done = subprocess.run(
        [sys.executable, f"training/{name}.py"], cwd=ROOT, capture_output=True, text=True, check=False,
        env=os.environ | {"KGS_TEST_DATA": str(tmp_path / "none")},
    )  # fmt: skip
    assert (done.returncode, done.stderr.strip()) == (1, f"no data at {tmp_path / 'none'}: set KGS_TEST_DATA")


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

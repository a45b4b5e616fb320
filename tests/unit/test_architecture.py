"""The tree: which folder may import which, one name for one thing, and what `import kgservice` gives."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import kgservice
from kgservice.cli import Verbs

ROOT = Path(__file__).parents[2]
PACKAGES = ("kgservice", "loaders")

# Each folder (or module) imports only itself and what stands above it. README.md shows the same order.
ORDER = """
kgservice.core
kgservice.text
kgservice.names
kgservice.graph
kgservice.llm.prompts
kgservice.llm
kgservice.vectors
kgservice.extraction.tables
kgservice.extraction.syntax
kgservice.extraction.readers
kgservice.extraction
kgservice.linking
kgservice.resolution
kgservice.questions.wording
kgservice.questions.filters
kgservice.questions
kgservice.questions.export
kgservice.retrieval.walk
kgservice.retrieval
kgservice.answering.reader
kgservice.answering
kgservice.gold
kgservice.exchange
kgservice.metrics
kgservice.releases
kgservice.managed_neo4j
kgservice.setup
kgservice.ingest
kgservice.evaluation.shared
kgservice.evaluation.retrieval
kgservice.evaluation.rare
kgservice.evaluation.raguard
kgservice.evaluation.frames
kgservice.evaluation.dragon
kgservice.evaluation.plurihop
kgservice.evaluation
kgservice.leaderboard
kgservice.gate
kgservice.remote
kgservice.corpus
kgservice
kgservice.demo
kgservice.api.entry
kgservice.api
kgservice.api.routes
kgservice.api.mcp
kgservice.api.app
kgservice.api.worker_processes
kgservice.cli
kgservice.cli.evaluation
kgservice.cli.__init__
loaders.shared
loaders
loaders.sec
loaders.reports
loaders.benchmarks
loaders.anything
""".split()

# A file name that stands twice means the same in each place.
ROLES = {"__init__", "report", "run", "questions"}
NAMED_AFTER = ("kgservice/api/routes/", "kgservice/cli/")  # a file there is called by its resource, or by its verb
# Folders whose docstrings are not yet all in the words of AGENTS.md, "Plain English": one that gets there goes from here.
ROUGH = {"kgservice/extraction", "kgservice/extraction/syntax", "kgservice/questions", "kgservice/questions/filters"}
NO_VERBS = set("A All An Each Every How One Some That The True What When Where Whether Which Who Whose".split())
LARGEST_FOLDER = 20  # modules: the verbs of the command line; every other folder has fewer


@cache
def modules() -> dict[str, Path]:
    """The modules of the packages by dotted name; a package is `name.__init__`."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            found[".".join(path.relative_to(ROOT).with_suffix("").parts)] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> set[str]:
    """The modules of the packages that a file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: an import without the package's name"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                known = whole in modules() or f"{whole}.__init__" in modules()
                names.add(whole if known else node.module)
    return {name for name in names if name.split(".")[0] in PACKAGES}


def group(module: str) -> str:
    """The longest entry of ORDER that a module belongs to."""
    name = module if module in ORDER or not module.endswith(".__init__") else module.removesuffix(".__init__")
    parts = name.split(".")
    entries = (".".join(parts[:size]) for size in range(len(parts), 0, -1))
    return next(entry for entry in entries if entry in ORDER)


def test_every_folder_stands_in_the_order() -> None:
    for name, path in modules().items():
        folder = ".".join(path.parent.relative_to(ROOT).parts)
        assert folder in ORDER or folder == "kgservice", f"{folder} is not in ORDER: say where in it {name} stands"


def test_imports_follow_the_order() -> None:
    wrong = [
        f"{name} imports {other}: {group(other)} stands below {group(name)}"
        for name, path in modules().items()
        for other in sorted(imported(path))
        if ORDER.index(group(other)) > ORDER.index(group(name))
    ]
    assert not wrong, "\n".join(wrong)


def test_the_readme_shows_the_tree_in_this_order() -> None:
    tree = (ROOT / "README.md").read_text(encoding="utf-8").partition("\nkgservice/\n")[2].partition("```")[0]
    shown = [
        line.split()[0].strip("/") for line in tree.splitlines() if line.startswith("  ") and "/" in line.split()[0]
    ]
    tops = [entry.split(".")[1] for entry in ORDER if entry.startswith("kgservice.") and entry != "kgservice.corpus"]
    assert [name for name in shown if name != "web"] == list(dict.fromkeys(tops))


def test_no_folder_is_flat() -> None:
    sizes: dict[str, int] = defaultdict(int)
    for name, path in modules().items():
        sizes[path.parent.relative_to(ROOT).as_posix()] += not name.endswith("__init__")
    assert {folder: size for folder, size in sizes.items() if size > LARGEST_FOLDER} == {}
    large = {folder for folder, size in sizes.items() if size > 15}
    assert large <= {"kgservice/cli", "kgservice/api/routes"}
    assert sizes["kgservice"] == 1, "the top holds the public face, corpus.py, alone"


def test_a_class_name_means_one_thing() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in modules().values():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_a_file_name_means_one_thing() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in modules().values():
        where = path.relative_to(ROOT).as_posix()
        if path.stem not in ROLES and not where.startswith(NAMED_AFTER):
            places[path.stem].append(where)
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_docstrings_of_functions_begin_with_a_verb() -> None:
    """As "Return", "Yield", "Raise", "Write": no noun, and no "Returns"."""
    wrong = []
    for path in modules().values():
        if path.parent.relative_to(ROOT).as_posix() in ROUGH:
            continue
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (text := ast.get_docstring(node)):
                word = text.split()[0].strip(".,:")
                if word in NO_VERBS or not word[0].isupper() or (word.endswith("s") and not word.endswith("ss")):
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {text.splitlines()[0]}")
    assert wrong == []


def test_the_public_face() -> None:
    face = ["Client", "Corpus", "Document", "KgserviceError", "Plan", "Problem", "Settings", "Triplet", "__version__"]
    assert kgservice.__all__ == face
    for name in face:
        assert getattr(kgservice, name), name


def test_importing_the_package_is_fast() -> None:
    """Nothing heavy is imported before a name is used."""
    code = "import sys, kgservice; print({'neo4j', 'pydantic', 'spacy', 'torch'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "set()"


def test_every_command_but_mcp_takes_json() -> None:
    def without(command: Any, name: str) -> Iterator[str]:
        if inner := getattr(command, "commands", None):
            for called in inner:
                yield from without(inner[called], f"{name} {called}")
        elif not any("--json" in one.opts for one in command.params):
            yield name

    verbs = Verbs()
    assert [name for verb in verbs for name in without(verbs[verb], verb)] == ["mcp"]


def test_a_verb_is_imported_when_it_is_run_and_has_the_name_it_is_listed_by() -> None:
    code = "import sys, kgservice.cli as c; print({'neo4j', 'pydantic'} & set(sys.modules)); v = c.Verbs(); "
    code += "print([name for name in v if v[name].name != name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["set()", "[]"]

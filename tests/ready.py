"""`make test` runs this beside lint and types, which take one core: it makes what both processes of pytest wait for.

That is the file of classes of the managed Neo4j, if the tests use one, and, on a bare checkout, the compiled modules.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from kgservice.core.settings import Settings
from tests.conftest import docker_answers, make_classes


def main() -> None:
    """Compile the modules by a collection of the tests, and make the file of classes; what is there already stays."""
    if not any(Path(__file__).parent.rglob("*-pytest-*.pyc")):
        # a failure is the tests' to tell
        subprocess.run([sys.executable, "-m", "pytest", "-q", "--collect-only"], stdout=subprocess.DEVNULL, check=False)
    settings = Settings()
    if not settings.neo4j_uri and not docker_answers():
        make_classes()


if __name__ == "__main__":
    main()

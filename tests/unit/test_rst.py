"""reStructuredText as people write it for PyPI and Sphinx."""

from pathlib import Path

import pytest

from kgservice.core.records import Document
from loaders.rst import RstLoader

TEXT = """==================
 ferrywatch - tides
==================

.. image:: https://example.org/badge.svg

:py:class:`Ferry` watches *ferries*. See `the guide`_.

.. _the guide: https://example.org

Options
=======

-p PORT   The port. The default is 8650.

.. include:: /etc/passwd

.. unknown:: x

.. confval:: max_ships

   :default: 40
   :env: SHIPS

   How many ships. The default is 40.

.. versionadded:: 2.0
   Sails.

.. code-block:: python

   import ferrywatch

====  =====
Port  Ships
====  =====
Oss   3
====  =====
"""


def _read(path: Path, text: str) -> Document:
    path.write_text(text)
    (found,) = RstLoader(path).read()
    assert isinstance(found, Document)
    return found


def test_titles_sections_code_and_tables(tmp_path: Path) -> None:
    found = _read(tmp_path / "a.rst", TEXT)
    assert found.title == "ferrywatch - tides"
    assert "## Options" in found.text or "# Options" in found.text
    assert "```\nimport ferrywatch\n```" in found.text
    assert "| Oss | 3 |" in found.text
    assert "Ferry watches ferries. See the guide." in found.text
    assert "max_ships\n\n" in found.text
    assert "How many ships. The default is 40." in found.text
    assert "Added in version 2.0: Sails." in found.text
    assert "-p PORT\n\nThe port. The default is 8650." in found.text


def test_a_text_without_a_title_is_called_as_its_file(tmp_path: Path) -> None:
    assert _read(tmp_path / "ferrywatch.rst", "A module for ports.\n\n- one\n- two\n").title == "ferrywatch"


@pytest.mark.parametrize(
    "text", ["=====\nodd", "* a\n - b\n* c", ".. raw:: html\n\n   <script>1</script>\n\nx", "`" * 500]
)
def test_damaged_markup_loses_no_document(tmp_path: Path, text: str) -> None:
    assert _read(tmp_path / "a.rst", text).text.strip()


def test_no_other_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("a secret")
    found = _read(
        tmp_path / "a.rst", "Title\n=====\n\n.. include:: secret.txt\n\n.. csv-table::\n   :file: secret.txt\n"
    )
    assert "a secret" not in found.text


def test_a_badge_above_the_heading_leaves_the_heading_the_title(tmp_path: Path) -> None:
    text = ".. image:: https://example.org/badge.svg\n\nFerrywatch\n==========\n\nFerrywatch is a tool.\n"

    assert _read(tmp_path / "tide-README.rst", text).title == "Ferrywatch"


NOTES = """Ferrywatch
==========

.. note:: The port closes at ten.

.. warning::
   :collapsible:

   Never unplug the buoy. [1]_

.. [1] The buoy is from 1990.

.. topic:: Tides

   Tides turn twice.

.. dropdown:: More
   :open:

   Ships are *counted*.

   Sails
   -----

   Sails are optional.

.. only:: html

   The sea is deep.

.. py:function:: dock(ship, *args)
   :noindex:

   Docks a ship.

.. versionchanged:: 3.2
   Ports are checked.

.. code-block:: python
   :caption: sea.py
   :linenos:

   timeout = 30

.. testcode:: sea

   # no heading
   depth = 7

.. toctree::

   usage/install
"""


def test_notes_footnotes_and_unknown_directives_keep_their_text(tmp_path: Path) -> None:
    said = _read(tmp_path / "a.rst", NOTES).text
    for text in ("The port closes at ten.", "Never unplug the buoy.", "The buoy is from 1990.", "Tides turn twice."):
        assert text in said
    assert "More\n\nShips are counted.\n\n# Sails\n\nSails are optional." in said
    assert "dock(ship, *args)\n\nDocks a ship." in said
    assert "Changed in version 3.2: Ports are checked." in said
    assert "```\ntimeout = 30\n```" in said
    assert "```\n# no heading\ndepth = 7\n```" in said
    assert "\n\nThe sea is deep." in said
    assert not any(word in said for word in ("html", "collapsible", "noindex", "open", "install"))

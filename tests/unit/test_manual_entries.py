"""What entries of manuals state: the defaults of options and settings, and tables of fields."""

import pytest

from kgservice.core.records import Document
from kgservice.extraction.tables.manual_entries import entry_triplets
from kgservice.text.chunking import chunks

OPTIONS = """# ferrywatch

## Options

-p port
--port=port

The port to listen on. The default is 8650. Below 1024 it needs rights of its own.

-q

Say nothing.

--log-level level

How much is logged. On Windows, the default is error.

Files

The default is ferrywatch.toml.

## Settings

- `max_ferries` (integer): how many are watched at once (default: 40)
- `quiet_hours`: when nobody is told. Defaults to `22-06`.
- plain: the default is 7.
- `tide_base`: where tides are. Default is http://%(port)s.example.org/.

### tide.source (string)

Where tides are read from. The default value is typically "harbour".
"""

DIRECTIVES = """# Module tides

## TideTable Directive

| Description: | Which table of tides is read, and from where it comes |
| --- | --- |
| Default: | TideTable north |
| Status: | Extension |

## Notes

| Port | Tide |
| --- | --- |
| Castren | 4 m |
"""


def _stated(text: str, title: str = "ferrywatch") -> set[tuple[str, str, str]]:
    document = Document(source="a", text=text, title=title)
    found = [triplet for chunk in chunks(document) for triplet in entry_triplets(chunk, document)]
    assert all(one.sentence in text for one in found)
    return {(one.subject.label, one.relation, one.object.label) for one in found}


def test_entries_state_defaults_and_what_things_do() -> None:
    assert _stated(OPTIONS) == {
        ("ferrywatch --port", "description", "The port to listen on"),
        ("ferrywatch --port", "default value", "8650"),
        ("max_ferries", "default value", "40"),
        ("quiet_hours", "default value", "22-06"),
    }


def test_the_evidence_begins_with_the_name() -> None:
    document = Document(source="a", text=OPTIONS, title="ferrywatch")
    (first, *_) = (triplet for chunk in chunks(document) for triplet in entry_triplets(chunk, document))
    assert first.sentence == "-p port\n--port=port\n\nThe port to listen on. The default is 8650."


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("--dry-run\n\nPrint only what would be sent.", ("ferrywatch --dry-run", "Print only what would be sent")),
        (
            "--dry-run\n\nThis option prints all the day's mail (see mail).",
            ("ferrywatch --dry-run", "prints all the day's mail"),
        ),
        ("- `--wait` - Do not end before the last ferry.", ("ferrywatch --wait", "Do not end before the last ferry")),
        ("### tide_at(place)\n\nReturns the tide of a port.", ("tide_at", "Returns the tide of a port")),
        (
            "## max_ferries\n\nLimits the number of ferries. Default: 4.",
            ("max_ferries", "Limits the number of ferries"),
        ),
        ("### tide_at(place)\n\nThe tide of a port.", None),
        ("## max_ferries\n\nLimits the number of ferries.", None),  # nothing says what it is
        ("--sparse\n\nFerries that are late are shown.", None),
        ("--sparse\n\nThe number is given in metres.", None),
        ("--old\n\nUse the same port as described above.", None),
        ("--first\n\nShow the first ferry of a day.\n\n--early\n\nShow the first ferry of each day.", None),
        ("## NAME\n\nferrywatch - watch the ferries of a port", ("ferrywatch", "watch the ferries of a port")),
        ("`ferrywatch` is a small tool for ports and tides.", ("ferrywatch", "is a small tool for ports and tides")),
        ("This library reads tide tables of any port.\n\n```\nx\n```", ("ferrywatch", "reads tide tables of any port")),
        ("This library reads tide tables of any port.", None),  # a library of books, perhaps
        ("**A watcher of the ferries of a port**\n\n```\nx\n```", ("ferrywatch", "A watcher of the ferries of a port")),
        (
            "## ◆ tide_at()\n\n| int tide_at | (place) |\n| --- | --- |\n\nThis function returns the tide of a port.",
            ("tide_at", "returns the tide of a port"),
        ),
        (
            "A Python view of the ferries of a port. It is small.\n\n```\nx\n```",
            ("ferrywatch", "A Python view of the ferries of a port"),
        ),
        ("> Watch the ferries of a port\n\n```\nx\n```", ("ferrywatch", "Watch the ferries of a port")),
        ("It is new.\n\n> Watch the ferries of a port\n\n```\nx\n```", None),  # somebody is quoted
        ("A view of port\\-side ferries by day.\n\n```\nx\n```", ("ferrywatch", "A view of port-side ferries by day")),
        ("ferrywatch is a club of people who love boats.", None),
        ("ferrywatch reads tide tables of any port.\n\n```\nx\n```", ("ferrywatch", "reads tide tables of any port")),
        ("ferrywatch requires a port with ten piers.\n\n```\nx\n```", None),
        ("- tide_at(place)\n    - #### Ships\n\nReturns the ship of a port.", None),
        ('tide_at("Oss")\n\nReturns the tide of a port.', None),  # an example
    ],
)
def test_descriptions_are_whole_alone(text: str, stated: tuple[str, str] | None) -> None:
    found = {
        (name, value) for name, relation, value in _stated(f"# ferrywatch\n\n{text}\n") if relation == "description"
    }
    assert found == ({stated} if stated else set())


def test_a_function_has_no_default() -> None:
    assert _stated("### set_max_ferries()\n\nHow many. The default is 5.") == set()


@pytest.mark.parametrize("title", ["All about watching ferries", "Usage"])
def test_an_option_needs_its_program(title: str) -> None:
    assert not any("--port" in one for one, _, _ in _stated(OPTIONS, title))


def test_tables_of_fields_are_about_their_heading() -> None:
    assert _stated(DIRECTIVES) == {("TideTable", "default value", "north"), ("TideTable", "status", "Extension")}


@pytest.mark.parametrize(
    "said",
    ["Default: 5", "Default value:\n\n5", "How many. Defaults to 5 (ships).", "From 1 to 9, the default is 5."],
)
def test_default(said: str) -> None:
    assert _stated(f"## max_ferries¶\n\n{said}\n\nMore.") == {("max_ferries", "default value", "5")}


@pytest.mark.parametrize(
    "said",
    [
        "The default is to ask.",
        "The default is the same as for ships.",
        "If it is not given, the default is 5.",
        "The default is usually 5.",
        "In older versions the default was 5.",
        "As for ships, max_ships defaults to 5.",
        "The first part names the ship (the default is Oss) and the second the harbour.",
        "Default: @ships@.",
        "How many.\n\nships (SHIPS or NOSHIPS, see above how to set it)\n\nThe default is 5.",
        "How many.\n\n| --ships n | How many of them |\n| --- | --- |\n\nThe default is 5.",
        "```\n\nThe default is 5.\n\n```",
    ],
)
def test_no_default(said: str) -> None:
    assert _stated(f"## max_ferries\n\n{said}") == set()


def test_an_entry_in_capitals_ends_at_the_next_one() -> None:
    text = "## MAX_FERRIES\n\nHow many. LANG Used to choose words. MAIL_CHECK How often to look. The default is 60.\n"
    assert not [one for one in _stated(text) if one[1] == "default value"]

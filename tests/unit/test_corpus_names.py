"""What a new corpus may be called, and how a message names corpora that earlier versions let be called anything."""

from __future__ import annotations

import pytest

from kgservice.core.errors import BadRequest
from kgservice.names.corpus_names import check_new_name, none_called


@pytest.mark.parametrize("name", ["", " ", " a", "a\n", "a\tb", "a\x1b[31m", "a\u202eb", "\ud800", "x" * 101])
def test_a_new_corpus_has_a_name_that_can_be_read(name: str) -> None:
    with pytest.raises(BadRequest, match="a name has 1 to 100 characters"):
        check_new_name(name)


def test_no_new_corpus_is_called_as_one_of_a_day_is() -> None:
    with pytest.raises(BadRequest, match="so is 'vv' as of a day"):
        check_new_name("vv@2031-01-01")
    for name in ("x" * 100, "vv@2031", "Größe", "a/b", "two words", "报告"):
        check_new_name(name)


def test_a_message_names_some_corpora_in_one_line() -> None:
    told = none_called("mien", ["mine", " ", "a/b\n", "x" * 5_000, *(f"c{n}" for n in range(30))])
    assert told.startswith(r"no corpus 'mien'; there are: mine, ' ', 'a/b\n', 'xxx")
    assert told.endswith("c15 and 14 more; did you mean 'mine'?")
    assert len(told) < 400

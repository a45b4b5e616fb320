"""The known name that a mistyped one is nearest to."""

from __future__ import annotations

from kgservice.text.near_names import did_you_mean, nearest


def test_a_mistyped_name_has_a_nearest_one_whatever_its_case() -> None:
    assert nearest("REPORTS 2O30", ["mine", "reports 2030"]) == "reports 2030"
    assert nearest("zzz", ["mine", "reports"]) is None
    assert nearest("mine", []) is None


def test_a_message_ends_with_the_nearest_name() -> None:
    assert did_you_mean("mien", ["mine", "demo"]) == "; did you mean 'mine'?"
    assert did_you_mean("zzz", ["mine", "demo"]) == ""

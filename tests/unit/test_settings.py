"""Settings that cannot be used: one line that names the variable and the form that it wants."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgservice.cli.session import settings
from kgservice.core.errors import SettingsError


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("KGS_HOSTS", "kg.example.org", r'KGS_HOSTS: this is not JSON\. Give JSON, .*: \["kg.example"\]; in a shell'),
        ("KGS_HOSTS", '"kg.example.org"', r'KGS_HOSTS: .* valid tuple\. Give JSON, .*: \["kg.example"\]; in a shell'),
        ("KGS_TRUSTED_PROXIES", "127.0.0.1", r'KGS_TRUSTED_PROXIES: this is not JSON\. .*\["10.0.0.0/8"\]'),
        ("KGS_NEO4J_READ_URIS", "bolt://x", r'KGS_NEO4J_READ_URIS: this is not JSON\. .*\["bolt://replica-1:7687"\]'),
        ("KGS_LLM_PRICES", "foo", r'KGS_LLM_PRICES: this is not JSON\. .*{"model": {"input": 0.4, "output": 1.6}}'),
        ("KGS_LLM_JUDGE", "gpt", r"KGS_LLM_JUDGE: this is not JSON\. .*KGS_LLM_JUDGE_MODEL, KGS_LLM_JUDGE_BASE_URL, "),
        ("KGS_LLM_JUDGE_URL", "http://judge", r"KGS_LLM_JUDGE_URL: Extra inputs .*KGS_LLM_JUDGE_BASE_URL, "),
    ],
)
def test_a_setting_of_another_form(name: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=f"^{said}"):
        settings()


def test_a_folder_of_the_user_is_found_from_every_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("KGS_HOME", "~/kg")
    monkeypatch.setenv("KGS_CACHE", "cache")
    assert (settings().home, settings().cache) == (tmp_path / "kg", Path.cwd() / "cache")


def test_a_misspelt_setting_is_named_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("KGS_NEO4J_URL=bolt://x\nKGS_RATE_LIMIT=5\n")
    given = ("LLM_MODLE", "LLM_JUDGE_BASE_URL", "API_KEYS_READER", "TEST_SIZE", "ADMIN_KEY")
    for name in given:
        monkeypatch.setenv(f"KGS_{name}", "http://x")
    settings()
    settings()
    assert capsys.readouterr().err.splitlines() == [
        "KGS_LLM_MODLE is no setting and changes nothing: did you mean KGS_LLM_MODEL?",
        "KGS_NEO4J_URL is no setting and changes nothing: did you mean KGS_NEO4J_URI?",
    ]


def test_a_key_is_not_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGS_API_KEYS", "sk-secret")
    with pytest.raises(SettingsError, match=r"^KGS_API_KEYS: this is not JSON") as caught:
        settings()
    assert "sk-secret" not in str(caught.value)

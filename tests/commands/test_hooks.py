"""`mama-bot hook`: whoever installs hooks that nobody would answer now is told."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from mama_bot.app.instance import own_directory
from tests.commands.places import Place

ALONE = "alone"
WORDS = {
    ("en_US.UTF-8", ALONE): "No service runs on",
    ("ko_KR.UTF-8", ALONE): "실행 중이 아니어서",
}


@pytest.mark.parametrize("arguments", [("hook", "install", "claude"), ("hook", "plugin")], ids=["install", "plugin"])
@pytest.mark.parametrize("locale", ["en_US.UTF-8", "ko_KR.UTF-8"])
@pytest.mark.parametrize(("runs_on", "warning"), [("", ALONE), ("real", ""), ("scripted", "")])
def test_hooks_that_no_service_would_answer_are_told_of(
    place: Place,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    locale: str,
    runs_on: str,
    warning: str,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LC_ALL", locale)
    with ExitStack() as running:
        if runs_on:
            running.enter_context(own_directory(place.database.parent.parent / runs_on))
        answer = place.run(*arguments)
    told = answer.complaint if "plugin" in arguments else answer.output
    assert answer.status == 0
    assert [kind for (language, kind), words in WORDS.items() if language == locale and words in told] == [
        *([warning] if warning else [])
    ]

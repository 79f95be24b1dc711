"""What the command line refuses it refuses in the language of the session."""

from pathlib import Path

import pytest

from mama_bot.errors import ConfigurationError, NoSuchReceipt, PortTaken
from mama_bot.wording import Language, Said
from tests.commands.places import Place


@pytest.mark.parametrize(
    ("locale", "arguments", "words"),
    [
        ("en_US.UTF-8", ("reports", "accept"), "takes the number of a report"),
        ("ko_KR.UTF-8", ("reports", "accept"), "신고 번호가 필요합니다"),
        ("ko_KR.UTF-8", ("reports", "list", "3"), "번호를 쓰지 않습니다"),
        ("ko_KR.UTF-8", ("pair", "--remove", "nobody"), "'nobody': 아무도 가리키지 않습니다"),
        ("ko_KR.UTF-8", ("judge", "no/such/file"), "읽을 수 없습니다"),
        ("ko_KR.UTF-8", ("review-gate", "reject", "--session", "s", "--agent", "a"), "무엇이 잘못되었는지"),
    ],
)
def test_a_refusal_is_in_the_language_of_the_session(
    place: Place, monkeypatch: pytest.MonkeyPatch, locale: str, arguments: tuple[str, ...], words: str
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    told = place.run(*arguments)
    assert told.status == 2
    assert words in told.complaint


def test_an_error_says_where_it_is_in_either_language() -> None:
    error = ConfigurationError(problem=Said("Not this.", "아닙니다."), file=Path("a.yaml"), line=3)
    assert (str(error), error.to(Language.KOREAN)) == ("a.yaml:3: Not this.", "a.yaml:3: 아닙니다.")
    assert "'77'은 없습니다" in NoSuchReceipt("77").to(Language.KOREAN)
    assert "h:1에서" in PortTaken(host="h", port=1).to(Language.KOREAN)

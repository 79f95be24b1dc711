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
        ("en_US.UTF-8", ("doctr",), "`mama-bot` has no command 'doctr'. Did you mean `doctor`?"),
        ("ko_KR.UTF-8", ("doctr",), "'doctr' 명령이 없습니다. 혹시 `doctor`?"),
        ("en_US.UTF-8", ("--vesion",), "has no option --vesion. Did you mean `--version`?"),
        ("ko_KR.UTF-8", ("metrics", "--dys", "3"), "--dys 옵션이 없습니다. 혹시 `--days`?"),
        ("en_US.UTF-8", ("metrics", "--days", "x"), "A whole number from 1 to 3650 is expected, not 'x'"),
        ("ko_KR.UTF-8", ("metrics", "--days", "x"), "1부터 3650까지의 정수"),
        ("en_US.UTF-8", ("init", "--platform", "slak"), "Did you mean `slack`?"),
        ("ko_KR.UTF-8", ("item", "lst"), "혹시 `list`?"),
        ("en_US.UTF-8", ("run", "--role", "workr"), "Did you mean `worker`?"),
        ("ko_KR.UTF-8", ("run", "--role", "worker"), "PostgreSQL로 다른 프로세스와 일을 나눕니다"),
        ("en_US.UTF-8", ("run", "--role", "worker"), "over PostgreSQL. Set store.url"),
        ("en_US.UTF-8", ("receipt",), "`mama-bot receipt` needs ID"),
        ("ko_KR.UTF-8", ("receipt",), "ID가 필요합니다"),
        ("en_US.UTF-8", ("doctor", "x"), "takes no 'x'"),
        ("en_US.UTF-8", ("item", "create", "T", "--priority", "high"), "'high' is no --priority"),
        ("en_US.UTF-8", ("pair", "A", "--deny", "B"), "--deny cannot be used so"),
        ("ko_KR.UTF-8", ("init", "--repository"), "--repository에는 값이 필요합니다"),
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

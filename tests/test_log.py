"""Logs hold facts and no secrets."""

import json
import logging
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import structlog

from mama_bot.log import LogFormat, LogLevel, configure_logs
from mama_bot.redaction import REDACTED, redactor

OURS = "correct horse battery"
log = structlog.get_logger(__name__)


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    yield
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
    root.handlers[:], level = before
    root.setLevel(level)


@pytest.fixture(params=list(LogFormat))
def stream(request: pytest.FixtureRequest) -> StringIO:
    return configured(request.param)


def fail(text: str) -> None:
    raise ValueError(text)


def configured(form: LogFormat, level: LogLevel = LogLevel.INFO) -> StringIO:
    stream = StringIO()
    configure_logs(style=form, level=level, redact=redactor([OURS]), stream=stream)
    return stream


def lines(stream: StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


SECRETS = [
    OURS,
    "sk-ant-api03-" + "a1" * 20,
    "sk-proj-" + "a1" * 20,
    "AIza" + "a" * 35,
    "ghp_" + "a" * 36,
    "github_pat_" + "a" * 30,
    "xoxb-1234567890-abcdef",
    "xapp-1-A1-1234567890",
    "123456789:" + "a" * 35,
    "M" + "a" * 24 + ".abcdef." + "b" * 30,
    "AKIA" + "A" * 16,
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc+/=\nxyz\n-----END RSA PRIVATE KEY-----",
    "bot:pa55word",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_appears_in_no_field(stream: StringIO, secret: str) -> None:
    text = f"postgres://{secret}@host" if secret.startswith("bot:") else f"here: {secret}"
    structlog.contextvars.bind_contextvars(conversation=text)
    log.info(
        "started", plain=text, nested={"a": [text, (text,)]}, path=Path(text), error=ValueError(text), key={text: 1}
    )
    logging.getLogger("other").warning("foreign %s", text)
    try:
        fail(text)
    except ValueError:
        log.exception("failed")
        logging.getLogger("other").exception("failed")
    shown = stream.getvalue()
    assert secret not in shown
    assert secret.splitlines()[-1] not in shown
    assert "MIIEabc" not in shown
    assert shown.count(REDACTED) >= 10
    assert shown.count("ValueError") >= 2


@pytest.mark.parametrize("secret", [*SECRETS, "Bearer abcdefghij0123456789"])
@pytest.mark.parametrize("around", ["시험 통과 12:30 a@b M.x ", "x", "\ud800 ", "1"])
def test_a_secret_is_found_in_a_long_output_too(secret: str, around: str) -> None:
    shape = f"postgres://{secret}@host" if secret.startswith("bot:") else f"here: {secret} "
    redact = redactor([OURS])
    long = redact(f"{around * 3000} {shape} {around * 3000}")
    assert long == f"{around * 3000} {redact(shape)} {around * 3000}"
    assert REDACTED in long


@pytest.mark.parametrize(
    "text",
    [
        "task-management-and-other-words-that-are-long",
        "m1.0.r",
        "12:30",
        "https://example.org/a@b",
        "리뷰를 시작합니다",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    assert redactor(["abc"])(text) == text


AWS = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"AWS_SECRET_ACCESS_KEY={AWS}", AWS),
        (f"aws_secret_access_key = {AWS}", AWS),
        ("PGPASSWORD=s3cr3tpw psql -h db", "s3cr3tpw"),
        ("POSTGRES_PASSWORD=postgres", "=postgres"),
        ("password=hunter2", "hunter2"),
        ("password = hunter2", "hunter2"),
        ("password: hunter2", "hunter2"),
        ("비밀번호는 db_password: hunter2 입니다", "hunter2"),
        ("curl --token=abc123def https://example.org", "abc123def"),
        ("https://example.org/?token=abc123def&page=2", "abc123def"),
        ('{"api_key": "0123456789abcdef", "page": 2}', "0123456789abcdef"),
        (r"{\"api_key\": \"0123456789abcdef\"}", "0123456789abcdef"),
        ("apiKey: 'swordfish'", "swordfish"),
        ('client_secret="swordfish"', "swordfish"),
        ('MYSQL_PASSWD="correct!horse"', "correct!horse"),
        ("password=123456", "123456"),
        ("it said eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123456789.", "eyJzdWIiOiIxIn0"),
    ],
)
@pytest.mark.parametrize("around", ["", "시험 통과, and more\n" * 300])
def test_the_value_of_a_secret_s_name_is_gone(text: str, secret: str, around: str) -> None:
    found = redactor()(f"{around}{text}{around}")
    assert secret not in found
    assert found.count(REDACTED) == 1
    assert found.startswith(around)
    assert found.endswith(around)


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens=4096",
        "input_token: 1048576",
        "sorted(names, key=len)",
        "sorted(names, key=attribute2)",
        "token = next(stream)",
        "token=secrets.token_hex(16)",
        "password = getpass.getpass()",
        "login(user=user, password=password, token=token_v2)",
        "def f(password: str, token: SecretStr | None) -> None:",
        'API_KEY = os.environ["API_KEY"]',
        "API_KEY=settings.api_key",
        'api_key="$API_KEY"',
        'API_KEY = "ANTHROPIC_API_KEY"',
        "api_key: ${{ secrets.API_KEY }}",
        "TOKEN=$(cat token.txt)",
        "ssl_private_key: /etc/ssl/private/site.pem",
        "password: required, at least 8 characters",
        "password: 'must have 8 characters'",
        "primary_key=user_id2",
        "sort_key: created_at2",
        "비밀번호 token: 없음2개이상입니다",
        'f"token={token}"',
    ],
)
def test_code_and_prose_about_secrets_stay(text: str) -> None:
    assert redactor()(text) == text
    many = f"{text}\n" * 200
    assert redactor()(many) == many


@pytest.mark.parametrize("piece", ["key=", "token: ", "eyJ", "eyJaaaaaaaa.", "_", "password='", "API_KEY=a.a", "-"])
def test_no_text_takes_long(piece: str) -> None:
    redactor()(piece * (2**20 // len(piece)))


def test_lines_are_json_and_korean_stays_readable() -> None:
    stream = configured(LogFormat.JSON)
    with structlog.contextvars.bound_contextvars(turn="m1.0", persona="lead"):
        log.info("turn_started", text="두 줄\n입니다", count=3, share=0.5, on=True, none=None)
    logging.getLogger("other").warning("한국어 %d", 5)
    first, second = lines(stream)
    assert "두 줄" in stream.getvalue()
    assert {"event": "turn_started", "turn": "m1.0", "persona": "lead", "count": 3, "on": True}.items() <= first.items()
    assert (first["share"], first["none"], first["level"], first["text"]) == (0.5, None, "info", "두 줄\n입니다")
    assert first["timestamp"].endswith("Z")
    assert second["event"] == "한국어 5"
    assert "turn" not in second


def test_less_severe_events_are_left_out() -> None:
    stream = configured(LogFormat.JSON, LogLevel.WARNING)
    log.info("quiet")
    logging.getLogger("other").info("quiet")
    log.warning("loud")
    assert [line["event"] for line in lines(stream)] == ["loud"]


def test_a_log_that_cannot_be_written_ends_nothing(tmp_path: Path) -> None:
    file = tmp_path / "log"
    with file.open("w", encoding="utf-8") as stream:
        configure_logs(style=LogFormat.JSON, level=LogLevel.INFO, redact=redactor(), stream=stream)
        log.info("half", text="\ud800")
        log.info("whole")
    log.info("closed")
    half, whole = file.read_text(encoding="utf-8").splitlines()
    assert json.loads(half)["text"] == "\ud800"
    assert json.loads(whole)["event"] == "whole"

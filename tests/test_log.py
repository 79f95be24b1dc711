"""Logs hold facts and no secrets."""

import json
import logging
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import structlog

from mama_bot.log import REDACTED, LogFormat, LogLevel, configure_logs, redactor

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

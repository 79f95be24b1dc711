"""Every example of the seed documents, with the verdict that the requirements give it."""

import json
from pathlib import Path

import pytest

from mama_bot.config import ResponseValidatorSettings, ReviewGateSettings
from mama_bot.enforcement.approval.stage import ReviewGate
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.praise.stage import ResponseValidator
from mama_bot.model import Audience, Block, ToolRecord
from tests.enforcement.examples import draft, turn

MESSAGES = Path(__file__).parents[1] / "data" / "judged_messages.jsonl"
CONTENT = "The session token is compared in constant time now; see src/auth.py, lines 40 to 52."

# Text, whom it is for, whether it is rejected.
PRAISE = [
    ("네, 확인했습니다! 3개 파일을 리팩토링하겠습니다.", "agent", True),
    ("네, 확인했습니다! 3개 파일을 리팩토링하겠습니다.", "person", True),
    ("알겠습니다! 확인했습니다.", "agent", True),
    ("완료했습니다! 엔터프라이즈급 리팩토링을 적용했습니다.", "agent", True),
    ("완벽한 구현입니다! 훌륭한 패턴입니다! APPROVED!", "agent", True),
    ("src/foo.ts를 리팩토링해주세요. 이 파일은 매우 중요합니다.", "agent", False),
    ("리뷰 부탁합니다", "agent", False),
    ("This is a perfect use case for X", "agent", False),
    ("Replaced the table by a perfect hash", "agent", False),
    ("Excellent performance on the benchmark: excellent performance is kept at 4 threads.", "agent", False),
    ("훌륭합니다! 완벽한 구현입니다. 엔터프라이즈급 품질이에요!", "agent", True),
    ("정말 훌륭한 분석입니다! 대단한 작업이에요.\n```ts\nconst a = 1;\n```", "agent", True),
    (f"Good approach. Here's the fix: {CONTENT}", "agent", False),
    ("Fixed auth bug. Line 42 now uses bcrypt.", "agent", False),
    ("Fixed auth bug. Line 42 → bcrypt", "agent", False),
    ("I've completed this legendary, enterprise-grade masterpiece!", "agent", True),
    ("완벽합니다! This is a masterpiece", "agent", True),
    ("The `perfect` hash function is used for lookups.", "agent", False),
    ("", "agent", False),
    (f"Excellent work. {CONTENT}", "person", False),
    ("확실히 동작합니다. 30번 돌려서 30번 성공했습니다.", "agent", False),
    ("훌륭한 분석입니다.", "agent", True),
    ("완벽한 구현", "agent", True),
    ("정말 잘하셨습니다", "agent", True),
    ("대단한 작업입니다", "agent", True),
    ("멋진 코드네요", "agent", True),
    ("excellent work", "agent", True),
    ("great job", "agent", True),
    ("well done", "agent", True),
    ("This is brilliant, amazing and perfect.", "agent", True),
    ("깔끔한 구현입니다.", "agent", True),
    ("Beautiful code, elegant.", "agent", True),
    ("물론입니다!", "agent", True),
    ("Of course! Absolutely!", "agent", True),
    ("I understand. Got it.", "agent", True),
    ("진행하겠습니다", "agent", True),
]
APPROVALS = [
    ("APPROVE - 모든 것이 완벽합니다!", True),
    ("APPROVE - Tests pass (628/628)", False),
    ("APPROVE - Build succeeded, 0 errors", False),
    ("APPROVE - Tests pass (12/12), build succeeded, lint clean", False),
    ("승인 - 잘했습니다", True),
    ("승인 - 테스트 통과, 628개 성공", False),
    ("LGTM!", True),
    ("LGTM - Tests pass, build clean", False),
    ("Here's my analysis...", False),
    ("APPROVE - 완벽합니다!", True),
    ("APPROVE - I verified the changes", True),  # the seed lets it pass; a word alone is the weakest class
    ("APPROVE - looks good!", True),
    ("APPROVE - I verified the tests pass and build succeeds.", False),
    ("APPROVE - typecheck clean", False),
    ("APPROVE - no lint errors", False),
    ("APPROVE - git diff reviewed: +23 -5 lines", False),
    ("995/995 tests passed. APPROVE", False),
    ("완벽한 구현입니다! 훌륭한 패턴입니다! APPROVED!", True),
    ("통과", True),
    ("테스트 통과", False),
    ("OK", True),
    ("PASS", True),
    ("LGTM, lint is ok and 12/12 pass", False),
    ("합격", True),
]


async def praise_rejected(text: str, audience: str) -> bool:
    validator = ResponseValidator(settings=ResponseValidatorSettings())
    return isinstance(await validator.judge(Case(draft(text), turn(Audience(audience)))), Block)


async def approval_rejected(text: str) -> bool:
    words = draft(text, record=ToolRecord(complete=False))
    return isinstance(await ReviewGate(settings=ReviewGateSettings()).judge(Case(words, turn())), Block)


@pytest.mark.parametrize(("text", "audience", "rejected"), PRAISE)
async def test_praise_in_the_seeds(text: str, audience: str, rejected: bool) -> None:
    assert await praise_rejected(text, audience) is rejected


@pytest.mark.parametrize(("text", "rejected"), APPROVALS)
async def test_approvals_in_the_seeds(text: str, rejected: bool) -> None:
    assert await approval_rejected(text) is rejected


def messages() -> list[dict[str, str]]:
    return [json.loads(line) for line in MESSAGES.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("message", messages(), ids=lambda message: message["id"])
async def test_realistic_messages_are_judged_as_labelled(message: dict[str, str]) -> None:
    assert await praise_rejected(message["text"], message["audience"]) is (message["praise"] == "reject")
    assert await approval_rejected(message["text"]) is (message["approval"] == "reject")

"""What a reviewer's reply decides."""

from dataclasses import replace

import pytest

from mama_bot.model import (
    Allow,
    Attempt,
    Cleared,
    Declaration,
    DeclaredVerdict,
    Evidence,
    Figure,
    FigureName,
    StageVerdict,
    Verdict,
)
from mama_bot.review.review_verdicts import Approved, Rejected, Unproven, issues_of, verdict_of
from mama_bot.wording import Language
from tests.review.making import attempt

# --- verdicts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Verdict: APPROVE\n\nEvidence:\n- `pytest`: 45 passed in 3.2s\n\nFindings: none.",
        "결론: 승인합니다.\n\n근거:\n- `pytest`: 45개 통과\n\n지적 사항: 없음.",
        '{"verdict": "approved", "evidence": "pytest: 45 passed"}',
    ],
)
def test_an_approval_that_passed_approves_and_one_that_is_marked_does_not(text: str) -> None:
    for verdict in (Verdict.PASSED, Verdict.NOTED):
        assert verdict_of(attempt(text), Cleared(verdict=verdict), Language.ENGLISH) == Approved()
    assert verdict_of(attempt(text), Cleared(verdict=Verdict.NEEDS_REVIEW), Language.ENGLISH) == Unproven()


@pytest.mark.parametrize(
    "text",
    [
        "Verdict: REJECT\n\nLGTM otherwise, the tests pass: 45 passed.",
        "**Verdict:** Changes requested",
        "판정: 반려\n\n- `a.py:3` 0으로 나눕니다.",
        "결론: 승인 불가. 테스트가 실패합니다.",
        "I would approve this once `a.py:3` has a guard.",
        "`a.py:3`을 고치면 승인하겠습니다.",
        "`a.py` has 3 functions.",
        "",
    ],
)
def test_whatever_is_no_plain_approval_rejects_with_at_least_one_issue(text: str) -> None:
    verdict = verdict_of(attempt(text), Cleared(), Language.ENGLISH)
    assert isinstance(verdict, Rejected)
    assert verdict.issues


@pytest.mark.parametrize(
    "text",
    [
        "Verdict:\nREJECT\n\nI approve the docs.",
        "Verdict:\n\n**REJECT**\n\nI approve the docs.",
        "## Verdict\nREJECT\n\nI approve the docs.",
        "1. Verdict: REJECT\n2. Docs: LGTM.",
        "최종 판정은 반려입니다.\n\n문서 변경은 승인합니다.",
        "판정:\n반려\n\n문서는 승인합니다.",
        "심사결과: 반려\n문서는 승인합니다.",
        "판정: 조건부 승인\n- `a.py:3` 수정",
        "판정: 수정 후 승인",
        'Verdict: "REJECT"\nDocs: approved.',
        "Verdict is REJECT.\nLGTM on docs",
        "Verdict (final): REJECT\nLGTM on docs",
        "Verdict on the change: REJECT\nLGTM on docs",
        "My final verdict: REJECT\nLGTM on docs",
        "Review result: REJECT\nThe docs: LGTM.",
        "| Verdict | REJECT |\nThe docs are approved.",
        '{"verdict": "reject", "docs": "approved"}',
        "Verdict:\n```\nREJECT\n```\nI approve the docs.",
        "Verdict: ＲＥＪＥＣＴ\nI approve the docs.",
        "I reject this change: `a.py:3` divides by zero. I approve the docs.",
        "반려합니다. 문서는 승인합니다.",
        "I request changes in `a.py`. I approve the docs.",
        "Verdict: APPROVE with changes: fix a.py:3 first",
        "Verdict: APPROVE, but fix a.py:3",
        "Verdict: APPROVE or REJECT? REJECT",
        "Verdict: APPROVE? No. `a.py` fails",
        "판정: 승인하되 `a.py`를 고쳐야 합니다",
        "Verdict: APPROVE\n\nFinal verdict: REJECT",
        "Recommendation: approve the docs.\nVerdict: REJECT",
        "Verdict: FAIL\nThe style LGTM.",
        "Verdict: the docs are good\nI approve the docs.",
    ],
)
def test_a_rejection_stays_one_whatever_else_is_approved_beside_it(text: str) -> None:
    assert isinstance(verdict_of(attempt(text), Cleared(), Language.ENGLISH), Rejected)


@pytest.mark.parametrize(
    "text",
    [
        "Verdict: APPROVE\n\nFindings: none.\n\nRecommendation: no further changes needed.",
        "판정: 승인\n결론: 수정 필요 없음",
        "판정: 승인\n결정: 수정 요청 없음",
        "결론: 승인합니다. 수정 필요 없음.",
        "Verdict: APPROVE\n\nThe review before this one:\n> Verdict: REJECT\n\nAll of it is mended.",
        "> Verdict: REJECT\n\nThat was the last review. Verdict: APPROVE",
        "Verdict: APPROVE\n\nFindings:\n- Decision: no retry on 404 is documented.",
        "- Decision: no retry on 404 is documented.\n\nVerdict: APPROVE",
        "```\nDecision: no\n```\n\nVerdict: APPROVE",
        "Verdict: APPROVE\n\n- `test_rates.py` rejects a negative rate.",
        "Verdict:\n\n**APPROVE**",
        "## Verdict\nAPPROVE",
        "Verdict\n=======\n\nAPPROVE",
        "Verdict: APPROVE with no findings",
        "판정: 승인합니다. 추가 수정은 필요 없습니다.",
        "1. Verdict: APPROVED (no changes needed)",
        "Verdict: APPROVE - no changes requested",
        "**판정**: 승인합니다.",
        "최종 판정은 승인입니다.",
        "LGTM",
    ],
)
def test_an_approval_stays_one_whatever_else_is_said_beside_it(text: str) -> None:
    assert verdict_of(attempt(text), Cleared(), Language.ENGLISH) == Approved()


def test_a_phrase_that_the_gate_lets_pass_without_evidence_approves_nothing() -> None:
    no_approval = Evidence(figures=(Figure(name=FigureName.APPROVAL, value=False),))
    gate = StageVerdict(stage="review_gate", decision=Allow(evidence=no_approval))
    assert isinstance(verdict_of(attempt("Verdict: APPROVE", stages=[gate]), Cleared(), Language.ENGLISH), Rejected)


@pytest.mark.parametrize(
    ("text", "issues"),
    [
        (
            "Verdict: REJECT\n\nEvidence:\n- `pytest`: 1 failed\n\nFindings:\n- `a.py:3` divides\n  by zero\n- no test",
            ("`a.py:3` divides by zero", "no test"),
        ),
        (
            "판정: 반려\n\n지적 사항:\n1. `a.py:3` 0으로 나눕니다.\n2) 테스트 없음",
            ("`a.py:3` 0으로 나눕니다.", "테스트 없음"),
        ),
        ("Verdict: REJECT\n\n- `a.py:3` divides by zero", ("`a.py:3` divides by zero",)),
        (
            "Verdict: REJECT\n`a.py:3` divides by zero. It has no test.",
            ("`a.py:3` divides by zero.", "It has no test."),
        ),
        ("결론: 반려\n`a.py:3`이 틀렸습니다. 테스트가 없습니다.", ("`a.py:3`이 틀렸습니다.", "테스트가 없습니다.")),
        ("Verdict: APPROVE, but fix `a.py:3`", ("Verdict: APPROVE, but fix `a.py:3`",)),
        ("1. Verdict: REJECT\n2. `a.py:3` is wrong", ("`a.py:3` is wrong",)),
        (
            "Verdict:\nREJECT\n\n- Decision: no retry on 404, 3 are asked for",
            ("Decision: no retry on 404, 3 are asked for",),
        ),
        ("Verdict: REJECT\n\n## Findings\n\n* one\n* one\n* two", ("one", "two")),
    ],
)
def test_the_issues_are_the_findings_and_not_the_evidence(text: str, issues: tuple[str, ...]) -> None:
    assert issues_of(text, Language.ENGLISH) == issues


@pytest.mark.parametrize(
    ("language", "issue"),
    [
        (Language.ENGLISH, "The reviewer did not approve, and named no issue."),
        (Language.KOREAN, "리뷰어가 승인하지 않았고 문제를 적지 않았습니다."),
    ],
)
def test_a_rejection_that_names_nothing_says_so_in_the_language_of_the_work(language: Language, issue: str) -> None:
    assert issues_of("Verdict: REJECT", language) == (issue,)


def test_issues_are_bounded() -> None:
    found = issues_of(
        "Verdict: REJECT\n" + "\n".join(f"- {number} {'x' * 1000}" for number in range(100)), Language.ENGLISH
    )
    assert (len(found), max(map(len, found))) == (20, 500)


# --- what a reviewer submits ------------------------------------------------------------------------------

SUBMITS_APPROVAL = Declaration(verdict=DeclaredVerdict.APPROVE)


SUBMITS_REJECTION = Declaration(verdict=DeclaredVerdict.REJECT, findings=("`rates.py:1`: wrong rate", " "))


def submitted(text: str, declaration: Declaration) -> Attempt:
    drafted = attempt(text)
    return replace(drafted, draft=replace(drafted.draft, declaration=declaration))


def test_a_submitted_verdict_stands_above_the_words() -> None:
    said = submitted("The rates are right.", SUBMITS_APPROVAL)
    assert verdict_of(said, Cleared(), Language.ENGLISH) == Approved()
    assert verdict_of(said, Cleared(verdict=Verdict.NEEDS_REVIEW), Language.ENGLISH) == Unproven()
    rejected = Rejected(("`rates.py:1`: wrong rate",))
    for text in ("Verdict: APPROVE", "The rates are wrong."):
        assert verdict_of(submitted(text, SUBMITS_REJECTION), Cleared(), Language.ENGLISH) == rejected


@pytest.mark.parametrize("text", ["Verdict: REJECT\n\nFindings:\n- wrong rate", "판정: 반려\n\n지적:\n- 비율이 틀림"])
def test_words_that_plainly_reject_undo_a_submitted_approval(text: str) -> None:
    assert isinstance(verdict_of(submitted(text, SUBMITS_APPROVAL), Cleared(), Language.ENGLISH), Rejected)


def test_a_rejection_without_findings_takes_those_of_the_reply() -> None:
    bare = Declaration(verdict=DeclaredVerdict.REJECT)
    said = submitted("Verdict: REJECT\n\nFindings:\n- `rates.py:1`: wrong", bare)
    assert verdict_of(said, Cleared(), Language.ENGLISH) == Rejected(("`rates.py:1`: wrong",))

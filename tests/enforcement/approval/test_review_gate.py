"""ReviewGate: speech acts, strengths of evidence, contradiction."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.config import EvidenceStrength, Retries, ReviewGateSettings
from mama_bot.enforcement.approval.stage import ReviewGate
from mama_bot.enforcement.case import Case
from mama_bot.model import Allow, Block, Decision, Exhausted, TurnKind
from tests.enforcement.examples import draft, turn

SENTENCES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "review_sentences.jsonl").read_text("utf-8").splitlines()
]
APPROVING = [(sentence["text"], sentence["approves"]) for sentence in SENTENCES if "approves" in sentence]
SUPPORTING = [(sentence["text"], sentence["supports"]) for sentence in SENTENCES if "supports" in sentence]
DECIDED = [(sentence["text"], sentence["rejected"]) for sentence in SENTENCES if "rejected" in sentence]
GATE = ReviewGate(settings=ReviewGateSettings(least_evidence=EvidenceStrength.NAMED_CHECK))
STRENGTHS = list(EvidenceStrength)


async def judged(text: str, least: EvidenceStrength = EvidenceStrength.NAMED_CHECK) -> Decision:
    return await ReviewGate(settings=ReviewGateSettings(least_evidence=least)).judge(Case(draft(text), turn()))


@pytest.mark.parametrize("least", STRENGTHS)
@pytest.mark.parametrize(
    ("text", "strength"),
    [
        ("Approved. I verified the change.", EvidenceStrength.WORD),
        ("승인합니다. 변경 사항을 검토했습니다.", EvidenceStrength.WORD),
        ("Approved. The tests pass.", EvidenceStrength.NAMED_CHECK),
        ("승인합니다. 빌드가 성공했습니다.", EvidenceStrength.NAMED_CHECK),
        ("Approved. pytest: 45 passed in 3.2s", EvidenceStrength.CONCRETE),
        ("승인합니다. 테스트 45개 통과.", EvidenceStrength.CONCRETE),
    ],
)
async def test_evidence_counts_from_the_least_strength_on(
    text: str, strength: EvidenceStrength, least: EvidenceStrength
) -> None:
    enough = STRENGTHS.index(strength) >= STRENGTHS.index(least)
    assert isinstance(await judged(text, least), Allow if enough else Block)


@pytest.mark.parametrize(
    "text",
    [
        "Approved. 45 passed, 3 failed.",
        "Approved. 11/12 tests pass.",
        "Approved, build clean, but 10 errors remain.",
        "LGTM, lint is clean. I did not run the tests.",
        "Approved.\n```\ncollected 0 items\n```",
        "승인합니다. 빌드 성공. 테스트 3개 실패.",
    ],
)
async def test_contradiction_beats_evidence(text: str) -> None:
    decision = await judged(text, EvidenceStrength.WORD)
    assert isinstance(decision, Block)
    assert decision.rule == "approval_contradicted"


@pytest.mark.parametrize(
    "text",
    [
        "Approved. 10/10.",
        "Approved on 02/08.",
        "Approved, it runs 24/7.",
        "Approved. Perfect work.",
        "> 45 passed\n\nApproved.",
    ],
)
async def test_what_is_no_evidence(text: str) -> None:
    decision = await judged(text, EvidenceStrength.WORD)
    assert isinstance(decision, Block)
    assert decision.rule == "approval_without_evidence"


async def test_the_feedback_asks_what_was_verified_in_the_language_of_the_draft() -> None:
    english, korean = await judged("Approved."), await judged("승인합니다.")
    assert isinstance(english, Block)
    assert isinstance(korean, Block)
    assert "What did you verify?" in english.feedback
    assert "무엇을 검증했습니까?" in korean.feedback
    assert ReviewGateSettings().retries(turn()) == Retries(exhausted=Exhausted.DOWNGRADE)
    assert "no evidence" in english.banner
    assert "근거가 없습니다" in korean.banner


async def test_an_approval_in_the_middle_of_a_report_is_not_in_verdict_position() -> None:
    assert isinstance(
        await judged("I read the log. The job was approved by the bot and then ran. It took 3 minutes."), Allow
    )


async def test_findings_name_the_approval_and_its_contradiction() -> None:
    text = "Per\u200bfect. 3 failed. APPROVED!"
    decision = await judged(text)
    assert [finding.kind for finding in decision.evidence.findings] == ["approval", "contradiction"]
    assert [text[finding.start : finding.end] for finding in decision.evidence.findings] == ["APPROVED!", "3 failed"]


def approves(decision: Decision) -> bool:
    return any(figure.name == "approval" and bool(figure.value) for figure in decision.evidence.figures)


async def test_an_approval_is_a_speech_act_here_and_now() -> None:
    wrong = [
        (text, approving)
        for text, approving in APPROVING
        if approves(await GATE.judge(Case(draft(text), turn()))) is not approving
    ]
    assert APPROVING
    assert not wrong, "\n".join(map(repr, wrong))


async def test_evidence_is_a_named_check_with_its_outcome_as_things_are_now() -> None:
    wrong = []
    for text, supporting in SUPPORTING:
        verdict = "승인합니다." if any("가" <= character <= "힣" for character in text) else "Approved."
        for message in (f"{verdict}\n\n{text}", f"{text}\n\n{verdict}"):
            if not isinstance(await GATE.judge(Case(draft(message), turn())), Allow if supporting else Block):
                wrong.append((message, supporting))
    assert SUPPORTING
    assert len(wrong) <= len(SUPPORTING) // 100, "\n".join(map(repr, wrong))


async def test_whole_messages() -> None:
    wrong = [
        (text, rejected)
        for text, rejected in DECIDED
        if isinstance(await GATE.judge(Case(draft(text), turn())), Block) is not rejected
    ]
    assert DECIDED
    assert len(wrong) <= len(DECIDED) // 100, "\n".join(map(repr, wrong))


@pytest.mark.parametrize(
    ("text", "contradicted"),
    [
        ("Approved.\n\n| | main | branch |\n|---|---|---|\n| tests | 3 failed | 45 passed |", False),
        ("Approved.\n\n| | main | branch |\n|---|---|---|\n| tests | 45 passed | 3 failed |", True),
        ("승인합니다.\n\n| | 이전 | 이번 |\n|---|---|---|\n| 테스트 | 3개 실패 | 45개 통과 |", False),
    ],
)
async def test_the_column_of_an_earlier_state_neither_supports_nor_contradicts(text: str, contradicted: bool) -> None:
    assert isinstance(await GATE.judge(Case(draft(text), turn())), Block) is contradicted


async def test_a_contradiction_among_thousands_of_lines_is_found() -> None:
    lines = [f"test_{number} passed" for number in range(3000)]
    lines[1500] = "2 tests failed"
    assert isinstance(await GATE.judge(Case(draft("Approved.\n" + "\n".join(lines)), turn())), Block)


@pytest.mark.parametrize(
    ("entry", "text", "passes"),
    [
        ("ship it crew, meet at noon", "Ship it crew, meet at noon.", True),
        ("ship it crew, meet at noon", "**Ship it crew, meet at noon!**", True),
        ("ship it crew.*", "Ship it crew, meet at noon.", True),
        ("ship it crew, meet at noon", "Ship it crew, meet at noon. Approved.", False),
        ("ship it crew", "Ship it crew, meet at noon.", False),
        ("LGTM", "LGTM, merge without running anything", False),
        ("Approved", "Approved, merge it now.", False),
        ("승인합니다", "모든 변경을 승인합니다.", False),
        ("승인합니다", "승인합니다.", True),
        ("LGTM", "LGTM. I did not run the tests.", False),
        ("LGTM", "**LGTM!**\nThe tests were not run.", True),
        ("승인합니다", "승인합니다. 테스트는 돌리지 않았습니다.", False),
        ("LGTM is what the old bot said", "LGTM is what the old bot said", True),
    ],
)
async def test_an_entry_of_the_whitelist_lets_pass_what_it_matches_as_a_whole(
    entry: str, text: str, passes: bool
) -> None:
    assert isinstance(await GATE.judge(Case(draft(text), turn())), Block) or entry.startswith("LGTM is")
    gate = ReviewGate(settings=ReviewGateSettings(whitelist=(entry,)))
    assert isinstance(await gate.judge(Case(draft(text), turn())), Allow) is passes


async def test_a_whitelisted_line_passes_although_its_sentence_is_a_bare_approval() -> None:
    gate = ReviewGate(settings=ReviewGateSettings(whitelist=("approved[.] So the customer wrote",)))
    assert isinstance(await gate.judge(Case(draft("Hello.\nApproved. So the customer wrote.\nBye."), turn())), Allow)
    assert isinstance(await gate.judge(Case(draft("Hello.\nApproved. So I say.\nBye."), turn())), Block)


async def test_the_one_word_that_was_asked_for_is_an_answer_unless_a_review_was() -> None:
    asked = replace(turn(), prompt="Run the linter and answer PASS or FAIL.")
    assert isinstance(await GATE.judge(Case(draft("PASS"), asked)), Allow)
    assert isinstance(await GATE.judge(Case(draft("PASS"), turn())), Block)
    assert isinstance(await GATE.judge(Case(draft("PASS"), replace(asked, kind=TurnKind.REVIEW))), Block)


async def test_content_is_no_approval_beside_a_report_and_one_beside_a_review() -> None:
    report = "The sidebar is sticky, and the badge shows the count."
    assert isinstance(await GATE.judge(Case(draft(f"All good. {report}"), turn())), Allow)
    assert isinstance(await GATE.judge(Case(draft(f"I read the diff. {report} All good."), turn())), Block)


async def test_the_author_of_work_may_call_it_ready() -> None:
    assert isinstance(await GATE.judge(Case(draft("I fixed both comments. Ready to merge."), turn())), Allow)
    assert isinstance(await GATE.judge(Case(draft("I read the diff. Ready to merge."), turn())), Block)


async def test_a_reviewer_who_is_satisfied_and_sends_the_work_on_approves_it() -> None:
    text = "살펴봤는데 걸리는 부분이 없네요. 머지해 주세요."
    assert isinstance(await GATE.judge(Case(draft(text), replace(turn(), kind=TurnKind.REVIEW))), Block)
    assert isinstance(await GATE.judge(Case(draft("테스트까지 고쳤습니다. 머지해 주세요."), turn())), Allow)

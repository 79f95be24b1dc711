"""ResponseValidator: thresholds, audiences, feedback, configuration."""

import pytest

from mama_bot.config import ResponseValidatorSettings, Retries, ReviewGateSettings
from mama_bot.enforcement.approval.stage import ReviewGate
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.praise.stage import ResponseValidator
from mama_bot.errors import ConfigurationError
from mama_bot.model import Allow, Audience, Block, Decision, Exhausted
from tests.enforcement.examples import draft, turn

PRAISE = "Great job!"  # nine characters without the space


async def judged(text: str, audience: Audience = Audience.AGENT, **settings: object) -> Decision:
    validator = ResponseValidator(settings=ResponseValidatorSettings.model_validate(settings))
    return await validator.judge(Case(draft(text), turn(audience)))


@pytest.mark.parametrize(("audience", "praise"), [(Audience.AGENT, PRAISE), (Audience.PERSON, f"{PRAISE} {PRAISE}")])
async def test_exactly_at_the_threshold_passes(audience: Audience, praise: str) -> None:
    content = "The lock moved into pools"
    rest = {Audience.AGENT: f"{content} of thirty connec", Audience.PERSON: f"{content} of con"}[audience]
    assert isinstance(await judged(f"{praise} {rest}.", audience), Allow)
    assert isinstance(await judged(f"{praise} {rest[:-1]}.", audience), Block)


async def test_the_audience_comes_from_the_turn_and_not_from_the_text() -> None:
    text = "@lead Great job! DELEGATE said the lock moved."
    assert isinstance(await judged(text, Audience.AGENT), Block)
    assert isinstance(await judged(text, Audience.PERSON), Allow)


async def test_the_feedback_quotes_what_was_found_and_the_share() -> None:
    decision = await judged("Perfect implementation! The lock moved.")
    assert isinstance(decision, Block)
    assert '"Perfect implementation!"' in decision.feedback
    assert "63%" in decision.feedback
    assert "Restate with results only" in decision.feedback


async def test_korean_drafts_get_korean_feedback() -> None:
    decision = await judged("정말 훌륭한 구현입니다! 잠금을 옮겼습니다.")
    assert isinstance(decision, Block)
    assert "결과만 다시 쓰세요" in decision.feedback
    assert "정말 훌륭한 구현입니다!" in decision.feedback
    assert "칭찬" in decision.banner


async def test_quotes_in_the_feedback_are_bounded() -> None:
    decision = await judged("Perfect " * 5000)
    assert isinstance(decision, Block)
    assert len(decision.feedback) < 600


async def test_what_becomes_of_a_rejection_depends_on_the_audience() -> None:
    settings = ResponseValidatorSettings()
    assert settings.retries(turn()) == Retries(exhausted=Exhausted.WITHHOLD)
    assert settings.retries(turn(Audience.PERSON)) == Retries(most=1, exhausted=Exhausted.POST_WITH_NOTE)
    for audience in Audience:
        assert isinstance(await judged("Perfect!", audience), Block)


async def test_findings_of_a_disguised_text_lie_in_the_original() -> None:
    text = "ok\n\n\u200bPer\u200bfect w\u00adork! 완 벽 합 니 다!"
    decision = await judged(text)
    assert isinstance(decision, Block)
    assert [text[finding.start : finding.end] for finding in decision.evidence.findings] == [
        finding.text for finding in decision.evidence.findings
    ]
    assert any("Per\u200bfect w\u00adork!" in finding.text for finding in decision.evidence.findings)


async def test_configuration_adds_praise_and_terms() -> None:
    assert isinstance(await judged("Groovy stuff!"), Allow)
    assert isinstance(await judged("Groovy stuff!", praise=["groovy"]), Block)
    assert isinstance(await judged("짱짱맨입니다!", praise=["짱짱맨"]), Block)
    assert isinstance(await judged("Perfect Dark build."), Block)
    assert isinstance(await judged("Perfect Dark build.", whitelist=["perfect dark"]), Allow)


async def test_an_expression_that_re2_refuses_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="RE2"):
        ResponseValidator(settings=ResponseValidatorSettings(praise=("(?<=a)b",)))


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\x00", "\u200b"])
async def test_an_empty_reply_is_not_this_stages_concern(text: str) -> None:
    assert isinstance(await judged(text), Allow)


@pytest.mark.parametrize(
    "hostile",
    [
        "test " * 40_000,
        "1" * 200_000,
        "a" * 200_000,
        "```\n" * 50_000,
        "- x\n" * 50_000,
        "perfect " * 25_000,
        "완 " * 60_000,
    ],
)
async def test_large_hostile_texts_are_judged(hostile: str) -> None:
    assert isinstance(await judged(hostile), Allow | Block)


@pytest.mark.parametrize(
    "text",
    [
        "Committed. Working tree is clean.",
        "Done. Lint is clean, types are clean.",
        "커밋했습니다. 워킹 트리는 깨끗합니다.",
        "Renamed the helper. The API is now consistent:\n\n| old | new |\n|---|---|\n| getUser | fetchUser |",
        "Thanks. Pushed 3f2a1bc to feat/login.",
        "감사합니다. 14건 모두 옮겼고 2건은 중복이라 지웠습니다.",
        'The README says "a beautiful, robust and elegant framework", which is marketing; I removed it.',
        "The file is called excellent-adventure.ts; it exports two functions.",
        "Robust regression needs a Huber loss here, so I swapped the estimator.",
        "Could you log in on the page I opened and tell me when you are done?",
        "로그인 화면을 띄웠습니다. 로그인하시고 알려주세요.",
        "Stopped. Tell me what to do next.",
        "Yes.",
        "이 알고리즘은 완벽 해시를 씁니다. 충돌이 없어서 탐색이 O(1)입니다.",
        '"훌륭합니다!"라는 문구를 버튼에서 뺐습니다.',
        "テストはすべて通りました。lint もクリーンです。",
        "素晴らしいアイデアですね。README を更新しました。",
        "Good question. The cache is per process, so two workers may both miss.",
        'The tool prints "Amazing! You\'re all set." and exits 1.',
        "Got it. I'll move the lock above the read and rerun the suite.",
    ],
)
async def test_honest_reports_pass_with_their_courtesies_states_quotations_and_names(text: str) -> None:
    assert isinstance(await judged(text), Allow)


@pytest.mark.parametrize(
    "text",
    [
        "Amaaaazing work, truly outstaaanding!",
        "gre4t job, this is aw3some!",
        "This is a m@sterpiece, absolutely br1lliant.",
        "Perfeeeect! You're the best!!!",
        "진짜 대박이에요. 이런 코드는 처음 봐요. 존경합니다!",
        "Noted, will do.",
        "네, 알겠습니다! 말씀하신 대로 진행하겠습니다.",
        "I've built a world-class, production-grade, beautifully architected solution.",
        "Sounds great! Looking forward to it!",
    ],
)
async def test_empty_words_are_sent_back_however_they_are_spelt(text: str) -> None:
    assert isinstance(await judged(text), Block)


async def test_code_and_tables_are_part_of_the_whole() -> None:
    praise = "Much cleaner now, what a lovely change!"
    code = "```\n" + "total += weight * share[name]\n" * 10 + "```"
    table = "| file | lines |\n|---|---|\n" + "| src/auth/tokens.py | +23 -5 |\n" * 10
    assert isinstance(await judged(praise), Block)
    assert isinstance(await judged(f"{praise}\n\n{code}"), Allow)
    assert isinstance(await judged(f"{praise}\n\n{table}"), Allow)


async def test_of_a_bare_approval_the_review_gate_speaks() -> None:
    text = "코드 봤는데 좋네요. 승인할게요."
    assert isinstance(await judged(text), Allow)
    assert isinstance(await ReviewGate(settings=ReviewGateSettings()).judge(Case(draft(text), turn())), Block)
    assert isinstance(await judged("Outstanding work, you are a genius! Approved."), Block)

"""What one agent asks of another is one typed value, and what cannot be carried out goes back to its sender."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mama_bot.config import DelegationCheckSettings, Retries
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.delegations.stage import DelegationCheck
from mama_bot.model import Allow, Author, Block, Delegation, DelegationForm, Draft, Exhausted, TurnId
from tests.people import PERSON, agent, persona, team, turn

TEAM = team(
    persona("lead", delegates_to=("developer", "reviewer", "qa")),
    persona("developer"),
    persona("reviewer", "리뷰어"),
    persona("qa", "Quality Team"),
    persona("writer"),
)
DIRECTIVE, MENTION = DelegationForm.DIRECTIVE, DelegationForm.MENTION


def case(text: str, *, sender: str = "lead", asker: Author = PERSON) -> Case:
    draft = Draft(turn_id=TurnId("m1.0"), attempt=0, text=text)
    return Case(draft, turn(sender, asker=asker), team=TEAM)


def parse(text: str, *, sender: str = "lead", asker: Author = PERSON) -> list[Delegation]:
    return list(case(text, sender=sender, asker=asker).delegations.requested)


def tasks(text: str) -> list[tuple[str, str]]:
    return [(found.recipient, found.task) for found in parse(text)]


async def check(text: str, *, sender: str = "lead", asker: Author = PERSON) -> Allow | Block:
    decision = await DelegationCheck().judge(case(text, sender=sender, asker=asker))
    assert isinstance(decision, Allow | Block)
    return decision


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # Each of these the original's parser got wrong.
        ("DELEGATE_BG::developer::fix a\nDELEGATE_BG::qa::check b", [("developer", "fix a"), ("qa", "check b")]),
        ("DELEGATE::developer::fix a\nI report when it is done.", [("developer", "fix a")]),
        ("DELEGATE::developer::fix a\nDELEGATE_BG::qa::check b", [("developer", "fix a"), ("qa", "check b")]),
        ("To hand on, write `DELEGATE::developer::task`.", []),
        ("```\nDELEGATE::developer::fix a\n```", []),
        ("~~~text\nDELEGATE::developer::fix a\n", []),
        ("delegate::developer::fix a", [("developer", "fix a")]),
        ("DELEGATE :: Developer :: fix a", [("developer", "fix a")]),
        ("DELEGATE:: @developer ::fix a", [("developer", "fix a")]),
    ],
)
def test_the_faults_of_the_original_are_gone(text: str, found: list[tuple[str, str]]) -> None:
    assert tasks(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Plan:\n\nDELEGATE::developer::fix a\n\nMore later.", [("developer", "fix a")]),
        ("- DELEGATE::developer::fix a\n- DELEGATE::qa::b", [("developer", "fix a"), ("qa", "b")]),
        ("1. DELEGATE::developer::fix a", [("developer", "fix a")]),
        ("**DELEGATE::developer::fix `a**b`**", [("developer", "fix `a**b`")]),
        ("DELEGATE::리뷰어::확인해 주세요", [("reviewer", "확인해 주세요")]),
        ("DELEGATE::Quality Team::check", [("qa", "check")]),
        ("DELEGATE::developer::see a::b and `c::d`", [("developer", "see a::b and `c::d`")]),
        ("DELEGATE::developer::fix a, then tell @reviewer", [("developer", "fix a, then tell @reviewer")]),
        ("DELEGATE::developer::fix\r\n\r\nBye.", [("developer", "fix")]),
        ("DELEGATE::developer::fix \ud800", [("developer", "fix \ufffd")]),
        ("이 작업은 DELEGATE::developer::고치기 형식으로 넘깁니다.", []),
        ("도구가 출력했습니다: DELEGATE::developer::fix a", []),
        ("> DELEGATE::developer::fix a", []),
        ("| DELEGATE::developer::fix a | x |", []),
        ("    DELEGATE::developer::fix a", []),
        ("std::delegate::developer::fix is C++", []),
        ("a::b::c and x@y", []),
    ],
)
def test_a_directive_is_read_where_it_is_prose(text: str, found: list[tuple[str, str]]) -> None:
    assert tasks(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@developer fix a\nand b.\n\nThat is all.", [("developer", "@developer fix a\nand b.")]),
        ("Please,\n@developer에게 부탁합니다.", [("developer", "Please,\n@developer에게 부탁합니다.")]),
        ("@리뷰어는 봐 주세요", [("reviewer", "@리뷰어는 봐 주세요")]),
        ("@developer a, @qa b", [("developer", "@developer a, @qa b"), ("qa", "@developer a, @qa b")]),
        ("@developer a\n\n@developer b", [("developer", "@developer a"), ("developer", "@developer b")]),
        ("DELEGATE::developer::x\n- y\n@qa check", [("developer", "x\n- y"), ("qa", "@qa check")]),
        ("I told @developer so.\n\nDELEGATE::developer::x", [("developer", "x")]),
        ("@developers, me@developer.com, @developer/x, `@developer`", []),
        ("> @developer fix a", []),
        ("@lead @writer @nobody hello", []),
    ],
)
def test_a_mention_hands_on_its_paragraph(text: str, found: list[tuple[str, str]]) -> None:
    assert tasks(text) == found


@pytest.mark.parametrize(
    ("text", "goes_on"),
    [
        ("DELEGATE::developer::Go on", [True]),
        ("DELEGATE::developer::계속 진행하세요", [True]),
        ("DELEGATE::developer::Fix `a.py`\nDELEGATE::qa::Go on", [False, True]),
    ],
)
def test_a_delegation_tells_that_it_only_goes_on_with_what_was_asked(text: str, goes_on: list[bool]) -> None:
    assert [delegation.goes_on for delegation in parse(text)] == goes_on


def test_the_form_is_told() -> None:
    assert [one.form for one in parse("DELEGATE::developer::x\n\n@qa check")] == [DIRECTIVE, MENTION]
    assert {one.sender for one in parse("DELEGATE::developer::x\n\n@qa check")} == {"lead"}


def test_the_parts_are_kept_apart() -> None:
    text = (
        "On it.\n\nDELEGATE::developer::fix the rounding\n"
        "EXPECTED OUTCOME:\n\n- shop/money.py\n- tests pass\n"
        "**MUST NOT DO:** touch shop/cart.py\n"
        "must_do: run the tests\n"
        "REQUIRED TOOLS: Bash\n"
        "CONTEXT:\n```py\na = 1\n\nDELEGATE::qa::no\n```\n"
        "\nI report when it is done.\n"
    )
    assert parse(text) == [
        Delegation(
            sender="lead",
            recipient="developer",
            task="fix the rounding",
            form=DIRECTIVE,
            expected_outcome="- shop/money.py\n- tests pass",
            must_not_do="touch shop/cart.py",
            must_do="run the tests",
            required_tools="Bash",
            context="```py\na = 1\n\nDELEGATE::qa::no\n```",
            goes_on=False,
        )
    ]


def test_the_parts_of_a_mention_and_a_task_below_are_read() -> None:
    (found,) = parse("@developer:\nTASK: fix a\nEXPECTED OUTCOME: a.py\n\nBye.")
    assert (found.task, found.expected_outcome) == ("@developer:\nfix a", "a.py")
    (found,) = parse("DELEGATE::developer::\nTASK: fix a")
    assert found.task == "fix a"


async def test_mentioning_whoever_asked_is_no_delegation() -> None:
    assert parse("@developer done: 3 tests pass.", asker=agent("developer")) == []
    assert await check("@developer done.", asker=agent("developer")) == Allow()
    assert parse("@reviewer please check", sender="developer", asker=agent("lead")) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("DELEGATE::devloper::x", "There is no persona 'devloper' to delegate to. Did you mean 'developer'?"),
        ("DELEGATE::인사팀::x", "There is no persona '인사팀' to delegate to. Known: "),
        ("DELEGATE::writer::x", "lead may not delegate to writer, only to: developer, reviewer, qa."),
        ("DELEGATE::lead::x", "A persona cannot delegate to itself."),
        ("DELEGATE::developer::", "The delegation to developer has no task."),
        ("DELEGATE::developer:: ...\nThat is all.", "The delegation to developer has no task."),
        ("DELEGATE::::x", "A delegation names nobody"),
        ("DELEGATE::developer: fix a", "cannot be read"),
        ("DELEGATE::`developer`::fix a", "cannot be read"),
        ("I now DELEGATE::developer::fix a", "cannot be read"),
        ("DELEGATE::developer::a DELEGATE::qa::b", "Two delegations share a line"),
        ("@developer:\n\nfix a", "The delegation to developer has no task."),
    ],
)
async def test_what_cannot_be_carried_out_is_sent_back_with_the_reason(text: str, words: str) -> None:
    decision = await check(text)
    assert isinstance(decision, Block)
    assert words in decision.reason
    assert words in decision.feedback
    assert words in decision.banner
    assert DelegationCheckSettings().retries(turn("lead")) == Retries(exhausted=Exhausted.POST_WITH_NOTE)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "DELEGATE::devloper::반올림을 고쳐 주세요",
            "없는 페르소나에게 한 위임입니다: 'devloper'. 혹시 'developer'입니까?",
        ),
        ("DELEGATE::writer::문서를 고쳐 주세요", "위임할 수 없는 상대입니다: lead → writer."),
        ("DELEGATE::lead::직접 확인해 주세요", "페르소나는 자신에게 위임할 수 없습니다."),
        ("DELEGATE::developer: 반올림을 고쳐 주세요", "이 위임은 읽을 수 없습니다."),
    ],
)
async def test_a_korean_draft_gets_the_reason_in_korean(text: str, words: str) -> None:
    decision = await check(f"반올림에 문제가 있어 다른 사람에게 넘기겠습니다.\n\n{text}")
    assert isinstance(decision, Block)
    assert words in decision.reason
    assert decision.banner.startswith("실행하지 않았습니다: ")
    assert decision.feedback.endswith("위임을 고치거나 직접 하세요.")


async def test_only_what_can_be_carried_out_is_when_the_rest_is_wrong() -> None:
    text = "DELEGATE::developer::fix a\nDELEGATE::nobody::fix b"
    assert isinstance(await check(text), Block)
    assert tasks(text) == [("developer", "fix a")]


async def test_the_reason_stays_short() -> None:
    decision = await check("\n".join(f"DELEGATE::{'x' * n}::task" for n in range(1, 80)) + "\nDELEGATE::lead::x" * 50)
    assert isinstance(decision, Block)
    assert len(decision.reason) < 500


@pytest.mark.parametrize(
    "text",
    [
        "Done: 12 tests, OK.",
        "DELEGATE::developer::fix a",
        'Write `DELEGATE::nobody::x`, or "DELEGATE::nobody::x".',
        "```\nDELEGATE::nobody::x\n```",
        "@nobody hello",
    ],
)
async def test_everything_else_is_allowed(text: str) -> None:
    assert await check(text) == Allow()


async def test_a_sender_who_left_the_team_is_not_judged() -> None:
    assert await check("DELEGATE::nobody::x", sender="gone") == Allow()


PIECES = st.sampled_from(
    ["DELEGATE::", "DELEGATE_BG::", "developer", "nobody", "lead", "qa", "리뷰어", "::", "@", " ", "\n", "\n\n", "```",
     "> ", "- ", "`", "**", "|", "TASK:", "EXPECTED OUTCOME:", "CONTEXT:", "fix a", "고쳐", "\t", "    ", "\ud800"]
)  # fmt: skip
TEXTS = st.text() | st.lists(PIECES, max_size=30).map("".join)


@given(TEXTS, st.sampled_from(sorted(TEAM)), st.sampled_from([PERSON, agent("developer"), agent("lead")]))
@settings(max_examples=150, deadline=None)
def test_any_text_gives_only_delegations_that_may_be_carried_out(text: str, sender: str, asker: Author) -> None:
    found = parse(text, sender=sender, asker=asker)
    for one in found:
        assert one.recipient in TEAM[sender].delegates_to
        assert one.sender == sender
        assert one.task.strip()
        assert one.form is DIRECTIVE or one.recipient != asker.id
    assert parse(text, sender=sender, asker=asker) == found


@given(TEXTS)
@settings(deadline=None)
async def test_any_text_can_be_checked(text: str) -> None:
    decision = await check(text)
    assert isinstance(decision, Allow) or decision.reason.endswith((".", "?"))


@given(st.text().filter(lambda text: "@" not in text and "::" not in text))
def test_without_signs_there_is_no_delegation(text: str) -> None:
    assert parse(text) == []


@pytest.mark.parametrize(
    ("text", "handed_on"),
    [
        ("DELEGATE::developer::fix a", True),
        ("delegate::developer::fix a", True),
        ("@developer please write the tests", True),
        ("@리뷰어 테스트를 작성해 주세요", True),
        ("The developer wrote the tests.", False),
        ("Write `DELEGATE::developer::fix a` to hand on.", False),
        ("@writer please write the tests", False),
    ],
)
def test_a_draft_hands_work_on_by_a_directive_or_a_mention(text: str, *, handed_on: bool) -> None:
    assert case(text).hands_on is handed_on

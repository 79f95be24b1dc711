"""Stories that a scripted team plays on the page."""

from mama_bot.model import (
    AgentPersona,
    Amend,
    Evidence,
    Finding,
    InboundMessage,
    MenuArgument,
    MenuCommand,
    NoticeKind,
    StageVerdict,
    Tier,
    Turn,
    TurnState,
    Verdict,
)
from mama_bot.testing.scripted_team import ScriptedTeam

TEAM = (
    AgentPersona(
        name="lead",
        display_name="Lead",
        prompt="You lead a small team of coding agents. You plan and delegate.",
        tier=Tier.LEAD,
        delegates_to=("developer", "reviewer"),
    ),
    AgentPersona(
        name="developer",
        display_name="Developer",
        prompt="You change the code. You run the tests.",
        menu=(
            MenuCommand(
                name="refactor", en="Simpler", ko="정리", prompt="Do {file}.", arguments=(MenuArgument(name="file"),)
            ),
        ),
    ),
    AgentPersona(name="reviewer", display_name="Reviewer", prompt="You review what others did.", tier=Tier.READER),
)

TEST_OUTPUT = """test_cart (tests.test_cart.CartTest) ... ok
test_rounding (tests.test_price.PriceTest) ... ok
test_vat (tests.test_tax.TaxTest) ... ok

----------------------------------------------------------------------
Ran 12 tests in 0.034s

OK"""

DEVELOPER_REPLY = """The three files share one rounding rule now; behaviour is unchanged.

| File | Change | Lines |
|---|---|---|
| `cart.py` | totals go through `price.total` | +6 -14 |
| `price.py` | `round_half_even` moved here | +11 -2 |
| `tax.py` | duplicate rounding removed | +3 -9 |

```python
def total(lines: Sequence[Line]) -> Decimal:
    return round_half_even(sum(line.net for line in lines))
```

- [x] one rounding function
- [x] no public name changed
- [ ] `docs/rounding.md` still names the old function

`python -m unittest`: 12 tests, 0 failures."""


async def refactoring(team: ScriptedTeam, message: InboundMessage) -> Turn:
    """The lead delegates; praise is sent back; the work is done; an approval lacks evidence. The lead still works."""
    lead = await team.start(message, "lead")
    await team.note(
        message.key, NoticeKind.DELEGATION, "Lead asks Developer: refactor cart.py, price.py and tax.py", lead
    )
    task = "Refactor cart.py, price.py and tax.py so that rounding lives in one place; behaviour stays."
    developer = await team.start(message, "developer", parent=lead, task=task)
    await praise(team, developer)
    await tools(team, developer)
    await team.reply(developer, DEVELOPER_REPLY, display_name="Developer")
    reviewer = await team.start(message, "reviewer", parent=lead, task="Review the change and run the tests.")
    await review(team, reviewer)
    return lead


async def praise(team: ScriptedTeam, turn: Turn) -> None:
    """An attempt that is praise from end to end."""
    await team.send_back(
        turn,
        stage="response_validator",
        rule="praise",
        reason="praise and filler are 100 % of the text (20 % allowed)",
        quotes=("Excellent task!", "I have completed everything perfectly."),
    )


async def tools(team: ScriptedTeam, turn: Turn) -> None:
    """Three tool calls, one of which fails."""
    run = await team.begin_tool(turn, "Read", '{"file_path":"shop/price.py"}')
    await team.end_tool(turn, run, output="def round_half_even(amount): ...")
    run = await team.begin_tool(
        turn, "Bash", '{"command":"python -m unittest tests.test_vat","description":"one test"}'
    )
    await team.end_tool(turn, run, output="ModuleNotFoundError: No module named 'tests.test_vat'", exit_status=1)
    run = await team.begin_tool(turn, "Edit", '{"file_path":"shop/cart.py","old_string":"a","new_string":"b"}')
    await team.end_tool(turn, run, output="The file shop/cart.py has been updated.")
    run = await team.begin_tool(turn, "Bash", '{"command":"python -m unittest"}')
    await team.end_tool(turn, run, output=TEST_OUTPUT, exit_status=0)


async def review(team: ScriptedTeam, turn: Turn) -> None:
    """An approval without evidence, to the end of the budget."""
    for _ in range(2):
        await team.send_back(
            turn,
            stage="review_gate",
            rule="approval_without_evidence",
            reason="an approval without evidence: what did you verify?",
            quotes=("Looks good to me, APPROVE.",),
        )
    finding = Finding(kind="approval", text="Looks good to me, APPROVE.", start=0, end=26)
    amend = Amend(
        rule="approval_without_evidence",
        reason="an approval without evidence, after 2 retries",
        verdict=Verdict.NEEDS_REVIEW,
        evidence=Evidence(findings=(finding,)),
    )
    await team.reply(
        turn,
        "Looks good to me, APPROVE.",
        display_name="Reviewer",
        verdict=Verdict.NEEDS_REVIEW,
        banners=("NEEDS_REVIEW: this approval names no evidence.",),
        stages=(StageVerdict(stage="review_gate", decision=amend),),
    )


async def korean(team: ScriptedTeam, message: InboundMessage) -> None:
    """A conversation in Korean: a reply, then one that is withheld."""
    turn = await team.start(message, "developer")
    run = await team.begin_tool(turn, "Bash", '{"command":"python -m unittest tests.test_tax"}')
    await team.end_tool(turn, run, output="FAILED (failures=1)", exit_status=1)
    await team.reply(
        turn,
        "원인은 `tax.py`의 반올림 순서입니다. 세율을 곱하기 **전에** 반올림하고 있었습니다.\n\n"
        "1. `round()`를 곱셈 뒤로 옮겼습니다.\n2. 경계값 테스트 3개를 추가했습니다.\n\n"
        "`python -m unittest`: 15개 실행, 실패 0개.",
        display_name="Developer",
    )
    other = await team.start(message, "reviewer", parent=turn, task="수정 내용을 검토해 주세요.")
    await team.send_back(
        other,
        stage="response_validator",
        rule="praise",
        reason="칭찬이 본문의 100 %입니다",
        quotes=("정말 완벽합니다!",),
    )
    await team.give_up(
        other,
        TurnState.WITHHELD,
        NoticeKind.WITHHELD,
        "Reviewer의 답변은 세 번 반려되어 보류되었습니다: 칭찬이 본문의 100 %입니다",
    )

"""A receipt as a text for a chat, and commands whose surroundings fail."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.app.system_clock import SystemClock
from mama_bot.errors import AccessRefused, MamaBotError, ReviewRefused, StoreUnavailable
from mama_bot.intake.chat_commands import ChatCommands
from mama_bot.intake.own_conversations import OwnConversations
from mama_bot.intake.question_lines import QuestionLines
from mama_bot.intake.receipt_text import MAX_CHARACTERS, receipt_text
from mama_bot.intake.resumption import Resumption
from mama_bot.metrics import Metrics
from mama_bot.model import (
    Answer,
    Author,
    CheckedClaim,
    Claim,
    ClaimKind,
    ClaimReason,
    ClaimReceipt,
    ClaimState,
    Command,
    CommandName,
    ContextEntry,
    ConversationKey,
    Counts,
    Exchange,
    HostCheck,
    InboundMessage,
    MessageId,
    Origin,
    PostId,
    ReceiptRun,
    RefusedOffer,
    Review,
    RuleBlock,
    SharedContext,
    StopAsked,
    StopScope,
    StoredQuestion,
    ToldBefore,
    TurnId,
    badge_of,
)
from mama_bot.testing.memory_core import MemoryHistory, MemoryMeasurements, MemoryPairings, MemoryReports
from mama_bot.wording import Language
from tests.people import HERE, PERSON

AT = datetime(2026, 1, 1, tzinfo=UTC)


def claim(text: str, state: ClaimState, run_id: str = "") -> CheckedClaim:
    made = Claim(kind=ClaimKind.TESTS, text=text, start=0, end=len(text))
    return CheckedClaim(claim=made, state=state, run_id=run_id, says="The run says so.")


def run(number: int, command: str, exit_status: int | None = 0) -> ReceiptRun:
    counts = (Counts(passed=12, failed=0),)
    return ReceiptRun(
        run_id=f"r{number}",
        agent="lead",
        command=command,
        exit_status=exit_status,
        counts=counts,
        started_at=AT,
        ended_at=AT,
    )


def receipt(
    claims: Sequence[CheckedClaim] = (), runs: Sequence[ReceiptRun] = (), checks: Sequence[HostCheck] = ()
) -> ClaimReceipt:
    return ClaimReceipt(
        number=7,
        turn_id=TurnId("t1"),
        key=HERE,
        persona="lead",
        text_sha256="ab" * 32,
        at=AT,
        claims=tuple(claims),
        runs=tuple(runs),
        checks=tuple(checks),
    )


def test_it_tells_claims_checks_and_commands() -> None:
    check = HostCheck(name="tests", argv=("make", "test"), ok=False, reason="exit status 2")
    made = receipt([claim("12 tests pass", ClaimState.CONFIRMED)], [run(1, "pytest -q")], [check])
    made = replace(made, record_line="Record: pytest 12 passed")
    text = receipt_text(made, "Lead", Language.ENGLISH)
    assert text.splitlines() == [
        "**Receipt 7** · Lead · `abababababab`",
        "❌ a check of the service fails",
        "Record: pytest 12 passed",
        "- ✅ “12 tests pass”: confirmed — The run says so.",
        "- ❌ tests (check by the service): failed (exit status 2)",
        "- `pytest -q`: exit 0, 12 passed, 0 failed",
    ]


def test_it_is_told_in_the_language_of_whoever_reads_it() -> None:
    claims = [
        claim("12 tests pass", ClaimState.CONFIRMED, "r1"),
        replace(claim("pushed", ClaimState.UNSUPPORTED), reason=ClaimReason.NO_SUCH_RUN),
    ]
    made = replace(receipt(claims, [run(1, "pytest -q")]), record_line="Record: pytest 12 passed")
    text = receipt_text(made, "Lead", Language.KOREAN)
    time = f"{AT.astimezone():%H:%M}"
    assert text.splitlines()[1:4] == [
        "⚠️ 기록에서 확인되지 않음",
        "- ⚠️ “pushed”: 기록에 없음 — 기록에 해당하는 것이 없습니다",
        f"- ✅ “12 tests pass”: 확인됨 — {time}의 실행(pytest -q): 12개 통과",
    ]


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (
            receipt([claim("12 pass", ClaimState.CONFIRMED, "r1")], [run(1, "pytest")]),
            "✅ shown by the record: 12 tests, ",
        ),
        (receipt([claim("12 pass", ClaimState.UNSUPPORTED)]), "⚠️ not shown by the record"),
        (receipt([claim("12 pass", ClaimState.CONTRADICTED)]), "❌ contradicted by the record"),
        (replace(receipt(), empty=True), "⚠️ nothing was run"),
    ],
)
def test_its_badge_stands_first(made: ClaimReceipt, words: str) -> None:
    assert receipt_text(made, "Lead", Language.ENGLISH).splitlines()[1].startswith(words)


def test_where_nothing_was_checked_there_is_no_badge() -> None:
    assert badge_of(receipt(runs=[run(1, "pytest")])) is None


def test_what_is_contradicted_comes_first_and_the_rest_is_left_out_with_a_line() -> None:
    claims = [claim(f"claim {number} " + "x" * 150, ClaimState.CONFIRMED) for number in range(30)]
    text = receipt_text(receipt([*claims, claim("all pass", ClaimState.CONTRADICTED)]), "Lead", Language.ENGLISH)
    lines = text.splitlines()
    assert "all pass" in lines[2]
    assert lines[-1] == "… and more: the page, or `mama-bot receipt 7`, shows all."


@given(
    st.lists(st.tuples(st.text(max_size=400), st.sampled_from(ClaimState)), max_size=30),
    st.lists(st.text(max_size=400), max_size=30),
    st.sampled_from(list(Language)),
)
def test_it_is_always_short_and_no_command_leaves_its_code(
    claims: list[tuple[str, ClaimState]], commands: list[str], language: Language
) -> None:
    made = receipt([claim(text, state) for text, state in claims], [run(0, command) for command in commands])
    text = receipt_text(made, "Lead", language)
    assert len(text) <= MAX_CHARACTERS
    assert all(line.count("`") % 2 == 0 for line in text.split("\n") if line.startswith("- `"))


class NothingBlocked:
    """Rules that stopped nothing."""

    def blocks(self, key: ConversationKey) -> Sequence[RuleBlock]:
        return ()

    async def report_block(self, key: ConversationKey, block: RuleBlock, *, note: str) -> None:
        raise AssertionError(block)


class Nothing:
    """Exchanges, a context and receipts of which there are none; `fails` is raised by all of them."""

    def __init__(self, fails: Exception | None = None) -> None:
        self.fails = fails

    def _check(self) -> None:
        if self.fails is not None:
            raise self.fails

    async def runs(self, key: ConversationKey) -> bool:
        return False

    def held(self, key: ConversationKey) -> AbstractAsyncContextManager[bool]:
        return nullcontext(True)

    async def tell(
        self, key: ConversationKey, *, by: str | None = None, message_id: MessageId | None = None
    ) -> Sequence[InboundMessage]:
        return ()

    async def stop(
        self,
        key: ConversationKey,
        by: str,
        scope: StopScope = StopScope.USUAL,
        language: Language = Language.ENGLISH,
    ) -> StopAsked:
        self._check()
        return StopAsked()

    async def stop_branch(self, key: ConversationKey, root: TurnId, by: str) -> bool:
        return False

    async def window(
        self,
        key: ConversationKey,
        *,
        before: MessageId | None,
        max_entries: int,
        max_characters: int,
        unread_by: str | None = None,
    ) -> Sequence[ContextEntry]:
        return ()

    async def told(self, key: ConversationKey, **limits: object) -> ToldBefore:
        return ToldBefore(context=SharedContext())

    async def begin_anew(self, key: ConversationKey, *, by: Author, at: datetime) -> None:
        self._check()

    async def of_post(self, key: ConversationKey, post_id: PostId) -> ClaimReceipt | None:
        self._check()
        return None

    async def latest(self, key: ConversationKey, limit: int) -> Sequence[ClaimReceipt]:
        self._check()
        return ()

    async def post_of(self, key: ConversationKey, platform_id: str) -> PostId | None:
        self._check()
        return None

    async def settle(self, key: ConversationKey, approval: str, *, approve: bool, by: str) -> Review:
        self._check()
        raise ReviewRefused(approval)

    async def rename(self, key: ConversationKey, title: str) -> bool:
        return False

    async def delete(self, key: ConversationKey) -> bool:
        return False

    async def forgotten(self, key: ConversationKey) -> None:
        self._check()

    async def numbered(self, key: ConversationKey, number: int) -> ClaimReceipt | None:
        self._check()
        return None

    async def repository(self, command: Command, language: Language) -> Answer:
        self._check()
        return Answer(text="")


async def unknown(message_id: MessageId) -> Exchange:
    raise LookupError(message_id)


async def refused(_message: InboundMessage) -> bool:
    return False


async def nobody_held(_key: ConversationKey, _persona: str) -> None:
    return None


async def nothing_refused(_command: Command) -> RefusedOffer:
    return RefusedOffer()


async def nobody_waits(_: object) -> Sequence[StoredQuestion]:
    return ()


async def no_budgets(*_: object) -> str:
    return ""


def commands(fails: Exception, metrics: Metrics) -> ChatCommands:
    nothing, history, clock = Nothing(fails), MemoryHistory(), SystemClock()
    history.unavailable = fails if isinstance(fails, MamaBotError) else None
    return ChatCommands(
        personas=(),
        exchanges=nothing,
        forget_sessions=lambda _: 0,
        context=nothing,
        history=history,
        receipts=nothing,
        reports=MemoryReports(history, clock=clock),
        rule_reports=NothingBlocked(),
        measurements=MemoryMeasurements(),
        posted=nothing,
        exchange_of=unknown,
        is_owner=lambda *_: False,
        resumption=Resumption(
            accept=refused, history=history, exchange_of=unknown, is_owner=lambda *_: False, clock=clock
        ),
        pairings=MemoryPairings(),
        reviews=nothing,
        repository=nothing.repository,
        conversations=OwnConversations(kept=nothing, forget_sessions=lambda _: 0, remove_homes=nothing.forgotten),
        about_posts={},
        schedules=nothing.repository,
        budget=nothing.repository,
        budget_lines=no_budgets,
        workflow=nothing.repository,
        standing_of=nobody_held,
        items=nothing.repository,
        topics=nothing.repository,
        tool_approvals=nothing.repository,
        questions=QuestionLines(waiting=nobody_waits, asked=nobody_waits, clock=clock),
        refused=nothing_refused,
        hearing=dict,
        clock=clock,
        metrics=metrics,
    )


def command(name: CommandName, language: Language = Language.ENGLISH) -> Command:
    return Command(name=name, key=HERE, author=PERSON, origin=Origin(), language=language)


@pytest.mark.parametrize("name", [CommandName.STATUS, CommandName.STOP, CommandName.RESET, CommandName.RECEIPT])
@pytest.mark.parametrize("language", [Language.ENGLISH, Language.KOREAN])
async def test_an_error_becomes_a_sentence_without_details_and_is_counted(
    name: CommandName, language: Language
) -> None:
    metrics = Metrics()
    error = StoreUnavailable(url="sqlite:////secret/place", reason="locked", remedy="Wait.")
    answer = await commands(error, metrics).answer(command(name, language))
    assert (answer.done, "secret" in answer.text) == (False, False)
    assert any("가" <= one <= "힣" for one in answer.text) == (language == Language.KOREAN)
    assert metrics.snapshot()["commands_failed", (("command", name.value),)] == 1


async def test_whoever_is_not_served_is_not_answered() -> None:
    with pytest.raises(AccessRefused):
        await commands(AccessRefused(reason="not listed"), Metrics()).answer(command(CommandName.STOP))


async def test_a_bug_is_a_sentence_too() -> None:
    answer = await commands(ZeroDivisionError("x"), Metrics()).answer(command(CommandName.STOP))
    assert not answer.done


@pytest.mark.parametrize(("language", "word"), [(Language.ENGLISH, "declared"), (Language.KOREAN, "선언")])
def test_what_was_declared_is_told_from_what_was_written(language: Language, word: str) -> None:
    said = claim("tests: pytest, 12 passed", ClaimState.CONFIRMED)
    declared = replace(said, claim=replace(said.claim, declared=True))
    made = ClaimReceipt(turn_id=TurnId("t"), key=HERE, persona="dev", text_sha256="0" * 64, at=AT)
    assert f"✅ {word} “tests: pytest, 12 passed”" in receipt_text(replace(made, claims=(declared,)), "Dev", language)
    assert "✅ “tests: pytest, 12 passed”" in receipt_text(replace(made, claims=(said,)), "Dev", language)

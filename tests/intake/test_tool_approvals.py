"""Who may answer what a rule asks: owners, or whom the rule names; a person always."""

from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.intake.tool_approvals import ToolApprovals
from mama_bot.metrics import Metrics
from mama_bot.model import Author, AuthorKind, Command, CommandName, ConversationKey, Origin, QuestionState
from mama_bot.wording import Language
from tests.consent.test_approval_desk import PAID, Office, call, ended, opened
from tests.people import HERE

OWNER = Author(id="boss", name="Boss")
ASKER = Author(id="u1", name="Kim")  # whom the agent works for
OTHER = Author(id="u2", name="Lee")


def pressing(office: Office, metrics: Metrics) -> ToolApprovals:
    return ToolApprovals(desk=office.desk, is_owner=lambda _, author: author.id == OWNER.id, metrics=metrics)


def approve(author: Author, *, roles: tuple[str, ...] = (), key: ConversationKey = HERE) -> Command:
    origin = Origin(channel="general", roles=roles)
    return Command(name=CommandName.APPROVE, key=key, author=author, origin=origin, argument="tool-1")


@pytest.mark.parametrize(
    ("approvers", "author", "roles", "may"),
    [
        ((), OWNER, (), True),
        ((), ASKER, (), False),
        (("asker",), ASKER, (), True),
        (("asker",), OTHER, (), False),
        (("asker",), OWNER, (), False),
        (("everybody",), OTHER, (), True),
        (("web/u2",), OTHER, (), True),
        (("slack/u2",), OTHER, (), False),
        (("web/deployers",), OTHER, ("deployers",), True),
        *((("everybody", "owners"), replace(OWNER, kind=kind), (), False) for kind in AuthorKind if kind != "person"),
    ],
)
async def test_only_a_person_whom_the_rule_names_answers(
    tmp_path: Path, approvers: tuple[str, ...], author: Author, roles: tuple[str, ...], may: bool
) -> None:
    async with opened(tmp_path) as place:
        office, metrics = place.life(), Metrics()
        asked = place.begin(office.ask(call(), replace(PAID, approvers=approvers)))
        await office.question(1)
        answer = await pressing(office, metrics).answer(approve(author, roles=roles), Language.ENGLISH)
        stored = await office.question(1)
        await ended(asked)
    assert (answer.done, stored.state) == (may, QuestionState.APPROVED if may else QuestionState.OPEN)
    assert may or "You may not answer #1" in answer.text
    assert sum(count for (name, _), count in metrics.snapshot().items() if name == "approvals_refused") == (not may)


async def test_a_question_is_answered_only_where_it_was_asked(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        office = place.life()
        asked = place.begin(office.ask(call()))
        await office.question(1)
        elsewhere = replace(HERE, channel="elsewhere")
        answer = await pressing(office, Metrics()).answer(approve(OWNER, key=elsewhere), Language.KOREAN)
        await ended(asked)
    assert (answer.done, answer.text) == (False, "여기에 질문 #1이 없습니다.")


async def test_without_a_number_it_is_said_whether_anything_waits(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        office = place.life()
        bare = replace(approve(OWNER), argument="")
        nothing = await pressing(office, Metrics()).answer(bare, Language.ENGLISH)
        asked = place.begin(office.ask(call()))
        await office.question(1)
        which = await pressing(office, Metrics()).answer(bare, Language.KOREAN)
        await ended(asked)
    assert (nothing.done, nothing.text) == (False, "No question waits for an answer in this conversation.")
    assert (which.done, "어느 질문인가요?" in which.text) == (False, True)

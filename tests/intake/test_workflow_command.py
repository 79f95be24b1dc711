"""/workflow: what it shows, who may choose another, and what decides which one holds."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from mama_bot.intake.workflow_command import WorkflowCommand
from mama_bot.model import (
    AgentPersona,
    Answer,
    Author,
    Command,
    CommandName,
    ConversationKey,
    Origin,
    Platform,
    RuleState,
    SessionId,
    TaskState,
)
from mama_bot.rules.active_workflow import ActiveWorkflows
from mama_bot.rules.rule_set import load_workflows
from mama_bot.store.sqlite import open_sqlite
from mama_bot.store.stored_workflow_choices import StoredWorkflowChoices
from mama_bot.wording import Language
from tests.rules.test_rule_guard import States

HERE = ConversationKey(Platform("slack"), "C1", "1")
OWNER, OTHER = Author(id="U1", name="Kim"), Author(id="U2", name="Lee")


class Chat:
    """A conversation in a repository, with a database of its own."""

    def __init__(self, directory: Path, repository: str = "plain") -> None:
        self.directory = directory
        self.repository = repository
        self.states = States()

    async def asks(self, argument: str = "", author: Author = OWNER, language: Language = Language.ENGLISH) -> Answer:
        async with open_sqlite(self.directory / "db.sqlite") as database:
            choices = StoredWorkflowChoices(database=database)
            command = Command(name=CommandName.WORKFLOW, key=HERE, author=author, origin=Origin(), argument=argument)
            return await self.command(self.active(choices), choices).answer(command, language)

    def active(self, choices: StoredWorkflowChoices) -> ActiveWorkflows:
        return ActiveWorkflows(
            workflows=load_workflows(self.directory / "rules"),
            default="light",
            of_repository={"strict": "full"},
            choices=choices,
        )

    def command(self, active: ActiveWorkflows, choices: StoredWorkflowChoices) -> WorkflowCommand:
        async def session_of(key: ConversationKey, persona: str) -> SessionId | None:
            return SessionId(f"{persona}-session") if key == HERE else None

        async def repository_of(command: Command) -> str:
            return self.repository

        return WorkflowCommand(
            workflows=active,
            choices=choices,
            states=self.states,
            session_of=session_of,
            repository_of=repository_of,
            is_owner=lambda platform, author: platform == HERE.platform and author == OWNER,
            now=lambda: datetime(2026, 1, 1, tzinfo=UTC),
        )


async def test_anybody_sees_the_order_of_work_and_only_an_owner_chooses_it(tmp_path: Path) -> None:
    chat = Chat(tmp_path)
    shown = (await chat.asks(author=OTHER)).text
    assert "**light** (the default)" in shown
    assert "1. investigate: who goes on without it is warned" in shown
    refused = await chat.asks("full", author=OTHER)
    assert (refused.done, refused.text) == (False, "Only an owner can choose the workflow.")
    chosen = (await chat.asks("full")).text
    assert "**full** (chosen for this chat)" in chosen
    assert "4. test: who stops without it is sent back once" in chosen
    assert "full" in (await chat.asks()).text  # of another life: the choice is stored
    assert "**light** (the default)" in (await chat.asks("default")).text


async def test_a_name_that_there_is_not_is_told_with_the_nearest(tmp_path: Path) -> None:
    answer = await Chat(tmp_path).asks("ful")
    assert (answer.done, answer.text) == (False, "There is no workflow ful. Did you mean 'full'?")


async def test_it_is_said_in_korean_too(tmp_path: Path) -> None:
    shown = (await Chat(tmp_path, "strict").asks(language=Language.KOREAN)).text
    assert "이 대화는 **full** 워크플로를 따릅니다(저장소 설정)" in shown
    assert "1. 조사: 그 전에는 다음 단계를 거부" in shown
    none = (await Chat(tmp_path).asks("none", language=Language.KOREAN)).text
    assert none.startswith("이 대화는 워크플로를 따르지 않습니다(이 대화에서 선택).")


@pytest.mark.parametrize(
    ("chosen", "repository", "own", "held"),
    [
        ("", "plain", "", "light"),
        ("", "plain", "full", "full"),
        ("", "strict", "light", "full"),
        ("none", "strict", "full", "none"),
        ("gone", "plain", "", "light"),
    ],
)
async def test_the_chat_stands_above_the_repository_and_that_above_the_persona(
    tmp_path: Path, chosen: str, repository: str, own: str, held: str
) -> None:
    persona = AgentPersona(name="developer", display_name="", prompt="You are developer.", workflow=own)
    async with open_sqlite(tmp_path / "db.sqlite") as database:
        choices = StoredWorkflowChoices(database=database)
        if chosen:
            await choices.choose(HERE, chosen, by="U1", at=datetime(2026, 1, 1, tzinfo=UTC))
        working = await Chat(tmp_path).active(choices).held(persona, HERE, repository, read_only=False)
    assert working.workflow == held
    assert (f"the workflow {held}" in working.instructions) is (held != "none")


async def test_how_far_a_persona_is_follows_from_what_is_remembered_of_its_session(tmp_path: Path) -> None:
    chat = Chat(tmp_path)
    task = TaskState(workflow="full", open_steps=("plan", "implement", "test"))
    chat.states.states["developer-session"] = RuleState(task=task)
    async with open_sqlite(tmp_path / "db.sqlite") as database:
        choices = StoredWorkflowChoices(database=database)
        command = chat.command(chat.active(choices), choices)
        standing, nobody = await command.standing_of(HERE, "developer"), await command.standing_of(HERE, "lead")
    assert nobody is None
    assert standing is not None
    assert [(step.ko, step.shown) for step in standing.steps][:2] == [("조사", True), ("계획", False)]

"""Commands of personas in messages: what they make of the words, what is missing, whom the service asks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mama_bot.errors import MessageRefused
from mama_bot.intake.persona_menus import MenuPlace, PersonaMenus
from mama_bot.model import AgentPersona, Author, AuthorKind, ConversationKey, InboundMessage, MessageId, Platform
from mama_bot.personas import read_persona
from mama_bot.store.gateway_state import StoredGatewayState
from mama_bot.store.sqlite import open_sqlite
from mama_bot.wording import Language

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
KIM, LEE = Author(id="U1", name="Kim"), Author(id="U2", name="Lee")
MENU = """
menu:
  - command: refactor
    description: {en: Make a file simpler, ko: 파일 정리}
    arguments: [file:file, goal:optional]
    prompt: "Refactor {file} for {person} in {repository}. {goal}"
  - command: document
    description: {en: Write a page, ko: 문서 작성}
    arguments: [topic]
    prompt: "Write of {topic}, for {audience}, in a tone that is {tone}, on {today}."
  - {command: notes, description: {en: Notes, ko: 메모}, prompt_file: notes.txt}
  - {command: changes, description: {en: Look, ko: 보기}, arguments: [note:optional], handler: changed_files}
variables:
  - {name: audience, question: {en: "Who reads it?", ko: "누가 읽나요?"}}
  - {name: tone, question: {en: "Which tone?", ko: "어떤 말투인가요?"}, default: plain}
"""


class Chat:
    """People who write to a team of one, in a repository, with a database of its own."""

    def __init__(self, directory: Path, *, configured: Mapping[str, str] | None = None) -> None:
        self.directory = directory
        self.workspace = directory / "work"
        (self.workspace / "src").mkdir(parents=True, exist_ok=True)
        (self.workspace / "src" / "pay.py").write_text("x = 1\n", encoding="utf-8")
        self.prompt_file = directory / "notes.txt"
        self.prompt_file.write_text("Write the notes of {today}.\n", encoding="utf-8")
        file = directory / "developer.md"
        file.write_text(
            f"---\nname: developer\ndisplay_name: Developer\n{MENU}---\nYou change code.\n", encoding="utf-8"
        )
        self.team = {"developer": read_persona(file, backends=("claude",), workspaces=())[0]}
        self.team["lead"] = AgentPersona(name="lead", display_name="Lead", prompt="You lead.")
        self.configured = configured or {}
        self.changed: Sequence[str] = ()
        self.at = NOW
        self.number = 0

    async def says(self, text: str, author: Author = KIM, *, taken: bool = True) -> InboundMessage:
        self.number += 1
        message = InboundMessage(
            id=MessageId(f"m{self.number}"),
            key=ConversationKey(Platform("slack"), "C1", f"{self.number}"),
            author=author,
            text=text,
            received_at=self.at,
        )
        async with open_sqlite(self.directory / "db.sqlite") as database:
            menus = self.menus(StoredGatewayState(database=database, platform=Platform("menus")))
            asked = await menus.read(message)
            if taken:
                await menus.taken(asked)
            return asked

    async def edits(self, before: InboundMessage, text: str) -> InboundMessage:
        async with open_sqlite(self.directory / "db.sqlite") as database:
            menus = self.menus(StoredGatewayState(database=database, platform=Platform("menus")))
            return await menus.read_again(replace(before, text=text, request="", addressed_to=""), before=before)

    def menus(self, state: StoredGatewayState) -> PersonaMenus:
        async def place_of(persona: AgentPersona, message: InboundMessage) -> MenuPlace:
            return MenuPlace(repository="shop", workspace=self.workspace)

        async def changed_files(key: ConversationKey) -> Sequence[str]:
            return self.changed

        return PersonaMenus(
            personas=self.team,
            configured=self.configured,
            state=state,
            place_of=place_of,
            changed_files=changed_files,
            now=lambda: self.at,
        )

    async def refused(self, text: str, author: Author = KIM, language: Language = Language.ENGLISH) -> str:
        with pytest.raises(MessageRefused) as raised:
            await self.says(text, author)
        return raised.value.to(language)


async def test_a_command_asks_its_persona_for_what_its_prompt_says(tmp_path: Path) -> None:
    asked = await Chat(tmp_path).says("/developer refactor src/pay.py shorter, please")
    assert asked.addressed_to == "developer"
    assert asked.request == "Refactor src/pay.py for Kim in shop. shorter, please"
    assert asked.text == "/developer refactor src/pay.py shorter, please"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/developer refctor src/pay.py", "Developer has no command refctor. Did you mean `/developer refactor`?"),
        ("/developer sing", "Developer has no command sing. `/help developer` names all of them."),
        (
            "/developer refactor",
            "FILE is missing. Write it behind the command, as in `/developer refactor src/app.py`.",
        ),
        (
            "/developer refactor src/pey.py",
            "There is no file `src/pey.py` in the workspace. Did you mean `src/pay.py`?",
        ),
        ("/Developer refactor pay.py", "Did you mean `src/pay.py`?"),
        ("/developer refactor ../../etc/passwd", "`../../etc/passwd` does not lie in the workspace."),
        ("/developer notes now", "`/developer notes` takes nothing behind it."),
        ("/developer document it repository=other", "repository is a value of the service itself"),
        ("/developer changes", "Nothing was changed here yet that is known."),
        ("/stauts of this", "There is no command /stauts. Did you mean `/mama status`?"),
        ("/stauts of this", "To say it to an agent all the same: `@developer /stauts …`."),
        ("/영수중 8", "There is no command /영수중. Did you mean `/mama receipt`?"),
        ("/lead refactor x", "Lead has no commands. Write to it with `@lead`."),
    ],
)
async def test_what_cannot_begin_is_one_sentence(tmp_path: Path, text: str, told: str) -> None:
    assert told in await Chat(tmp_path).refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "fix src/pay.py",
        "/usr/bin is empty",
        "@developer refactor x",
        "@developer /nobody do it",
        "/login is broken",
        "/api returns 500",
        "/압축 지금 해 줘",
        "/",
        "/etc/hosts",
        "/tmp/x 5",
        "/tmp 5",
        "/Dockerfile.dev x",
    ],
)
async def test_other_messages_are_as_they_were_written(tmp_path: Path, text: str) -> None:
    asked = await Chat(tmp_path).says(text)
    assert (asked.text, asked.request, asked.addressed_to) == (text, "", "")


async def test_what_is_no_command_says_in_korean_how_an_agent_is_told_it_all_the_same(tmp_path: Path) -> None:
    told = await Chat(tmp_path).refused("/영수중 지금 보여 줘", language=Language.KOREAN)
    assert "`@developer /영수중 …`" in told
    assert "그대로 에이전트에게" in told


async def test_nobody_but_a_person_calls_a_command(tmp_path: Path) -> None:
    bot = replace(KIM, kind=AuthorKind.BOT)
    assert (await Chat(tmp_path).says("/developer refactor src/pay.py", bot)).request == ""


async def test_what_is_missing_is_asked_and_the_next_message_of_that_person_answers_over_a_restart(
    tmp_path: Path,
) -> None:
    question = await Chat(tmp_path).refused("/developer document the till")
    assert question.startswith("Who reads it?\nYour next message here is the answer")
    chat = Chat(tmp_path)  # another life
    assert (await chat.says("hello", LEE)).request == ""
    answered = await chat.says("cashiers")
    assert answered.request == "Write of the till, for cashiers, in a tone that is plain, on 2026-03-01."
    assert answered.text == "/developer document the till\ncashiers"
    assert (await chat.says("and thanks")).request == ""
    remembered = await chat.says("/developer document the door")
    assert "for cashiers" in remembered.request
    assert "Who reads it?" in await chat.refused("/developer document the door", LEE)


async def test_an_answer_counts_until_its_message_is_stored_and_only_for_an_hour(tmp_path: Path) -> None:
    chat = Chat(tmp_path)
    await chat.refused("/developer document the till")
    assert (await chat.says("cashiers", taken=False)).request != ""
    assert (await chat.says("cashiers")).request != ""
    await chat.refused("/developer document the till audience=")
    chat.at += timedelta(hours=2)
    assert (await chat.says("cashiers")).request == ""


async def test_an_edit_answers_no_question_and_keeps_no_value(tmp_path: Path) -> None:
    chat = Chat(tmp_path)
    waiting = await chat.says("look at the till")
    await chat.refused("/developer document the till")
    edited = await chat.edits(waiting, "look at the door")
    assert (edited.text, edited.request) == ("look at the door", "")
    assert "for cashiers" in (await chat.says("cashiers")).request


async def test_an_edit_of_what_began_a_command_writes_a_command_or_is_refused(tmp_path: Path) -> None:
    chat = Chat(tmp_path)
    await chat.refused("/developer document the till")
    answer = await chat.says("cashiers")
    with pytest.raises(MessageRefused, match="began a command"):
        await chat.edits(answer, "shop managers")
    whole = await chat.edits(answer, "/developer document the till audience=managers")
    assert "for managers" in whole.request


async def test_who_speaks_to_somebody_answers_nothing(tmp_path: Path) -> None:
    chat = Chat(tmp_path)
    await chat.refused("/developer document the till")
    assert (await chat.says("@lead what is this?")).request == ""
    assert (await chat.says("cashiers")).request == ""


async def test_the_message_stands_above_the_answer_and_that_above_the_settings(tmp_path: Path) -> None:
    chat = Chat(tmp_path, configured={"audience": "buyers", "tone": "dry"})
    configured = await chat.says("/developer document the till")
    given = await chat.says("/developer document the till tone=kind audience=children")
    assert "for buyers, in a tone that is dry" in configured.request
    assert "Write of the till, for children, in a tone that is kind" in given.request


async def test_it_is_asked_in_korean_too(tmp_path: Path) -> None:
    told = await Chat(tmp_path).refused("/developer document 계산대", language=Language.KOREAN)
    assert told.startswith("누가 읽나요?\n다음 메시지를 답으로 받아")
    missing = await Chat(tmp_path).refused("/developer refactor src/pey.py", language=Language.KOREAN)
    assert "`src/pay.py`를 찾으셨나요?" in missing


async def test_a_file_of_a_prompt_is_read_when_it_is_called_and_missed_where_it_is_gone(tmp_path: Path) -> None:
    chat = Chat(tmp_path)
    assert (await chat.says("/developer notes")).request == "Write the notes of 2026-03-01."
    chat.prompt_file.write_text("{nowhere}", encoding="utf-8")
    assert "the file of its prompt is gone" in await chat.refused("/developer notes")
    chat.prompt_file.unlink()
    assert "the file of its prompt is gone" in await chat.refused("/developer notes")


async def test_a_handler_builds_the_prompt_from_what_the_service_knows(tmp_path: Path) -> None:
    chat = Chat(tmp_path)
    chat.changed = ("src/pay.py", "src/new.py")
    asked = await chat.says("/developer changes above all the sums")
    assert "- src/pay.py\n- src/new.py\n\nabove all the sums" in asked.request

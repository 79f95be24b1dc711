"""/repo: what it shows, and who may choose another repository."""

from pathlib import Path

import pytest

from mama_bot.intake.repository_command import RepositoryCommand
from mama_bot.model import Author, Command, CommandName, ConversationKey, Origin, Platform
from mama_bot.wording import Language
from tests.checkouts.making import ONE, Life, make_source

OWNER, OTHER = Author(id="U1", name="Kim"), Author(id="U2", name="Lee")


def asking(life: Life, *, busy: bool = False) -> RepositoryCommand:
    def is_owner(platform: Platform, author: Author) -> bool:
        return platform == ONE.platform and author == OWNER

    async def runs(key: ConversationKey) -> bool:
        return busy and key == ONE

    return RepositoryCommand(checkouts=life.begun(default=""), is_owner=is_owner, runs=runs)


def command(argument: str = "", author: Author = OWNER) -> Command:
    return Command(name=CommandName.REPO, key=ONE, author=author, origin=Origin(), argument=argument)


async def test_anybody_sees_and_only_an_owner_chooses(tmp_path: Path) -> None:
    life = Life(tmp_path, make_source(tmp_path))
    shown = await asking(life).answer(command(author=OTHER), Language.ENGLISH)
    assert "This conversation works in a scratch repository of its own." in shown.text
    assert "`app`" in shown.text
    refused = await asking(life).answer(command("app", OTHER), Language.ENGLISH)
    assert (refused.done, refused.text) == (False, "Only an owner can choose the repository.")
    assert await life.records.assigned(ONE) is None
    chosen = await asking(life).answer(command("app"), Language.ENGLISH)
    assert chosen.done
    assert "Nothing has been done here yet." in chosen.text
    await life.begun().prepare(ONE, "app")
    shown = await asking(life).answer(command(author=OTHER), Language.ENGLISH)
    assert "Branch `mama/slack-C1-1-" in shown.text
    assert "0 commits ahead · 0 uncommitted files" in shown.text
    assert await life.records.assigned(ONE) == "app"
    assert await life.records.choice("slack/C1") == "app"


async def test_it_is_said_in_korean_too(tmp_path: Path) -> None:
    life = Life(tmp_path, make_source(tmp_path))
    await life.begun().prepare(ONE, "app")
    chosen = await asking(life).answer(command("app"), Language.KOREAN)
    assert "이제 이 채널은 **app**에서 작업합니다." in chosen.text
    assert "앞선 커밋 0개 · 커밋되지 않은 파일 0개" in chosen.text


@pytest.mark.parametrize(
    ("argument", "busy", "words"),
    [
        ("ap", False, "There is no repository ap. Did you mean 'app'?"),
        ("app", True, "Somebody works here just now. Wait for the reply, or /stop first."),
    ],
)
async def test_what_cannot_be_chosen_is_told_and_changes_nothing(
    tmp_path: Path, argument: str, busy: bool, words: str
) -> None:
    life = Life(tmp_path, make_source(tmp_path))
    answer = await asking(life, busy=busy).answer(command(argument), Language.ENGLISH)
    assert (answer.done, answer.text) == (False, words)
    assert await life.records.choice("slack/C1") is None

"""Files that come with a message reach the agent, and files that an agent sends go out with its reply."""

import struct
import zlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, SeenImage, ToolUse
from mama_bot.gateways.chat.message_files import keep_attachment, message_directory
from mama_bot.model import Attachment, NoticeKind
from tests.end_to_end.team import running_team
from tests.scripted_queue import ScriptedQueue

pytestmark = pytest.mark.cli

CLEAN = "`src/auth.py:42` compares tokens with `==`; `hmac.compare_digest` avoids the timing leak."


def png(width: int = 2, height: int = 2) -> bytes:
    """A picture that any program can show."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = b"".join(b"\0" + b"\x20\x80\xff" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


async def attached(directory: Path, name: str, content: bytes, media_type: str = "") -> Attachment:
    """A file as a gateway keeps it."""

    async def chunks() -> AsyncIterator[bytes]:
        yield content

    return await keep_attachment(
        chunks(),
        directory=message_directory(directory / "data" / "uploads" / "memory", name),
        name=name,
        media_type=media_type,
        max_bytes=10 * 2**20,
    )


def path_in(request: ModelRequest) -> str:
    """Where the agent was told that the last file lies."""
    return request.last_user_text.rsplit(" at ", 1)[1].strip()


def reads(request: ModelRequest) -> ModelReply:
    """A model that reads the file it is told of, then says what it read."""
    if request.tool_results:
        return ModelReply(text=f"`report.csv` says: `{request.tool_results[-1].text}`")
    return ModelReply(tool_calls=(ToolUse(name="Read", arguments={"file_path": path_in(request)}),))


class Seeing:
    """A script that notes which images each persona sees in each request."""

    def __init__(self, script: ScriptedQueue) -> None:
        self.script = script
        self.seen: list[tuple[str, tuple[SeenImage, ...]]] = []
        self.requests: list[ModelRequest] = []

    def __call__(self, request: ModelRequest) -> ModelReply:
        if request.persona:
            self.seen.append((request.persona, request.images))
            self.requests.append(request)
        return self.script(request)


async def test_an_image_is_shown_to_the_agent_byte_for_byte(tmp_path: Path) -> None:
    script = Seeing(ScriptedQueue(ModelReply(text=CLEAN)))
    async with running_team(tmp_path, script=script) as team:
        shot = await attached(tmp_path, "screen shot 화면.png", png(), "image/png")
        await team.settled(await team.say("/what is wrong here?", attachments=(shot,)))
        context = await team.context()
    assert script.seen == [("lead", (SeenImage(media_type="image/png", content=png()),))]
    (request,) = script.requests
    assert "/what is wrong here?" in request.last_user_text
    assert "image: screen shot 화면.png (image/png, 73 B), shown here, at " in request.last_user_text
    assert context[0].text == "/what is wrong here?\n[attached: screen shot 화면.png]"
    assert [reply.text for reply in team.replies()] == [CLEAN]


async def test_a_message_that_is_nothing_but_an_image_is_answered(tmp_path: Path) -> None:
    script = Seeing(ScriptedQueue(ModelReply(text=CLEAN)))
    async with running_team(tmp_path, script=script) as team:
        shot = await attached(tmp_path, "a.png", png(), "image/png")
        await team.settled(await team.say("", attachments=(shot,)))
    assert [len(images) for _, images in script.seen] == [1]
    assert [reply.text for reply in team.replies()] == [CLEAN]


async def test_a_text_file_is_read_with_the_read_tool(tmp_path: Path) -> None:
    async with running_team(tmp_path, script=reads) as team:
        report = await attached(tmp_path, "report.csv", b"name,count\nmama,42\n", "text/csv")
        exchange = await team.settled(await team.say("What does it say?", attachments=(report,)))
    (reply,) = team.replies()
    assert "mama,42" in reply.text
    (run,) = exchange.turns[0].attempts[0].draft.record.runs
    assert (run.tool, run.ok) == ("Read", True)


@pytest.mark.parametrize("tool", ["Edit", "Write"])
async def test_a_file_that_came_with_a_message_is_never_written(tmp_path: Path, tool: str) -> None:
    def script(request: ModelRequest) -> ModelReply:
        if len(request.tool_results) > 1:
            return ModelReply(text=f"`report.csv`: {request.tool_results[-1].is_error}")
        path = path_in(request)
        if not request.tool_results:
            return ModelReply(tool_calls=(ToolUse(name="Read", arguments={"file_path": path}),))
        how = {"old_string": "a", "new_string": "x"} if tool == "Edit" else {"content": "x"}
        return ModelReply(tool_calls=(ToolUse(name=tool, arguments={"file_path": path, **how}),))

    async with running_team(tmp_path, script=script, tools={"lead": f"{tool}, "}) as team:
        report = await attached(tmp_path, "report.csv", b"a,b\n", "text/csv")
        exchange = await team.settled(await team.say("Change it", attachments=(report,)))
    runs = exchange.turns[0].attempts[0].draft.record.runs
    assert [(run.tool, run.ok) for run in runs] == [("Read", True), (tool, False)]
    assert report.path.read_bytes() == b"a,b\n"


async def test_the_files_of_another_conversation_cannot_be_read(tmp_path: Path) -> None:
    secret = await attached(tmp_path, "secret.txt", b"the other one's words", "text/plain")

    def script(request: ModelRequest) -> ModelReply:
        if request.tool_results:
            return ModelReply(text=f"`secret.txt`: {request.tool_results[-1].text}")
        path = str(next(tmp_path.glob("data/**/agents/*/attachments/*/secret.txt"), secret.path))
        return ModelReply(tool_calls=(ToolUse(name="Read", arguments={"file_path": path}),))

    async with running_team(tmp_path, script=script) as team:
        await team.settled(await team.say("Keep it", channel="one", attachments=(secret,)))
        await team.settled(await team.say("Tell me", channel="two"))
    (own,), (foreign,) = team.replies("one"), team.replies("two")
    assert "the other one's words" in own.text
    assert "the other one's words" not in foreign.text


async def test_whoever_gets_the_work_sees_the_image_once(tmp_path: Path) -> None:
    queue = ScriptedQueue()
    queue.push(ModelReply(text="DELEGATE::developer::Mend what this screenshot shows"), when="persona: lead")
    queue.push(ModelReply(text="What an excellent, truly brilliant question!"), when="persona: developer")
    queue.push(ModelReply(text="`a.py` has 3 functions: `f`, `g`, `h`."), when="persona: developer")
    queue.push(ModelReply(text="developer counted 3 functions in `a.py`."), when="persona: lead")
    queue.stick(ModelReply(text=CLEAN))
    script = Seeing(queue)
    async with running_team(tmp_path, script=script) as team:
        shot = await attached(tmp_path, "a.png", png(), "image/png")
        await team.settled(await team.say("Mend this", attachments=(shot,)))
        await team.settled(await team.say("And now?"))
    # `images` are those of the whole conversation that the model is sent: one, however often the session is asked.
    assert {persona for persona, _ in script.seen} == {"lead", "developer"}
    assert {len(images) for _, images in script.seen} == {1}
    assert any("[attached: a.png]" in request.last_user_text for request in script.requests)


async def test_an_image_is_not_shown_again_by_a_service_that_was_restarted(tmp_path: Path) -> None:
    script = Seeing(ScriptedQueue(ModelReply(text=CLEAN), ModelReply(text=CLEAN)))
    shot = await attached(tmp_path, "a.png", png(), "image/png")
    async with running_team(tmp_path, script=script) as team:
        await team.settled(await team.say("One", attachments=(shot,)))
    async with running_team(tmp_path, script=script) as team:
        team.numbers = iter(range(100, 200))  # type: ignore[assignment]
        await team.settled(await team.say("Two", attachments=(shot,)))
    assert [len(images) for _, images in script.seen] == [1, 1]
    assert "image: a.png (image/png, 73 B) at " in script.requests[-1].last_user_text


async def test_a_file_that_vanished_is_said_to_be_gone(tmp_path: Path) -> None:
    script = Seeing(ScriptedQueue(ModelReply(text=CLEAN)))
    async with running_team(tmp_path, script=script) as team:
        shot = await attached(tmp_path, "a.png", png(), "image/png")
        shot.path.unlink()
        await team.settled(await team.say("Look", attachments=(shot,)))
    assert "file: a.png (image/png, 73 B): it is gone" in script.requests[0].last_user_text
    assert [reply.text for reply in team.replies()] == [CLEAN]


async def test_an_image_too_large_for_the_model_is_there_as_a_file(tmp_path: Path) -> None:
    script = Seeing(ScriptedQueue(ModelReply(text=CLEAN)))
    async with running_team(tmp_path, script=script) as team:
        heavy = await attached(tmp_path, "heavy.png", png() + bytes(4 * 2**20), "image/png")
        wide = await attached(tmp_path, "wide.png", png(8001, 1), "image/png")
        fine = await attached(tmp_path, "fine.png", png(), "image/png")
        await team.settled(await team.say("Look", attachments=(heavy, wide, fine)))
    assert script.seen == [("lead", (SeenImage(media_type="image/png", content=png()),))]
    told = script.requests[0].last_user_text
    assert "image: heavy.png (image/png, 4.0 MB) at " in told
    assert f"image: wide.png (image/png, {len(png(8001, 1))} B) at " in told


def bash(command: str) -> ModelReply:
    return ModelReply(tool_calls=(ToolUse(name="Bash", arguments={"command": command, "description": "run"}),))


def drawing(directory: Path) -> str:
    """A command that puts the picture into the workspace."""
    (directory / "picture.png").write_bytes(png())
    return f"cp {directory / 'picture.png'} chart.png"


async def test_a_file_that_an_agent_names_goes_out_with_its_reply(tmp_path: Path) -> None:
    words = "`chart.png` shows the 3 slowest functions: `f`, `g`, `h`.\n\nATTACH::chart.png"
    script = ScriptedQueue(bash(drawing(tmp_path)), ModelReply(text=words))
    async with running_team(tmp_path, script=script, tools={"lead": "Bash, "}) as team:
        await team.settled(await team.say("Draw the times"))
        (reply,) = team.replies()
        (file,) = reply.files
        assert file.path is not None
        assert (file.name, file.media_type, file.path.read_bytes()) == ("chart.png", "image/png", png())
    assert reply.text == words
    assert not team.notices()


async def test_what_lies_outside_and_what_is_secret_is_refused_with_a_line(tmp_path: Path) -> None:
    words = (
        "The 3 files of `out/`.\n\nATTACH::../../etc/passwd\nATTACH::link.txt\nATTACH::.env\nATTACH::notes.txt\n"
        "![a chart](chart.png)"
    )
    command = "ln -s /etc/passwd link.txt; echo TOKEN=1 > .env; echo password=hunter2hunter2-8 > notes.txt"
    script = ScriptedQueue(bash(f"{command}; {drawing(tmp_path)}"), ModelReply(text=words))
    # The rule that stands before it would keep the agent from writing such a file at all.
    rules = {"disabled": ["write_secret_files"]}
    async with running_team(tmp_path, script=script, tools={"lead": "Bash, "}, rules=rules) as team:
        await team.settled(await team.say("Send all of it"))
        (reply,), (notice,) = team.replies(), team.notices()
        sent = {file.name: file.path.read_bytes() for file in reply.files if file.path}
    assert sent == {"notes.txt": b"password=[redacted]\n", "chart.png": png()}
    assert notice.notice is NoticeKind.REFUSED
    assert [line.split(":")[0] for line in notice.text.splitlines()[1:]] == [
        "- `../../etc/passwd`",
        "- `link.txt`",
        "- `.env`",
    ]


async def test_a_lead_sends_what_its_developer_made_with_the_report(tmp_path: Path) -> None:
    script = ScriptedQueue()
    script.push(ModelReply(text="DELEGATE::developer::Draw `chart.png`"), when="persona: lead")
    script.push(bash(drawing(tmp_path)), when="persona: developer")
    script.push(ModelReply(text="`chart.png` has 2 x 2 pixels."), when="persona: developer")
    script.push(ModelReply(text="developer drew 2 x 2 pixels.\n\nATTACH::chart.png"), when="persona: lead")
    async with running_team(tmp_path, script=script) as team:
        await team.settled(await team.say("Have the times drawn"))
        replies = team.replies()
    assert [(reply.persona, [file.name for file in reply.files]) for reply in replies] == [
        ("lead", []),
        ("developer", []),
        ("lead", ["chart.png"]),
    ]


async def test_a_draft_that_is_sent_back_sends_nothing(tmp_path: Path) -> None:
    praise = "What an excellent question! This is truly brilliant work, absolutely outstanding.\n\nATTACH::chart.png"
    script = ScriptedQueue(bash(drawing(tmp_path)), ModelReply(text=praise), ModelReply(text=CLEAN))
    async with running_team(tmp_path, script=script, tools={"lead": "Bash, "}) as team:
        await team.settled(await team.say("Draw the times"))
        (reply,) = team.replies()
    assert (reply.text, reply.files) == (CLEAN, ())
    assert not list(tmp_path.rglob("outgoing/*"))

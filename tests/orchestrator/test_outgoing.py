"""What a reply sends: which files it names, which of them may leave the workspace, and what is told of the others."""

import os
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.metrics import Metrics
from mama_bot.model import (
    Audience,
    Author,
    Cleared,
    ConversationKey,
    Judgement,
    MessageId,
    Notice,
    NoticeKind,
    Platform,
    PostId,
    Reply,
    Turn,
    TurnId,
    TurnKind,
    text_hash,
    well_formed,
)
from mama_bot.orchestrator.files.named_files import named_files
from mama_bot.orchestrator.files.reply_files import MAX_FILES, OutgoingFiles
from mama_bot.orchestrator.files.workspace_files import MAX_FILE_BYTES, StaysHere, Why, read_to_send, without_secrets
from mama_bot.redaction import redactor
from mama_bot.wording import Language

KEY = ConversationKey(Platform("memory"), "general")
TURN = Turn(
    id=TurnId("memory:1/x.0"),
    message_id=MessageId("memory:1/x"),
    key=KEY,
    persona="lead",
    kind=TurnKind.REQUEST,
    audience=Audience.PERSON,
    asker=Author(id="kim", name="Kim"),
    prompt="Go",
)


def reply(text: str) -> Reply:
    judgement = Judgement(turn_id=TURN.id, attempt=0, outcome=Cleared(), text_sha256=text_hash(text))
    return Reply(
        id=PostId(f"{TURN.id}.reply"),
        turn_id=TURN.id,
        key=KEY,
        persona="lead",
        display_name="Lead",
        text=text,
        judgement=judgement,
        answers=TURN.message_id,
    )


class Sending:
    """A workspace, and what is sent from it."""

    def __init__(self, directory: Path) -> None:
        self.workspace = directory / "workspace"
        self.workspace.mkdir()
        self.copies = directory / "outgoing"
        self.metrics = Metrics()
        self.outgoing = OutgoingFiles(
            directory=self.copies,
            redact=redactor(["hunter2-hunter2"]),
            metrics=self.metrics,
        )

    async def send(self, text: str, language: Language = Language.ENGLISH) -> tuple[Reply, str]:
        """The reply that is posted, and the words of the line beside it ("" when there is none)."""
        sent, *lines = await self.outgoing.posts(reply(text), replace(TURN, language=language), self.workspace)
        assert isinstance(sent, Reply)
        assert sent == replace(reply(text), files=sent.files)
        for line in lines:
            assert isinstance(line, Notice)
            assert (line.notice, line.answers) == (NoticeKind.REFUSED, TURN.message_id)
        return sent, "\n".join(line.text for line in lines)


@pytest.fixture
def sending(tmp_path: Path) -> Sending:
    return Sending(tmp_path)


# --- which files a reply names ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Done.\nATTACH::chart.png", ("chart.png",)),
        ("ATTACH::out/a b.csv\nATTACH:: `보고서.pdf` \n", ("out/a b.csv", "보고서.pdf")),
        ("- ATTACH::a.png\n1. attach::b.png\n**ATTACH::c.png**", ("a.png", "b.png", "c.png")),
        ("ATTACH::a.png\nATTACH::a.png", ("a.png",)),
        ("ATTACH::`a.png` (the chart)", ("a.png",)),
        ('ATTACH::"a b.png"', ("a b.png",)),
        ("![the chart](out/chart.png) and ![](<a b.png>)", ("out/chart.png", "a b.png")),
        ('![x](a%20b.png "title")', ("a b.png",)),
        ("```\nATTACH::a.png\nx = 1\n```", ()),
        ("> ATTACH::a.png", ()),
        ("Write `ATTACH::a.png` for that.", ()),
        ("Write ATTACH::a.png for that.", ()),
        ("`![x](a.png)`", ()),
        ("![x](https://example.org/a.png) ![y](data:image/png;base64,AA) ![z](//host/a.png) [w](a.png)", ()),
        ("ATTACH::\nATTACH::   ", ()),
        ("DELEGATE::developer::Draw it\nCONTEXT: send it\n- ATTACH::a.png", ()),
        ("DELEGATE::developer::Draw it\n\nATTACH::a.png", ("a.png",)),
        ("nothing of the kind", ()),
        ("ATTACH::https://example.org/a.png", ("https://example.org/a.png",)),
    ],
)
def test_files_are_named_by_lines_and_images_outside_code_and_quotes(text: str, named: tuple[str, ...]) -> None:
    assert named_files(text) == named


@given(st.text(st.sampled_from("AT CH:`\n>![](). a/\ue000\ud800DELGT~*-1"), max_size=200))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for path in named_files(well_formed(text)):
        assert path


# --- which of them leave the workspace ----------------------------------------------------------------------


@given(st.text(st.sampled_from("./ab~\0 \\"), max_size=30))
def test_no_path_leads_out_of_a_workspace(path: str) -> None:
    # What lies above is a file of the system that everybody can read.
    with pytest.raises(StaysHere):
        read_to_send(Path("/usr/lib/python3"), f"../{path}/../etc/passwd")


def test_a_file_is_read_by_a_relative_and_by_an_absolute_path(sending: Sending) -> None:
    (sending.workspace / "out").mkdir()
    (sending.workspace / "out" / "a.txt").write_text("hello")
    for path in ("out/a.txt", "./out/../out/a.txt", str(sending.workspace / "out" / "a.txt")):
        assert read_to_send(sending.workspace, path) == ("a.txt", b"hello")


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("../../etc/passwd", Why.OUTSIDE),
        ("/etc/passwd", Why.OUTSIDE),
        ("a/../../x", Why.OUTSIDE),
        ("~/x", Why.OUTSIDE),
        ("link.txt", Why.LINK),
        ("linked/passwd", Why.LINK),
        (".git/config", Why.REPOSITORY),
        (".GIT/config", Why.REPOSITORY),
        (".env", Why.SECRET),
        (".env.local", Why.SECRET),
        ("deploy/SECRETS.env", Why.SECRET),
        ("server.pem", Why.SECRET),
        ("id_rsa", Why.SECRET),
        ("id_ed25519.bak", Why.SECRET),
        (".ssh/known_hosts", Why.SECRET),
        ("credentials.json", Why.SECRET),
        ("missing.txt", Why.MISSING),
        ("a.txt/b", Why.MISSING),
        ("nul\0.txt", Why.MISSING),
        ("x" * 300, Why.MISSING),
        ("out", Why.NO_FILE),
        (".", Why.NO_FILE),
        ("pipe", Why.NO_FILE),
        ("socket", Why.NO_FILE),
        ("empty", Why.EMPTY),
        ("big", Why.TOO_LARGE),
    ],
)
def test_what_may_not_leave_stays(sending: Sending, path: str, why: Why) -> None:
    inside = sending.workspace
    (inside / "a.txt").write_text("a")
    (inside / "out").mkdir()
    (inside / "link.txt").symlink_to("/etc/passwd")
    (inside / "linked").symlink_to("/etc")
    (inside / "empty").touch()
    os.mkfifo(inside / "pipe")
    with (inside / "big").open("wb") as big:
        big.truncate(MAX_FILE_BYTES + 1)
    bound = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(inside)  # the path of a socket is short
    try:
        bound.bind("socket")
    finally:
        os.chdir(here)
        bound.close()
    with pytest.raises(StaysHere) as stays:
        read_to_send(inside, path)
    assert stays.value.why is why


def test_a_link_within_the_workspace_is_no_way_either(sending: Sending) -> None:
    (sending.workspace / ".env").write_text("TOKEN=x")
    (sending.workspace / "harmless.txt").symlink_to(".env")
    with pytest.raises(StaysHere, match="link"):
        read_to_send(sending.workspace, "harmless.txt")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_secrets_in_a_text_are_redacted(encoding: str) -> None:
    clean = without_secrets("비밀: hunter2-hunter2\n".encode(encoding), redactor(["hunter2-hunter2"]))
    assert clean.decode(encoding) == "비밀: [redacted]\n"


def test_a_long_text_is_redacted_to_its_end_and_loses_nothing() -> None:
    text = "a line of a log: hunter2-hunter2\n" * 20_000
    clean = without_secrets(text.encode(), redactor(["hunter2-hunter2"]))
    assert clean.decode() == text.replace("hunter2-hunter2", "[redacted]")


def test_a_file_that_is_no_text_stays_as_it_is() -> None:
    content = b"\x89PNG\xff\xfe hunter2-hunter2"
    assert without_secrets(content, redactor(["hunter2-hunter2"])) == content


# --- what is posted -----------------------------------------------------------------------------------------


async def test_a_named_file_goes_out_as_a_copy(sending: Sending) -> None:
    (sending.workspace / "out").mkdir()
    (sending.workspace / "out" / "report.csv").write_text("a,b\n1,2\n")
    sent, line = await sending.send("The figures.\nATTACH::out/report.csv")
    (file,) = sent.files
    assert (file.name, file.media_type, file.size) == ("report.csv", "text/csv", 8)
    assert file.path is not None
    assert file.path.is_relative_to(sending.copies)
    (sending.workspace / "out" / "report.csv").write_text("changed")
    assert file.path.read_text() == "a,b\n1,2\n"
    assert line == ""


async def test_a_reply_that_is_finished_again_has_the_same_files(sending: Sending) -> None:
    (sending.workspace / "a.txt").write_text("a")
    (sending.workspace / "b.txt").write_text("b")
    first, _ = await sending.send("ATTACH::a.txt\nATTACH::b.txt")
    again, _ = await sending.send("ATTACH::a.txt\nATTACH::b.txt")
    assert first == again
    assert sorted(path.name for path in sending.copies.glob("*/*")) == ["0-a.txt", "1-b.txt"]


async def test_two_files_of_one_name_do_not_overwrite_each_other(sending: Sending) -> None:
    for folder in ("x", "y"):
        (sending.workspace / folder).mkdir()
        (sending.workspace / folder / "a.txt").write_text(folder)
    sent, _ = await sending.send("ATTACH::x/a.txt\nATTACH::y/a.txt")
    assert [(file.name, file.path.read_text()) for file in sent.files if file.path] == [("a.txt", "x"), ("a.txt", "y")]


async def test_what_is_refused_is_told_with_its_reason_and_counted(sending: Sending) -> None:
    (sending.workspace / "a.txt").write_text("a")
    sent, line = await sending.send("ATTACH::../../etc/passwd\nATTACH::a.txt\nATTACH::.env")
    assert [file.name for file in sent.files] == ["a.txt"]
    assert line == (
        "Files that Lead named and that were not sent:\n"
        "- `../../etc/passwd`: it lies outside the workspace\n"
        "- `.env`: such files hold secrets"
    )
    counted = sending.metrics.snapshot()
    assert sum(value for name, value in counted.items() if "files_refused" in str(name)) == 2


async def test_a_korean_person_is_told_in_korean(sending: Sending) -> None:
    _, line = await sending.send("ATTACH::없음.png", Language.KOREAN)
    assert line == "Lead의 답변에서 보내지 않은 파일:\n- `없음.png`: 작업 공간에 그런 파일이 없습니다"


async def test_no_more_than_ten_files_go_out(sending: Sending) -> None:
    names = [f"{number}.txt" for number in range(MAX_FILES + 2)]
    for name in names:
        (sending.workspace / name).write_text(name)
    sent, line = await sending.send("\n".join(f"ATTACH::{name}" for name in names))
    assert [file.name for file in sent.files] == names[:MAX_FILES]
    assert line.count("10 files at most") == 2


async def test_a_directory_that_cannot_be_written_is_told_and_the_reply_goes_out(sending: Sending) -> None:
    (sending.workspace / "a.txt").write_text("a")
    sending.copies.write_text("in the way")
    sent, line = await sending.send("ATTACH::a.txt")
    assert sent.files == ()
    assert "could not be copied" in line


async def test_a_hostile_name_is_shown_on_one_line(sending: Sending) -> None:
    name = "a\u202e`b`" + "x" * 100
    _, line = await sending.send(f"ATTACH::{name}")
    assert "\u202e" not in line
    assert len(line.splitlines()) == 2


async def test_a_flood_of_names_is_a_short_line(sending: Sending) -> None:
    _, line = await sending.send("\n".join(f"ATTACH::{number}.txt" for number in range(3000)))
    assert len(line.splitlines()) == 12
    assert line.endswith("- … and 2990 more")

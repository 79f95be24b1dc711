"""`mama-bot review-gate`: exit status 2 and the reason while a review is not approved, and whenever it cannot tell."""

import asyncio
import json
import os
import pty
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4

import pytest

from mama_bot.agents.login import bundled_cli
from mama_bot.app.configuration import read_configuration
from mama_bot.app.reviewer_keys import KEY_VARIABLE, reviewer_key
from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.demo.model_server import ModelServer
from mama_bot.model import ReviewMove, ReviewStatus
from mama_bot.store import Store
from tests.commands.places import Place, Told
from tests.end_to_end.team import write_configuration
from tests.store.making import message, turn

SECONDS = 60.0
REQUIRED = {"require_review_for": [{"personas": ["developer"]}]}


def reviewed(
    place: Place, *steps: ReviewStatus, session: str = "s1", issues: tuple[str, ...] = ("`a.py:3` 틀림",)
) -> None:
    async def work(store: Store) -> None:
        for to in steps:
            agent = "dev" if to is ReviewStatus.PENDING else "reviewer"
            told = issues if to is ReviewStatus.REJECTED else ()
            await store.reviews.move(ReviewMove(session_id=session, to=to, agent=agent, issues=told))

    place.left_behind(work)


def gate(place: Place, *arguments: str, given: object = None, text: str | None = None, **variables: str) -> Told:
    """Run the command as a hook does: in a process of its own, with an input."""
    done = subprocess.run(
        [sys.executable, "-m", "mama_bot", "review-gate", *arguments, "--config", str(place.file)],
        input=text if text is not None else json.dumps(given) if given is not None else "",
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env={"PATH": os.environ["PATH"], **variables},
    )
    assert "Traceback" not in done.stderr
    return Told(done.returncode, done.stdout, done.stderr)


# What decides which model, whose login and whose name a command goes by.
OF_THE_CALLER = ("HOME", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", KEY_VARIABLE)


class Caller:
    """Runs the command with an environment of its own."""

    def __init__(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        self._place = place
        self._monkeypatch = monkeypatch

    def gate(self, *arguments: str, **variables: str) -> Told:
        with self._monkeypatch.context() as patched:
            for name in OF_THE_CALLER:
                patched.delenv(name, raising=False)
            for name, value in variables.items():
                patched.setenv(name, value)
            return self._place.run("review-gate", *arguments)


@pytest.fixture
def caller(place: Place, monkeypatch: pytest.MonkeyPatch) -> Caller:
    return Caller(place, monkeypatch)


def key_of(place: Place, agent: str) -> str:
    """What a person gives to the session of a reviewer, and to no other."""
    configuration = read_configuration(place.file, environment={"PATH": os.environ["PATH"]})
    return reviewer_key(configuration, agent)


PENDING, IN_REVIEW, APPROVED, REJECTED = ReviewStatus


@pytest.mark.parametrize(
    ("steps", "status", "words"),
    [
        ([PENDING], 2, "is pending: nobody has begun it"),
        ([PENDING, IN_REVIEW], 2, "reviewer is reviewing session s1"),
        ([PENDING, IN_REVIEW, REJECTED], 2, "1. a.py is wrong Mend them, then ask again: mama-bot review-gate request"),
        ([PENDING, IN_REVIEW, APPROVED], 0, ""),
        ([PENDING, IN_REVIEW, APPROVED, PENDING], 2, "is pending"),
    ],
)
def test_a_session_is_held_until_its_review_is_approved(
    place: Place, steps: list[ReviewStatus], status: int, words: str
) -> None:
    reviewed(place, *steps, issues=("a.py is wrong",))
    told = place.run("review-gate", "check", "--session", "s1")
    assert (told.status, told.output) == (status, "")
    assert words in told.complaint
    assert bool(told.complaint) == bool(status)


def test_whoever_speaks_korean_is_told_in_korean(place: Place) -> None:
    reviewed(place, PENDING)
    given = {"session_id": "s1", "last_assistant_message": "작업을 모두 마쳤습니다."}
    told = gate(place, "check", given=given)
    assert (told.status, "아직 시작되지 않았습니다" in told.complaint) == (2, True)


def test_the_session_is_named_or_the_hook_s_or_the_environment_s(place: Place) -> None:
    reviewed(place, PENDING, IN_REVIEW, APPROVED, session="good")
    reviewed(place, PENDING, session="bad")
    assert gate(place, "check", "--session", "good", given={"session_id": "bad"}).status == 0
    assert gate(place, "check", given={"session_id": "good"}, CLAUDE_SESSION_ID="bad").status == 0
    assert gate(place, "check", CLAUDE_SESSION_ID="good").status == 0
    held = gate(place, "check", given={"session_id": "bad", "stop_hook_active": True})
    assert held.status == 2
    assert "You were held here before" in held.complaint


@pytest.mark.parametrize("text", ["", "{", "[]", '{"session_id": 3}', "[" * 100_000, "x" * 3_000_000, "\0"])
def test_without_a_session_nobody_is_let_go(place: Place, text: str) -> None:
    told = gate(place, "check", text=text)
    assert told.status == 2
    assert "give --session ID" in told.complaint


async def test_an_input_that_never_ends_does_not_hold_the_hook(place: Place) -> None:
    reading, writing = os.pipe()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "mama_bot", "review-gate", "check", "--session", "s1", "--config", str(place.file)),
        stdin=reading,
        env={"PATH": os.environ["PATH"]},
    )
    async with asyncio.timeout(SECONDS):
        assert await process.wait() == 0
    os.close(writing)
    os.close(reading)


@pytest.mark.parametrize(
    ("reviews", "arguments", "status"),
    [
        ({}, (), 0),
        (REQUIRED, (), 2),
        (REQUIRED, ("--agent", "developer"), 2),
        (REQUIRED, ("--agent", "lead"), 0),
        ({"require_review_for": [{"paths": ["src/"]}]}, ("--agent", "lead"), 2),
    ],
)
def test_a_session_without_a_review_is_held_where_one_is_required(
    place: Place, tmp_path: Path, reviews: Mapping[str, object], arguments: tuple[str, ...], status: int
) -> None:
    write_configuration(tmp_path, reviews=reviews)
    told = place.run("review-gate", "check", "--session", "none", *arguments)
    assert told.status == status
    assert ("none was asked for in session none" in told.complaint) == bool(status)


def test_a_broken_configuration_or_database_holds(place: Place, tmp_path: Path) -> None:
    write_configuration(tmp_path, reviews={"max_atempts": 3})
    told = place.run("review-gate", "check", "--session", "s1")
    assert (told.status, "'max_attempts'" in told.complaint) == (2, True)
    write_configuration(tmp_path)
    place.database.parent.mkdir(parents=True)
    place.database.write_bytes(b"no database at all" * 100)
    told = place.run("review-gate", "check", "--session", "s1")
    assert (told.status, "cannot be used" in told.complaint) == (2, True)


def test_a_session_registers_and_settles_its_review(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    reviewed(place)
    monkeypatch.setenv(KEY_VARIABLE, key_of(place, "dev"))
    assert place.run("review-gate", "request", "--session", "s1", "--agent", "dev").output.startswith("s1  pending")
    own = place.run("review-gate", "start", "--session", "s1", "--agent", "dev")
    assert (own.status, "another agent has to" in own.complaint) == (2, True)
    monkeypatch.setenv(KEY_VARIABLE, key_of(place, "kim"))
    early = place.run("review-gate", "approve", "--session", "s1", "--agent", "kim")
    assert (early.status, "only after a reviewer has begun it" in early.complaint) == (2, True)
    assert place.run("review-gate", "start", "--session", "s1", "--agent", "kim").status == 0
    assert place.run("review-gate", "reject", "--session", "s1", "--agent", "kim").status == 2
    rejected = place.run("review-gate", "reject", "--session", "s1", "--agent", "kim", "--issue", "\x1b틀림")
    assert rejected.status == 0
    shown = place.run("review-gate", "show")
    assert "rejected  worker dev, reviewer kim, 1 verdict" in shown.output
    assert "    - \ufffd틀림" in shown.output
    (plain,) = json.loads(place.run("review-gate", "show", "--session", "s1", "--json").output)
    assert (plain["status"], plain["issues_found"], plain["attempts"]) == ("rejected", ["\x1b틀림"], 1)
    for action, agent in (("request", "dev"), ("start", "kim"), ("approve", "kim")):
        assert place.run("review-gate", action, "--session", "s1", "--agent", agent).status == 0
    assert place.run("review-gate", "check", "--session", "s1").status == 0


@pytest.mark.parametrize("login", [{}, {"ANTHROPIC_API_KEY": "test"}])
@pytest.mark.parametrize("directory", ["real", "scripted"])
def test_the_caller_s_login_does_not_decide_which_reviews_are_seen(
    place: Place, caller: Caller, tmp_path: Path, directory: str, login: Mapping[str, str]
) -> None:
    write_configuration(tmp_path, claude={"source": "auto"})
    home = {"HOME": str(tmp_path), KEY_VARIABLE: key_of(place, "kim"), **login}
    reviewed(place, PENDING, IN_REVIEW, APPROVED)
    if directory == "real":
        place.database.parent.rename(tmp_path / "data" / "real")
        reviewed(place)  # and a database of the scripted model, without reviews
    assert caller.gate("check", "--session", "s1", **home).status == 0
    done = caller.gate("request", "--session", "s1", "--agent", "dev", **home)
    assert done.output.startswith("s1  pending  worker dev, reviewer reviewer")
    assert caller.gate("check", "--session", "s1", **home).status == 2
    assert caller.gate("start", "--session", "s1", "--agent", "kim", **home).status == 0
    assert len(caller.gate("show", **home).output.splitlines()) == 1
    assert caller.gate("request", "--session", "s2", "--agent", "dev", **home).status == 0
    assert caller.gate("check", "--session", "s2", HOME=str(tmp_path)).status == 2


def test_of_two_reviews_of_a_session_both_have_to_be_approved(place: Place, caller: Caller, tmp_path: Path) -> None:
    write_configuration(tmp_path, claude={"source": "auto"})
    home = {"HOME": str(tmp_path), KEY_VARIABLE: key_of(place, "kim")}
    reviewed(place, PENDING)
    place.database.parent.rename(tmp_path / "data" / "real")
    reviewed(place, PENDING, IN_REVIEW, APPROVED)
    assert caller.gate("check", "--session", "s1", **home).status == 2
    assert caller.gate("start", "--session", "s1", "--agent", "kim", **home).status == 0
    assert caller.gate("approve", "--session", "s1", "--agent", "kim", **home).status == 0
    assert caller.gate("check", "--session", "s1", **home).status == 0


@pytest.mark.parametrize("errors", ["2>&-", "2>/dev/full", "2> >(exec 0<&-)"])
@pytest.mark.parametrize("session", ["s1", "good"])
def test_who_cannot_be_told_is_held_all_the_same(place: Place, errors: str, session: str) -> None:
    reviewed(place, PENDING)
    reviewed(place, PENDING, IN_REVIEW, APPROVED, session="good")
    command = f"{shlex.quote(sys.executable)} -m mama_bot review-gate check --session {session}"
    done = subprocess.run(
        ["bash", "-c", f"{command} --config {shlex.quote(str(place.file))} </dev/null {errors}"],
        timeout=SECONDS,
        env={"PATH": os.environ["PATH"]},
    )
    assert done.returncode == (2 if session == "s1" else 0)


def test_what_is_missing_is_said(place: Place) -> None:
    assert "--agent NAME" in place.run("review-gate", "request", "--session", "s1").complaint
    assert "give --session ID" in place.run("review-gate", "request", "--agent", "dev").complaint
    assert place.run("review-gate", "request", "--session", "s1", "--agent", "dev").status == 2  # no database yet
    assert place.run("review-gate", "show").output == "There are no reviews.\n"
    assert place.run("review-gate", "dance").status == 2


@pytest.mark.parametrize("shown", ["", "x" * 43, "dev"])
@pytest.mark.parametrize("action", ["start", "approve", "reject"])
def test_a_name_alone_reviews_nothing(place: Place, monkeypatch: pytest.MonkeyPatch, action: str, shown: str) -> None:
    reviewed(place, PENDING, IN_REVIEW)
    monkeypatch.setenv(KEY_VARIABLE, key_of(place, "dev") if shown == "dev" else shown)
    issue = ("--issue", "wrong") if action == "reject" else ()
    told = place.run("review-gate", action, "--session", "s1", "--agent", "reviewer", *issue)
    assert (told.status, "review-gate key --agent reviewer" in told.complaint) == (2, True)
    assert "in_review" in place.run("review-gate", "show").output


def test_nobody_takes_the_name_of_a_person_or_settles_a_turn_of_the_service(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(store: Store) -> None:
        await store.inbox.accept(message())
        await store.turns.add_turns([turn(message(), "m1.0")])
        await store.reviews.move(ReviewMove(session_id="m1.0", to=PENDING, agent="dev"))

    place.left_behind(work)
    for agent, words in (("Kim (person)", "a person decides"), ("reviewer", "is a turn of the service")):
        monkeypatch.setenv(KEY_VARIABLE, key_of(place, agent))
        told = place.run("review-gate", "start", "--session", "m1.0", "--agent", agent)
        assert (told.status, words in told.complaint) == (2, True)


def test_a_key_is_shown_at_a_terminal_alone(place: Place) -> None:
    command = [sys.executable, "-m", "mama_bot", "review-gate", "key", "--agent", "kim", "--config", str(place.file)]
    environment = {"PATH": os.environ["PATH"]}
    piped = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS)
    assert (piped.returncode, piped.stdout) == (2, "")
    assert "at a terminal only" in piped.stderr
    terminal, end = pty.openpty()
    try:
        subprocess.run(command, env=environment, stdin=end, stdout=end, stderr=end, timeout=SECONDS)
        assert os.read(terminal, 1000).decode().strip() == key_of(place, "kim")
    finally:
        os.close(terminal)
        os.close(end)


@pytest.mark.parametrize(
    ("reviews", "words"),
    [
        ({"require_review_for": [{"personas": ["develper"]}]}, ("require_review_for.0.personas", "'developer'")),
        ({"require_review_for": [{"paths": ["a"]}], "reviewer": "revewer"}, ("reviews.reviewer", "'reviewer'")),
        ({"require_review_for": [{"personas": ["reviewer"]}]}, ("cannot review its own work",)),
        ({"consensus": {"reviewers": ["reviewer", "revewer"]}}, ("reviews.consensus.reviewers", "'reviewer'")),
        ({"consensus": {"reviewers": ["lead", "reviewer", "lead"]}}, ("'lead' stands here twice",)),
        ({"consensus": {"reviewers": ["lead", "reviewer"], "quorum": 3}}, ("consensus.quorum: 3 can never agree",)),
        ({"consensus": {"reviewers": ["lead", "reviewer"], "quorum": 0}}, ("consensus.quorum",)),
        (
            {"require_review_for": [{"personas": ["lead"]}], "consensus": {"reviewers": ["lead", "reviewer"]}},
            ("'lead' is a reviewer (reviews.consensus.reviewers) and cannot review its own work",),
        ),
    ],
)
def test_names_that_cannot_be_are_refused_at_the_start(
    place: Place, tmp_path: Path, reviews: Mapping[str, object], words: tuple[str, ...]
) -> None:
    write_configuration(tmp_path, reviews=reviews)
    told = place.run("check")
    assert told.status == 2
    assert all(word in told.complaint for word in words)


@pytest.mark.cli
async def test_claude_code_is_held_by_the_hook_until_the_review_is_approved(place: Place, tmp_path: Path) -> None:
    session = str(uuid4())
    steps, issues = (PENDING, IN_REVIEW, REJECTED), ("a.py is wrong",)
    await asyncio.to_thread(reviewed, place, *steps, session=session, issues=issues)
    mama_bot = f"{shlex.quote(sys.executable)} -m mama_bot review-gate"
    rest = f"--session {session} --config {shlex.quote(str(place.file))}"
    heard: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        def run(*commands: str) -> ModelReply:
            command = " && ".join(f"{mama_bot} {command} {rest}" for command in commands)
            return ModelReply(tool_calls=(ToolUse(name="Bash", arguments={"command": command, "description": "x"}),))

        if not request.tool_results:
            heard.append(request.last_user_text)
            match len(request.user_texts):
                case 1:
                    return ModelReply(text="Done, I think.")
                case 2:
                    return run("request --agent dev")
                case 3:
                    return run("start --agent reviewer", "approve --agent reviewer")
                case 4:  # the session of the reviewer, which a person gave the key
                    for step in ("start", "approve"):
                        shown = {KEY_VARIABLE: key_of(place, "reviewer")}
                        assert gate(place, step, "--session", session, "--agent", "reviewer", **shown).status == 0
                case _:
                    pass
        return ModelReply(text=f"Round {len(request.user_texts)} is over.")

    hook = {"type": "command", "command": f"{mama_bot} check --config {shlex.quote(str(place.file))}", "timeout": 60}
    settings = json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}})
    cli = bundled_cli()
    assert cli is not None
    async with ModelServer(script=script) as server:
        process = await asyncio.create_subprocess_exec(
            *(str(cli), "-p", "Mend it", "--session-id", session, "--settings", settings, "--setting-sources", ""),
            *("--allowed-tools", "Bash", "--output-format", "json", "--model", "claude-sonnet-4-5"),
            cwd=tmp_path,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": os.pathsep.join(sys.path),
                "ANTHROPIC_BASE_URL": server.url,
                "ANTHROPIC_API_KEY": "scripted",
                "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
                "HOME": str(tmp_path),
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "CLAUDE_CODE_MAX_RETRIES": "0",
            },
        )
        async with asyncio.timeout(2 * SECONDS):
            output, _ = await process.communicate()
    result = json.loads(output)
    assert result["result"] == "Round 4 is over."
    first, second, third, fourth = heard
    assert first == "Mend it"
    assert "a.py is wrong" in second
    assert "is pending" in third
    assert "is pending" in fourth  # what it did in the name of the reviewer counted for nothing

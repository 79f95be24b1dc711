"""There is one path: what an agent says is judged by the chain before it is remembered or posted, and no other way."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import mama_bot
from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.model import AuthorKind, Cleared, Reply, TurnState, text_hash
from tests.end_to_end.team import running_team

PACKAGE = Path(mama_bot.__file__).parent

# Who may do what the path consists of; `testing` holds the fakes, which the service never runs.
ONLY = {
    "Judgement": {"enforcement/chain.py"},
    "Reply": {"orchestrator/endings.py"},
    "add_reply": {"store/turns.py"},
    ".post": {"delivery/part_sender.py"},
}
CONTEXT_TABLE = "INTO CONTEXT"


def sources() -> dict[str, str]:
    """The package without its fakes: path -> text."""
    files = {str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    return {path: text for path, text in files.items() if not path.startswith("testing/")}


def second_paths(files: Mapping[str, str]) -> list[str]:
    """Every place that judges, makes replies, remembers or posts, and is not the one that does."""
    return [place for path, text in files.items() for place in _in_file(path, text)]


def _in_file(path: str, text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = _called(node)
            if path not in ONLY.get(name, {path}):
                yield f"{path}:{node.lineno} calls {name}"
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = " ".join(node.value.upper().split())
            if CONTEXT_TABLE in words and path not in {"store/context.py", "store/migrations.py"}:
                yield f"{path}:{node.lineno} writes the table of the shared context"


def _called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr="post"):
            return ".post"
        case ast.Attribute(attr=name):
            return name
        case _:
            return ""


def test_the_code_has_no_second_path() -> None:
    assert second_paths(sources()) == []


def test_every_second_path_would_be_found() -> None:
    for statement in (
        "async def quick(gateway, post):\n    await gateway.post(post, part)\n",
        "def forge(draft):\n    return Judgement(turn_id='t', attempt=0, text_sha256='', outcome=Cleared())\n",
        "def answer(turn, text):\n    return model.Reply(id='r', text=text)\n",
        "def remember(connection):\n    connection.execute('insert\\n into context values (1)')\n",
        "def remember(connection, reply):\n    add_reply(connection, reply, '')\n",
    ):
        assert second_paths({"gateways/quick.py": statement}) != [], statement


async def test_in_a_run_all_that_is_posted_or_remembered_was_cleared_and_what_was_not_is_nowhere(
    tmp_path: Path,
) -> None:
    secret = "Zebrafink"

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "developer":
            return ModelReply(text=f"Excellent, brilliant, outstanding work, {secret}! Absolutely perfect!")
        if request.persona == "reviewer":
            return ModelReply(text="Verdict: REJECT\n\n`a.py:3` divides by zero.")
        rounds = len(request.user_texts)
        if rounds == 1:
            return ModelReply(text="DELEGATE::developer::Fix `a.py`\nDELEGATE::reviewer::Check `a.py`")
        return ModelReply(text="`a.py:3` still divides by zero; developer delivered nothing that passed.")

    async with running_team(tmp_path, script=script) as team:
        exchange = await team.settled(await team.say("Fix it"))
        context = await team.context()
        view = await team.store.history.view(team.posts()[0].key, limit=100)
    cleared = {
        attempt.judgement.text_sha256
        for stored in exchange.turns
        for attempt in stored.attempts
        if isinstance(attempt.judgement.outcome, Cleared)
    }
    assert [stored.state for stored in exchange.turns if stored.turn.persona == "developer"] == [TurnState.WITHHELD]
    replies = [post for post in team.posts() if isinstance(post, Reply)]
    remembered = [entry for entry in context if entry.author.kind is AuthorKind.AGENT]
    assert len(replies) == len(remembered) == 3
    assert {text_hash(reply.text) for reply in replies} <= cleared
    assert {text_hash(entry.text) for entry in remembered} <= cleared
    assert [entry.post for entry in view.posts] == team.posts()
    assert not any(secret in str(post) for post in team.posts())
    assert not any(secret in entry.text for entry in context)
    assert not any(secret in stored.turn.prompt for stored in exchange.turns)

"""A secret in a reply is gone before the reply is judged and stored: neither page, prompts, posts nor logs show it."""

from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

import pytest

from mama_bot.model import AgentPersona, AuthorKind, text_hash
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from tests.end_to_end.team import attempts, key, running_team

OURS = "xq7-Tz+0-kept-service-value"
ISSUED = "ghp_" + "a1" * 18


async def test_a_secret_in_a_reply_is_stored_nowhere(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    encoded = b64encode(OURS.encode()).decode()
    said = f"`src/auth.py:42` holds {ISSUED}, the service runs with {OURS}, encoded {encoded}; the key of the page is "
    prompts: list[str] = []
    page_key = ""

    def script(_persona: AgentPersona, prompt: str, _history: Sequence[str]) -> ScriptedReply:
        prompts.append(prompt)
        return ScriptedReply(text=f"{said}{page_key} .")

    backend = ScriptedAgentBackend(script=script)
    async with running_team(tmp_path, backends={"claude": backend}, environment={"DEPLOY_TOKEN": OURS}) as team:
        page_key = team.running.page_key
        exchange = await team.settled(await team.say("@lead What does `src/auth.py` hold?"))
        await team.settled(await team.say("@developer And what else?"))
        (context,) = [entry for entry in (await team.context())[:2] if entry.author.kind is AuthorKind.AGENT]
        (first, _second) = team.replies()
        view = repr(await team.store.history.view(key(), limit=10))
    (stored,) = exchange.turns
    (attempt,) = stored.attempts
    shown = "`src/auth.py:42` holds [redacted], the service runs with [redacted], encoded "
    assert attempts(stored) == ["cleared"]
    assert attempt.draft.text.startswith(shown)
    assert (first.text, context.text) == (attempt.draft.text, attempt.draft.text)
    assert attempt.judgement.text_sha256 == text_hash(attempt.draft.text)
    assert len(prompts) == 2
    kept = b"".join(path.read_bytes() for path in (tmp_path / "data" / "scripted").glob("mama-bot.sqlite*"))
    everything = "".join([kept.decode(errors="replace"), view, *prompts, *capfd.readouterr()])
    assert "And what else?" in everything
    assert [secret for secret in (OURS, ISSUED, encoded[2:-4], page_key) if secret in everything] == []

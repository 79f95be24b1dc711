"""The nouns as the page reads them: bounded JSON, with no more of a rejected draft than the spans objected to.

Only `draft_view` shows the words of one, to whoever asks for it.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import assert_never

from mama_bot.facts.facts_json import facts_as_json
from mama_bot.facts.line import record_line
from mama_bot.facts.receipt_words import lone_word_of, says_to
from mama_bot.gateways.chat.command_forms import RESUMING, buttons_under
from mama_bot.gateways.web.change_views import changing_view
from mama_bot.gateways.web.cut_texts import cut, tail
from mama_bot.gateways.web.judgement_views import MAX_FINDING_CHARACTERS, MAX_FINDINGS, judgement_view
from mama_bot.model import (
    DECIDING,
    WORST_FIRST,
    AgentPersona,
    Allow,
    Attempt,
    AuthorKind,
    Badge,
    CheckedClaim,
    ClaimReceipt,
    ConversationSummary,
    ConversationView,
    HostCheck,
    InboundMessage,
    Notice,
    OutboxEntry,
    Post,
    QueueState,
    ReceiptRun,
    Reply,
    StoredTurn,
    ToolRun,
    Trial,
    Turn,
    Usage,
    badge_of,
)
from mama_bot.text.foreign import shown_request
from mama_bot.wording import Language

Json = dict[str, object]

MAX_CLAIMS = 40
MAX_ARGUMENT_CHARACTERS = 1_500
MAX_OUTPUT_CHARACTERS = 3_000
MAX_CHECK_NAME_CHARACTERS = 80
MAX_TOOL_RUNS = 200
MAX_ABOUT_CHARACTERS = 180
MAX_DRAFT_CHARACTERS = 50_000


def persona_view(persona: AgentPersona) -> Json:
    """Return a member of the team, for the page's list."""
    return {
        "name": persona.name,
        "display_name": persona.display_name,
        "avatar": persona.avatar,
        "tier": persona.tier.value,
        "about": _about(persona.prompt),
        "delegates_to": list(persona.delegates_to),
        "menu": [{"name": each.name, "usage": each.usage, "en": each.en, "ko": each.ko} for each in persona.menu],
    }


def _about(prompt: str) -> str:
    lines = (line.strip() for line in prompt.splitlines())
    first = next((line for line in lines if line and not line.startswith(("#", "-", "*", "<"))), "")
    sentence, dot, _ = first.partition(". ")
    return cut(sentence + dot.strip(), MAX_ABOUT_CHARACTERS)


def summary_view(summary: ConversationSummary) -> Json:
    """Return a line of the list of conversations."""
    return {
        "id": summary.key.channel,
        "title": summary.title,
        "last_at": summary.last_at.isoformat(),
        "waiting": summary.waiting,
    }


def conversation_view(view: ConversationView) -> Json:
    """Return a conversation with all that a person may see of it."""
    return {
        "id": view.key.channel,
        "messages": [message_view(message) for message in view.messages],
        "posts": [entry_view(entry) for entry in view.posts],
        "turns": [stored_turn_view(turn) for turn in view.turns],
        "queued": list(view.queued),
        "added": list(view.added),
        "reports": [asdict(report) for report in view.reports],
        "receipts": [receipt_view(receipt) for receipt in view.receipts],
    }


def receipt_view(receipt: ClaimReceipt) -> Json:
    """Return what stands behind a reply: its claims, the tool calls that decided them, the service's own checks."""
    return {
        "number": receipt.number,
        "turn_id": receipt.turn_id,
        "text_sha256": receipt.text_sha256,
        "recorded": receipt.recorded,
        "claims": [_claim_view(claim, receipt) for claim in _most_telling(receipt.claims)],
        "claims_dropped": max(0, len(receipt.claims) - MAX_CLAIMS),
        "runs": [_receipt_run_view(run) for run in receipt.runs],
        "checks": [_host_check_view(check) for check in receipt.checks],
        "badge": _badge_view(badge_of(receipt)),
        "workflow": None if receipt.workflow is None else asdict(receipt.workflow),
        "fallback": receipt.fallback,
    }


def _most_telling(claims: Sequence[CheckedClaim]) -> Sequence[CheckedClaim]:
    """Return so many claims as are shown, in their order: what stands against a reply is never what is left out."""
    shown = sorted(range(len(claims)), key=lambda place: WORST_FIRST.index(claims[place].state))[:MAX_CLAIMS]
    return [claims[place] for place in sorted(shown)]


def _badge_view(badge: Badge | None) -> Json | None:
    if badge is None:
        return None
    return {"kind": badge.kind.value, "tests": badge.tests, "at": _optional_time(badge.at)}


def _claim_view(checked: CheckedClaim, receipt: ClaimReceipt) -> Json:
    view = _checked_view(checked, {language: says_to(language, checked, receipt) for language in Language})
    return {**view, "ran": cut(lone_word_of(checked, receipt), MAX_FINDING_CHARACTERS)}


def _checked_view(checked: CheckedClaim, says: Mapping[Language, str]) -> Json:
    return {
        "kind": checked.claim.kind.value,
        "text": cut(checked.claim.text, MAX_FINDING_CHARACTERS),
        "state": checked.state.value,
        "reason": checked.reason.value,
        "run_id": checked.run_id,
        "says": {language.value: cut(told, MAX_FINDING_CHARACTERS) for language, told in says.items()},
        "declared": checked.claim.declared,
        "grade": None if checked.grade is None else checked.grade.value,
    }


def _receipt_run_view(run: ReceiptRun) -> Json:
    return {
        "id": run.run_id,
        "agent": run.agent,
        "command": run.command,
        "exit_status": run.exit_status,
        "counts": [asdict(counts) for counts in run.counts],
        "started_at": run.started_at.isoformat(),
        "ended_at": _optional_time(run.ended_at),
        "commit": run.after.commit if run.after else "",
        "dirty": run.after.dirty if run.after else None,
        "tree": run.after.tree if run.after else "",
        "output": tail(run.output_tail, MAX_OUTPUT_CHARACTERS),
        "output_sha256": run.output_sha256,
        "output_size": run.output_size,
    }


def _host_check_view(check: HostCheck) -> Json:
    return {
        "name": check.name,
        "command": shlex.join(check.argv),
        "ok": check.ok,
        "reason": check.reason,
        "exit_status": check.exit_status,
        "seconds": check.seconds,
        "tree": check.tree,
        "cached": check.cached,
        "output": tail(check.output_tail, MAX_OUTPUT_CHARACTERS),
        "output_sha256": check.output_sha256,
    }


def message_view(message: InboundMessage) -> Json:
    """Return what a person (or a bot) wrote."""
    return {
        "id": message.id,
        "author": message.author.name,
        "author_kind": message.author.kind.value,
        "text": shown_request(message.text) if message.author.kind is AuthorKind.HOOK else message.text,
        "at": message.received_at.isoformat(),
        "attachments": [file_view(file.name, file.size, file.media_type) for file in message.attachments],
    }


def file_view(name: str, size: int, media_type: str) -> Json:
    """Return a file that came with a message or goes out with a reply."""
    return {"name": name, "size": size, "media_type": media_type}


def entry_view(entry: OutboxEntry) -> Json:
    """Return a post with the time it was made and, where it was given up, why."""
    return {**post_view(entry.post), "at": entry.created_at.isoformat(), "failure": entry.failure}


def post_view(post: Post) -> Json:
    """Return a reply or a line of the service."""
    match post:
        case Reply():
            return {
                "kind": post.kind,
                "id": post.id,
                "turn_id": post.turn_id,
                "persona": post.persona,
                "display_name": post.display_name,
                "avatar": post.avatar,
                "text": post.text,
                "verdict": post.verdict.value,
                "banners": list(post.banners),
                "record_line": post.record_line,
                "judgement": judgement_view(post.judgement),
                "files": [file_view(file.name, file.size, file.media_type) for file in post.files],
                **changing_view(post),
            }
        case Notice():
            return {
                "kind": post.kind,
                "id": post.id,
                "turn_id": post.turn_id,
                "notice": post.notice.value,
                "text": post.text,
                "ending": post.ending,
                "settles": post.settles,
                "undoes": post.undoes,
                "approval": post.approval,
                "deciding": [button.name.value for button in buttons_under(post) if button.name in DECIDING],
                "choices": list(post.choices),
                "resume": [button.name.value for button in buttons_under(post) if button.name in RESUMING],
                **changing_view(post),
            }
        case unexpected:
            assert_never(unexpected)


def turn_view(turn: Turn) -> Json:
    """Return who works for whom; the prompt itself is not part of it."""
    return {
        "id": turn.id,
        "message_id": turn.message_id,
        "persona": turn.persona,
        "kind": turn.kind.value,
        "audience": turn.audience.value,
        "asker": turn.asker.name,
        "asker_id": turn.asker.id,
        "asker_kind": turn.asker.kind.value,
        "parent": turn.parent,
        "depth": turn.depth,
        "task": cut(turn.delegation.task, MAX_FINDING_CHARACTERS) if turn.delegation else "",
    }


def stored_turn_view(stored: StoredTurn) -> Json:
    """Return a turn with its attempts, its tools and its cost."""
    record = stored.attempts[-1].draft.record if stored.attempts else None
    usage = sum((attempt.draft.usage for attempt in stored.attempts), start=Usage())
    return {
        **turn_view(stored.turn),
        "state": stored.state.value,
        "created_at": stored.created_at.isoformat(),
        "started_at": _optional_time(stored.started_at),
        "ended_at": _optional_time(stored.ended_at),
        "asked": stored.asked,
        "attempts": [attempt_view(attempt) for attempt in stored.attempts],
        "tools": [tool_view(run) for run in record.runs[:MAX_TOOL_RUNS]] if record else [],
        "tools_dropped": record.dropped + max(0, len(record.runs) - MAX_TOOL_RUNS) if record else 0,
        "usage": asdict(usage),
    }


def attempt_view(attempt: Attempt) -> Json:
    """Return what was decided about a draft, without the draft's words."""
    return {"at": attempt.at.isoformat(), **judgement_view(attempt.judgement)}


def draft_view(attempt: Attempt) -> Json:
    """Return the words of a draft, and the spans of them that were objected to, in characters of Unicode."""
    text = attempt.draft.text
    objected = [
        {"start": finding.start, "end": finding.end}
        for stage in attempt.judgement.stages
        if not isinstance(stage.decision, Allow)
        for finding in stage.decision.evidence.findings[:MAX_FINDINGS]
    ]
    return {"text": cut(text, MAX_DRAFT_CHARACTERS), "objected": objected}


def trial_view(trial: Trial, language: Language) -> Json:
    """Return what the chain says of a text of a person's own; the facts where a record was given."""
    claims = [
        {**_checked_view(checked, dict.fromkeys(Language, checked.says)), "run_id": ""}
        for stage in trial.judgement.stages
        for checked in _most_telling(stage.decision.evidence.claims)
    ]
    recorded = trial.facts.recorded
    return {
        **judgement_view(trial.judgement),
        "claims": claims,
        "line": record_line(trial.facts, language, claims_work=True) if recorded else "",
        "facts": facts_as_json(trial.facts) if recorded else None,
    }


def tool_view(run: ToolRun) -> Json:
    """Return a tool call: what was asked, how it ended, the end of its output."""
    return {
        "id": run.id,
        "tool": run.tool,
        "arguments": cut(run.arguments, MAX_ARGUMENT_CHARACTERS),
        "started_at": run.started_at.isoformat(),
        "ended_at": _optional_time(run.ended_at),
        "ok": run.ok,
        "exit_status": run.exit_status,
        "output": tail(run.output_tail or run.output_head, MAX_OUTPUT_CHARACTERS),
        "output_size": run.output_size,
        "files": list(run.files[:20]),
    }


def limits_view(max_message_characters: int, queue: QueueState) -> Mapping[str, object]:
    """Return what a message has to respect."""
    return {"max_message_characters": max_message_characters, "queue": queue.limit}


def _optional_time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()

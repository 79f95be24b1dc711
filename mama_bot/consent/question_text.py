"""What people read of a tool call that waits for them, and of its answer."""

import re
from collections.abc import Callable, Sequence

from mama_bot.consent import sentences as says
from mama_bot.consent.shown_calls import ShownCall
from mama_bot.model import Ask, CommandName, Platform, StoredQuestion, ToolQuestion, written_command
from mama_bot.wording import Language, Said, one_line, plain_name, printable, quotable

TICKS = re.compile("`{3,}")
SECONDS_OF_MINUTE = 60
MOST_RULES = 3
MOST_WHY = 200
MOST_REASON = 500
MOST_CHOICE = 60


def question_text(
    number: int, question: Ask, shown: ShownCall, name: str, *, language: Language, redact: Callable[[str], str]
) -> str:
    """Return what is asked: who wants to run what, and why somebody is asked."""
    why = redact(question.asked(language))
    # What a rule says to people is its author's; a message for the agent may hold words of the call.
    reason = printable(one_line(why), drop="@") if isinstance(question.question, Said) else quotable(why, MOST_REASON)
    sentence = says.AT_CHECKPOINT if question.checkpoint else says.QUESTION
    head = sentence.to(language, number=number, name=plain_name(name), reason=reason, checkpoint=question.checkpoint)
    where = says.WHERE.to(language, directory=shown.directory.replace("`", "'")) if shown.directory else ""
    block = "\n".join(_block(shown.kind, shown.text))
    return "\n\n".join(filter(None, (head, where, block)))


def _block(kind: str, text: str) -> Sequence[str]:
    """Return a fenced block that its text cannot leave."""
    fence = "`" * max(3, 1 + max((len(run) for run in TICKS.findall(text)), default=0))
    return (f"{fence}{kind}", text, fence)


def how_to_answer(number: int, question: Ask, platform: Platform, *, seconds: float, language: Language) -> str:
    """Return what stands below a question while it is open: how to answer, and how long there is time."""
    seconds = max(1, round(seconds))
    time = says.SECONDS.to(language, n=seconds)
    if seconds >= SECONDS_OF_MINUTE:
        time = says.MINUTES.to(language, n=round(seconds / SECONDS_OF_MINUTE, 1))
    sentence = says.HOW_AT_CHECKPOINT if question.checkpoint else says.HOW
    return sentence.to(
        language,
        time=time,
        number=number,
        approve=written_command(CommandName.APPROVE, platform),
        deny=written_command(CommandName.DENY, platform),
        rules=rules_text((question.rule, *question.also)),
    )


def outcome_text(stored: StoredQuestion, language: Language) -> str:
    """Return what became of a question: who answered what, and why; "" while it is open."""
    checkpoint = stored.question.checkpoint
    if stored.question.words:
        return _answered_text(stored, language)
    sentence = (says.CHECKPOINT_OUTCOMES if checkpoint else {}).get(stored.state) or says.OUTCOMES.get(stored.state)
    if sentence is None:
        return ""
    return sentence.to(
        language,
        number=stored.number,
        by=plain_name(stored.by),
        checkpoint=checkpoint,
        why=says.WHY.to(language, why=quotable(stored.why, MOST_WHY)) if stored.why else "",
        rules=rules_text(stored.question.rules),
        deny=written_command(CommandName.DENY, stored.question.key.platform),
    )


def asked_text(number: int, question: ToolQuestion, name: str) -> str:
    """Return what an agent asks a person: its words as a quotation, and the answers that it offers, by number."""
    head = says.ASKED.to(question.language, number=number, name=plain_name(name))
    words = "\n".join(f"> {printable(line, drop='@')}".rstrip() for line in question.words.splitlines())
    choices = "\n".join(f"{place}. {quotable(choice, MOST_CHOICE)}" for place, choice in enumerate(question.choices, 1))
    return "\n\n".join(filter(None, (head, words, choices)))


def how_to_reply(number: int, question: ToolQuestion, *, seconds: float) -> str:
    """Return what stands below the question of an agent while it is open."""
    sentence = says.HOW_TO_CHOOSE if question.choices else says.HOW_TO_REPLY
    command = written_command(CommandName.ANSWER, question.key.platform)
    time = says.MINUTES.to(question.language, n=round(seconds / SECONDS_OF_MINUTE, 1))
    return sentence.to(question.language, time=time, number=number, answer=command)


def _answered_text(stored: StoredQuestion, language: Language) -> str:
    sentence = says.REPLIES.get(stored.state)
    if sentence is None:
        return ""
    words = quotable(stored.why, MOST_WHY) if stored.why else ""
    return sentence.to(language, number=stored.number, by=plain_name(stored.by), words=words)


def rules_text(rules: Sequence[str]) -> str:
    """Return the names of rules for a line, the first few of many."""
    named = [f"`{rule}`" for rule in rules[:MOST_RULES]]
    return ", ".join([*named, *(["…"] if len(rules) > MOST_RULES else [])])

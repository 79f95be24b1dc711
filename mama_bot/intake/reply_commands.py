"""The commands about a reply: what stands behind it, and that its verdict was wrong."""

import re
from collections.abc import Callable, Sequence

from mama_bot.intake import report_sentences as reports_say
from mama_bot.intake import sentences as says
from mama_bot.intake.attempt_lines import attempt_lines
from mama_bot.intake.question_lines import QuestionLines
from mama_bot.intake.receipt_text import receipt_text
from mama_bot.model import (
    Answer,
    Attempt,
    ClaimReceipt,
    Cleared,
    Command,
    CommandName,
    Platform,
    PostId,
    Report,
    RuleBlock,
    SentBack,
    StoredTurn,
    TurnId,
    objections,
    written_command,
)
from mama_bot.protocols import ConversationHistory, Posted, Receipts, RuleReports, VerdictReports
from mama_bot.wording import Language, one_line

LATEST_MESSAGES = 20
_NUMBER = re.compile(r"#?([0-9]{1,9})")
_NUMBER_AND_NOTE = re.compile(r"#([0-9]{1,9})(?:\s+(.*))?", re.DOTALL)


class ReplyCommands:
    """Answers RECEIPT and REPORT: about the reply that they answer, the receipt of a number, or the latest reply."""

    def __init__(
        self,
        *,
        history: ConversationHistory,
        receipts: Receipts,
        reports: VerdictReports,
        posted: Posted,
        questions: QuestionLines,
        rule_reports: RuleReports,
        name_of: Callable[[str], str],
    ) -> None:
        self._history = history
        self._receipts = receipts
        self._reports = reports
        self._posted = posted
        self._questions = questions
        self._rule_reports = rule_reports
        self._name_of = name_of

    async def meant_post(self, command: Command) -> PostId | None:
        """Return the post that a command is about; None where it names none, or one that nobody knows."""
        if command.post_id is not None or not command.platform_id:
            return command.post_id
        return await self._posted.post_of(command.key, command.platform_id)

    async def receipt(self, command: Command, language: Language) -> Answer:
        """Show the claims of a reply, what they rest on, and the attempts at it with the checks that judged them."""
        post = None
        if command.argument.strip():
            number = _NUMBER.fullmatch(command.argument.strip())
            receipt = await self._receipts.numbered(command.key, int(number[1])) if number else None
            if receipt is None:
                given = one_line(command.argument, 40)
                return Answer(text=says.NO_SUCH_RECEIPT.to(language, given=given), done=False)
            return await self._shown(command, receipt, language)
        post = await self.meant_post(command)
        if post is not None:
            receipt = await self._receipts.of_post(command.key, post)
        elif command.platform_id:
            return Answer(text=says.UNKNOWN_POST.to(language), done=False)
        else:
            receipt = next(iter(await self._receipts.latest(command.key, 1)), None)
        if receipt is not None:
            return await self._shown(command, receipt, language)
        turn = await self._turn_of(command, post) if post is not None else None
        if turn is None or not turn.attempts:
            none = says.RECEIPT_NONE if post else says.RECEIPT_NONE_YET
            return Answer(text=none.to(language), done=False)
        return Answer(text="\n".join([says.RECEIPT_NONE.to(language), *await self._lines(turn, language)]))

    async def _shown(self, command: Command, receipt: ClaimReceipt, language: Language) -> Answer:
        turn = await self._history.turn(command.key, receipt.turn_id)
        lines = await self._lines(turn, language) if turn is not None else ()
        return Answer(text=receipt_text(receipt, self._name_of(receipt.persona), language, further=lines))

    async def _lines(self, turn: StoredTurn, language: Language) -> Sequence[str]:
        """Return what people answered about its calls, and what became of the attempts at it."""
        return (*await self._questions.answered(turn, language), *attempt_lines(turn, language))

    async def _turn_of(self, command: Command, post_id: PostId) -> StoredTurn | None:
        post = await self._history.posted(command.key, post_id)
        return None if post is None or post.turn_id is None else await self._history.turn(command.key, post.turn_id)

    async def report(self, command: Command, language: Language) -> Answer:
        """Store that a verdict was wrong; the reply may stand by the number of its receipt before the note: `#12 …`.

        `missed` before the note says that the reply is wrong as it was posted; without it the draft is meant that was
        sent back before it, where there is one.
        """
        post = await self.meant_post(command)
        if post is not None:
            missed, note = _missed(command.argument)
            report = await self._reports.report_post(
                command.key, post, reporter=command.author, note=note, missed=missed
            )
            return Answer(text=_told(report, command.key.platform, language))
        if command.platform_id:
            return Answer(text=says.UNKNOWN_POST.to(language), done=False)
        numbered = _NUMBER_AND_NOTE.fullmatch(command.argument.strip())
        if numbered is not None:
            receipt = await self._receipts.numbered(command.key, int(numbered[1]))
            turn = None if receipt is None else await self._history.turn(command.key, receipt.turn_id)
            if turn is None:
                return Answer(text=says.NO_SUCH_RECEIPT.to(language, given=f"#{numbered[1]}"), done=False)
            return await self._reported(command, [turn], numbered[2] or "", language)
        view = await self._history.view(command.key, LATEST_MESSAGES)
        turns = sorted(view.turns, key=lambda stored: stored.ended_at or stored.created_at, reverse=True)
        block = None if _missed(command.argument)[0] else self._meant_block(command, turns)
        if block is not None:
            return await self._reported_block(command, block, language)
        judged = [stored for stored in turns if stored.attempts]
        latest = [stored for stored in judged if stored.turn.message_id == judged[0].turn.message_id]
        return await self._reported(command, latest, command.argument, language)

    def _meant_block(self, command: Command, turns: Sequence[StoredTurn]) -> RuleBlock | None:
        """Return the call that is meant to have been stopped wrongly: of the rule that is named, else a later one.

        Later than the last turn with an objection of a check, which is meant where both are there.
        """
        blocks = self._rule_reports.blocks(command.key)
        name = next(iter(command.argument.split()), "")
        if named := next((block for block in blocks if block.rule == name), None):
            return named
        objected = next(
            (stored for stored in turns if any(objections(each.judgement) for each in stored.attempts)), None
        )
        latest = next(iter(blocks), None)
        if latest is None or (objected is not None and (objected.ended_at or latest.at) >= latest.at):
            return None
        return latest

    async def _reported_block(self, command: Command, block: RuleBlock, language: Language) -> Answer:
        if block.reported:
            return Answer(text=reports_say.BLOCK_REPORTED_BEFORE.to(language, rule=f"`{block.rule}`"), done=False)
        first, _, rest = command.argument.strip().partition(" ")
        note = rest.strip() if first == block.rule else command.argument.strip()
        await self._rule_reports.report_block(command.key, block, note=note)
        sentence = reports_say.BLOCK_REPORTED_WITH_NOTE if note else reports_say.BLOCK_REPORTED
        return Answer(text=sentence.to(language, rule=f"`{block.rule}`"))

    async def _reported(
        self, command: Command, turns: Sequence[StoredTurn], argument: str, language: Language
    ) -> Answer:
        """Report the last attempt of these turns, in their order, that was objected to; where none was, that passed."""
        missed, note = _missed(argument)
        place = None if missed else _last_attempt(turns, lambda attempt: bool(objections(attempt.judgement)))
        place = place or _last_attempt(turns, lambda attempt: isinstance(attempt.judgement.outcome, Cleared))
        if place is None:
            return Answer(text=reports_say.NOTHING_TO_REPORT.to(language), done=False)
        report = await self._reports.report_attempt(
            command.key, *place, reporter=command.author, note=note, missed=missed
        )
        return Answer(text=_told(report, command.key.platform, language))


def _last_attempt(turns: Sequence[StoredTurn], meant: Callable[[Attempt], bool]) -> tuple[TurnId, int] | None:
    attempts = (
        (stored.turn.id, attempt.draft.attempt)
        for stored in turns
        for attempt in reversed(stored.attempts)
        if meant(attempt)
    )
    return next(attempts, None)


def _missed(argument: str) -> tuple[bool, str]:
    """Return whether the argument of a report begins by saying that something was missed, and the note."""
    first, _, rest = argument.strip().partition(" ")
    if first.casefold().rstrip(":") in reports_say.MISSED:
        return True, rest.strip()
    return False, argument.strip()


def _told(report: Report, platform: Platform, language: Language) -> str:
    if report.further_notes:
        return reports_say.NOTE_ADDED.to(language, number=report.number)
    note = reports_say.WITH_NOTE if report.note else ""
    if report.missed:
        return reports_say.REPORTED_MISS.to(language, number=report.number, note=note)
    if isinstance(report.outcome, SentBack):
        told = reports_say.REPORTED_DRAFT.to(language, number=report.number, n=report.attempt + 1, note=note)
        typed = written_command(CommandName.REPORT, platform)
        return f"{told} {reports_say.PASSED_AFTER.to(language, command=typed)}"
    return reports_say.REPORTED.to(language, number=report.number, note=note)

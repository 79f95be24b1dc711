"""Rules that fail again and again are left out for a while; what each rule did is counted on the same way."""

import asyncio
import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from mama_bot.errors import StoreUnavailable
from mama_bot.metrics import Metrics
from mama_bot.model import MOST_FAILURE_CHARACTERS, Amend, Ask, Block, ConversationKey, Phase, RuleBlock, RuleRecord
from mama_bot.protocols import RuleRecords
from mama_bot.recent import Recent
from mama_bot.rules.rule import Rule, WhenBroken
from mama_bot.rules.rule_engine import RuleMatch, Ruling
from mama_bot.rules.sentences import ASKED_ABOUT, HELD_UP, RULE_CLOSED, RULE_OPENED, RUNS
from mama_bot.wording import Said

MOST_SESSIONS = 500
MOST_BLOCKS = 20  # of a conversation that can be reported

log = structlog.get_logger(__name__)


def wording_digest(rule: Rule) -> str:
    """Return what differs between two wordings of a rule, so that one that was mended is not held to be broken."""
    changes = sorted((name, change.expression) for name, change in rule.changes.items())
    parts = (
        rule.phase.value,
        rule.matcher.text,
        rule.condition.expression,
        rule.verb.value,
        rule.strictness.value,
        rule.band.value,
        rule.when_broken.value,
        changes,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


class RuleBreakers:
    """Opens a rule that failed `failures` times in a row, and asks it again once `cooldown` is over.

    One for all sessions of a service. `alarm` tells the owners, with an id that is the same for the same occasion.
    Where the store fails, what is known in this life holds.
    """

    def __init__(
        self,
        *,
        rules: Sequence[Rule],
        records: RuleRecords,
        failures: int,
        cooldown: timedelta,
        now: Callable[[], datetime],
        metrics: Metrics,
        alarm: Callable[[str, Said], None],
    ) -> None:
        self._records = records
        self._most = failures
        self._cooldown = cooldown
        self._now = now
        self._metrics = metrics
        self._alarm = alarm
        self._rules: Mapping[str, Rule] = {rule.name: rule for rule in rules if rule.enabled}
        self._known = {name: RuleRecord(rule=name, digest=wording_digest(rule)) for name, rule in self._rules.items()}
        self._warned: Recent[str, frozenset[str]] = Recent(MOST_SESSIONS)
        self._blocks: Recent[ConversationKey, tuple[RuleBlock, ...]] = Recent(MOST_SESSIONS)
        self._unsaved: set[str] = set()
        self._troubled: set[str] = set()  # those that failed when they were asked last
        self._is_loaded = False
        self._loads = asyncio.Lock()

    def go_by(self, rules: Sequence[Rule], *, failures: int, cooldown: timedelta) -> None:
        """Count for these rules from now on; what is kept of a rule in the same wording goes on."""
        self._most, self._cooldown = failures, cooldown
        self._rules = {rule.name: rule for rule in rules if rule.enabled}
        fresh = {name: RuleRecord(rule=name, digest=wording_digest(rule)) for name, rule in self._rules.items()}
        before = self._known
        self._known = {
            name: before[name] if name in before and before[name].digest == record.digest else record
            for name, record in fresh.items()
        }
        kept = {name for name, record in self._known.items() if before.get(name) is record}
        self._unsaved &= kept
        self._troubled &= kept
        self._is_loaded = kept == self._known.keys() and self._is_loaded

    async def opened(self) -> frozenset[str]:
        """Return the rules that are left out now; one whose cooldown is over is asked again, and is none of them.

        It is over as well where the clock was set back to before it began.
        """
        await self._load()
        now = self._now()
        return frozenset(
            name
            for name in self._troubled
            if (at := self._known[name].opened_at) is not None and at <= now < at + self._cooldown
        )

    def blocks(self, key: ConversationKey) -> Sequence[RuleBlock]:
        """See RuleReports.blocks."""
        return tuple(reversed(self._blocks.get(key, ())))

    async def report_block(self, key: ConversationKey, block: RuleBlock, *, note: str) -> None:
        """See RuleReports.report_block."""
        await self._load()
        known = self._blocks.get(key, ())
        if block not in known or block.reported:
            return
        self._blocks[key] = tuple(replace(each, reported=True) if each == block else each for each in known)
        record = self._known.get(block.rule)
        if record is None:  # the rule went with a reload: nobody has to mend it
            return
        complaint = note.strip()[:MOST_FAILURE_CHARACTERS] or record.complaint
        self._put(replace(record, reported=record.reported + 1, complaint=complaint))
        log.info("rule_reported", rule=block.rule, conversation=str(key))
        self._metrics.count("rules_reported", rule=block.rule)
        await self._save()

    async def note(self, ruling: Ruling, session: str, key: ConversationKey | None = None) -> None:
        """Count what rules decided, open those that failed too often, and close those that work again."""
        # A rule may have gone with a reload while this was decided.
        matches = [match for match in ruling.matches if match.rule.name in self._known]
        speaks = any(match.failure or match.decision.kind != "allow" for match in matches)
        failed = {match.rule.name: match.failure for match in matches if match.failure}
        for match in matches:
            if not match.opened and not match.failure:
                self._put(_counted(self._known[match.rule.name], match))
        if key is not None:
            now = self._now()
            stopped = (
                RuleBlock(rule=match.rule.name, at=now, session=session, phase=match.rule.phase)
                for match in ruling.matches
                if _stops(match)
            )
            self._blocks[key] = (*self._blocks.get(key, ()), *stopped)[-MOST_BLOCKS:]
        for name, failure in failed.items():
            self._fails(name, failure)
        closed = self._close(ruling, failed)
        heard = self._hear(ruling, session)
        if speaks or closed or heard:
            await self._save()

    def _put(self, record: RuleRecord) -> None:
        self._keep(record)
        self._unsaved.add(record.rule)

    def _keep(self, record: RuleRecord) -> None:
        self._known[record.rule] = record
        if record.failures_in_row:
            self._troubled.add(record.rule)
        else:
            self._troubled.discard(record.rule)

    def _fails(self, name: str, failure: str) -> None:
        before = self._known[name]
        record = replace(
            before,
            failures=before.failures + 1,
            failures_in_row=before.failures_in_row + 1,
            failure=failure[:MOST_FAILURE_CHARACTERS],
        )
        if before.opened_at is not None:  # asked again, and it fails still: nobody is told a second time
            record = replace(record, opened_at=self._now())
        elif record.failures_in_row >= self._most:
            record = replace(record, opened_at=self._now(), openings=before.openings + 1)
            log.error("rule_opened", rule=name, failures=record.failures_in_row, failure=record.failure)
            self._metrics.count("rules_opened", rule=name)
            holds = _what_holds(self._rules[name])
            sentence = RULE_OPENED.of(
                rule=name, count=record.failures_in_row, holds=holds, failure=record.failure[:200]
            )
            self._alarm(_occasion(record, "opened"), sentence)
        self._put(record)

    def _close(self, ruling: Ruling, failed: Collection[str]) -> bool:
        """Note which rules that failed before did not fail now."""
        mended = _among(ruling, self._troubled - set(failed))
        for name in mended:
            before = self._known[name]
            self._put(replace(before, failures_in_row=0, opened_at=None))
            if before.opened_at is not None:
                log.warning("rule_closed", rule=name)
                self._metrics.count("rules_closed", rule=name)
                self._alarm(_occasion(before, "closed"), RULE_CLOSED.of(rule=name))
        return bool(mended)

    def _hear(self, ruling: Ruling, session: str) -> bool:
        """Note what came of warnings: the rule is asked about another call, and matches it again or does not."""
        if not session:
            return False
        warned = self._warned.get(session, frozenset())
        again = _among(ruling, warned & self._known.keys())
        matched = {match.rule.name for match in ruling.matches}
        for name in again:
            record, heeded = self._known[name], name not in matched
            self._put(replace(record, heeded=record.heeded + heeded, unheeded=record.unheeded + (not heeded)))
        new = {match.rule.name for match in ruling.matches if _warns(match)}
        if again or new:
            self._warned[session] = (warned - again) | new
        return bool(again)

    async def _load(self) -> None:
        async with self._loads:
            if self._is_loaded:
                return
            try:
                kept = await self._records.load()
            except StoreUnavailable as error:
                log.warning("rule_records_not_read", reason=str(error))
                return
            for record in kept:
                known = self._known.get(record.rule)
                if known is not None and known.digest == record.digest and record.rule not in self._unsaved:
                    self._keep(record)
            self._is_loaded = True

    async def _save(self) -> None:
        records = [self._known[name] for name in self._unsaved]
        self._unsaved.clear()
        try:
            await self._records.save(records)
        except StoreUnavailable as error:  # figures are an addition: they are kept with the next ones
            log.warning("rule_records_not_kept", reason=str(error))
            self._unsaved.update(record.rule for record in records)


def _counted(record: RuleRecord, match: RuleMatch) -> RuleRecord:
    return replace(
        record,
        matches=record.matches + 1,
        blocks=record.blocks + isinstance(match.decision, Block),
        questions=record.questions + isinstance(match.decision, Ask),
        warnings=record.warnings + _warns(match),
    )


def _stops(match: RuleMatch) -> bool:
    return isinstance(match.decision, Block) and not match.opened and not match.failure


def _warns(match: RuleMatch) -> bool:
    """Return whether a rule told something about a call that runs, with the call as it was."""
    amends = isinstance(match.decision, Amend) and not match.decision.arguments
    return amends and not match.opened and match.rule.phase is Phase.TOOL


def _among(ruling: Ruling, names: Collection[str]) -> set[str]:
    """Return which of some rules were asked."""
    if not names:
        return set()
    return {rule.name for rules in ruling.evaluated for rule in rules if rule.name in names}


def _what_holds(rule: Rule) -> Said:
    if rule.when_broken is WhenBroken.ALLOW:
        return RUNS
    return ASKED_ABOUT if rule.phase is Phase.TOOL else HELD_UP


def _occasion(record: RuleRecord, event: str) -> str:
    return f"rule-{record.rule}-{record.digest}-{event}-{record.openings}"

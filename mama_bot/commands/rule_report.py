"""`mama-bot rules report`: what each rule did over all sessions, and which are left out for their failures."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from mama_bot.app.configuration import Configuration
from mama_bot.commands.kept_store import opened
from mama_bot.commands.sentences import DID_NOTHING_YET, OPENED_AT, REPORTED_WRONG
from mama_bot.model import RuleRecord
from mama_bot.rules.breakers import wording_digest
from mama_bot.rules.rule import Rule
from mama_bot.wording import Language, one_line

SHOWN_CHARACTERS = 200
COLUMNS = ("matches", "blocks", "questions", "warnings", "heeded", "unheeded", "reported", "failures")


async def rule_report(configuration: Configuration, language: Language, *, as_json: bool) -> Iterator[str]:
    """Yield what is kept of the rules that there are, as lines; raises StoreUnavailable."""
    async with opened(configuration) as store:
        records = () if store is None else await store.rule_records.load()
    return reported(configuration.rules, records, language, as_json=as_json)


def reported(
    rules: Sequence[Rule], records: Sequence[RuleRecord], language: Language, *, as_json: bool
) -> Iterator[str]:
    """Yield the figures of rules in their wording of today, those that spoke most first."""
    today = {(rule.name, wording_digest(rule)) for rule in rules if rule.enabled}
    kept = [record for record in records if (record.rule, record.digest) in today]
    kept.sort(key=lambda record: (-record.matches, record.rule))
    if as_json:
        yield json.dumps([asdict(record) for record in kept], ensure_ascii=False, default=str)
        return
    width = max([len(record.rule) for record in kept] + [4])
    if kept:
        yield "  ".join((f"{'rule':<{width}}", *COLUMNS))
    for record in kept:
        figures = (f"{getattr(record, name):>{len(name)}}" for name in COLUMNS)
        yield "  ".join((f"{record.rule:<{width}}", *figures))
        if record.complaint:
            yield f"    {REPORTED_WRONG.to(language, note=one_line(record.complaint, SHOWN_CHARACTERS))}"
        if record.opened_at is not None:
            since = record.opened_at.astimezone().strftime("%Y-%m-%d %H:%M")
            yield f"    {OPENED_AT.to(language, since=since, failure=record.failure)}"
    yield DID_NOTHING_YET.to(language, count=len(today) - len(kept), rules=len(today))

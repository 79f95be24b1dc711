"""Rules that fail again and again: left out, said to agents and owners, asked again, and never quietly allowed."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mama_bot.config import OWNERS, RunCommands
from mama_bot.metrics import Metrics
from mama_bot.model import Allow, Amend, Ask, Block, ConversationKey, Decision, Platform
from mama_bot.rules.breakers import RuleBreakers
from mama_bot.rules.rule import Rule
from mama_bot.rules.rule_engine import RuleEngine
from mama_bot.rules.rule_guard import RuleGuard
from mama_bot.runs import RunReader
from mama_bot.wording import Language, Said
from tests.rules.making import Records, rules_of
from tests.rules.test_rule_guard import States, call, turn

# It fails where the command begins with "odd", and matches where it is "bad".
FAILS = "(command.text.startsWith('odd') && arguments.nothing == 1) || command.text == 'bad'"
OPEN = (
    f'name: gentle\nabout: Nothing bad is run.\nmatch: Bash\nwhen: "{FAILS}"\ndecision: block\ntier: soft\nmessage: No.'
)
CLOSED = OPEN.replace("gentle", "strict").replace("soft", "hard")


class House:
    """A guard whose time passes when a test says so."""

    def __init__(self, rules: Sequence[Rule], workspace: Path, records: Records) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.told: list[tuple[str, str]] = []
        self.workspace = workspace
        self.records = records
        self.breakers = RuleBreakers(
            rules=rules,
            records=records,
            failures=3,
            cooldown=timedelta(seconds=60),
            now=lambda: self.now,
            metrics=Metrics(),
            alarm=self.tell,
        )
        self.guard = RuleGuard(
            engine=RuleEngine(rules),
            states=States(),
            reader=lambda place: RunReader(commands=RunCommands(), workspace=place),
            protected_branches=(),
            now=lambda: self.now,
            metrics=Metrics(),
            breakers=self.breakers,
        )

    def tell(self, occasion: str, said: Said) -> None:
        self.told.append((occasion, said.to(Language.ENGLISH)))
        assert said.to(Language.KOREAN)

    async def runs(self, command: str, session: str = "one") -> Decision:
        return await self.guard.decide(call("Bash", command=command), turn(self.workspace, session))


async def test_a_rule_that_lets_run_what_it_cannot_tell_is_left_out_and_its_sentence_told_once(tmp_path: Path) -> None:
    house = House(rules_of(tmp_path, OPEN), tmp_path, Records())
    assert [type(await house.runs("odd")) for _ in range(3)] == [Allow, Allow, Allow]
    first, second, other = await house.runs("bad"), await house.runs("bad"), await house.runs("bad", "two")
    assert isinstance(first, Amend)
    assert "gentle cannot be checked at present; keep to it yourself: Nothing bad is run." in first.reminder
    assert (type(second), type(other)) == (Allow, Amend)
    assert [occasion.split("-")[-2] for occasion, _ in house.told] == ["opened"]
    assert "failed 3 times in a row" in house.told[0][1]


async def test_a_clock_that_is_set_back_leaves_no_rule_out_for_longer(tmp_path: Path) -> None:
    house = House(rules_of(tmp_path, OPEN), tmp_path, Records())
    for _ in range(3):
        await house.runs("odd")
    assert await house.breakers.opened()
    house.now -= timedelta(hours=1)
    assert not await house.breakers.opened()


async def test_a_rule_that_holds_up_what_it_cannot_tell_never_allows_it_when_it_is_left_out(tmp_path: Path) -> None:
    house = House(rules_of(tmp_path, CLOSED), tmp_path, Records())
    assert [type(await house.runs("odd")) for _ in range(3)] == [Block, Block, Block]
    for command in ("odd", "bad", "ls"):
        decision = await house.runs(command)
        assert isinstance(decision, Ask)
        assert decision.approvers == (OWNERS,)
        assert decision.rule != "strict"  # what is approved for always here is not approved for the rule at work
    read = await house.guard.decide(call("Read", file_path="a"), turn(tmp_path))
    assert isinstance(read, Allow)


async def test_another_rule_that_blocks_stands_above_the_question(tmp_path: Path) -> None:
    wall = "name: wall\nmatch: Bash\nwhen: command.text == 'bad'\nband: P50\ndecision: block\nmessage: No."
    house = House(rules_of(tmp_path, CLOSED, wall), tmp_path, Records())
    for _ in range(3):
        await house.runs("odd")
    assert (await house.runs("bad")).rule == "wall"


async def test_it_is_asked_again_after_a_while_and_closed_when_it_works(tmp_path: Path) -> None:
    house = House(rules_of(tmp_path, CLOSED), tmp_path, Records())
    for _ in range(3):
        await house.runs("odd")
    house.now += timedelta(seconds=61)
    assert isinstance(await house.runs("odd"), Block)  # asked again, and it fails: as it says itself
    assert isinstance(await house.runs("ls"), Ask)
    house.now += timedelta(seconds=61)
    assert isinstance(await house.runs("ls"), Allow)
    assert (await house.runs("bad")).rule == "strict"
    assert [occasion.split("-")[-2] for occasion, _ in house.told] == ["opened", "closed"]


async def test_a_block_is_reported_as_wrong_once_and_kept_with_its_note(tmp_path: Path) -> None:
    records, key = Records(), ConversationKey(platform=Platform("web"), channel="c1")
    wall = "name: wall\nmatch: Bash\nwhen: command.text == 'bad'\ndecision: block\nmessage: No."
    house = House(rules_of(tmp_path, wall), tmp_path, records)
    for _ in range(2):
        await house.guard.decide(call("Bash", command="bad"), replace(turn(tmp_path, "one"), key=key))
    block = house.breakers.blocks(key)[0]
    assert (block.rule, block.reported) == ("wall", False)
    for note in ("it was mine", "and again"):
        await house.breakers.report_block(key, block, note=note)
    (kept,) = await records.load()
    assert (kept.blocks, kept.reported, kept.complaint) == (2, 1, "it was mine")
    assert house.breakers.blocks(replace(key, channel="c2")) == ()
    house.breakers.go_by((), failures=3, cooldown=timedelta(seconds=60))
    await house.breakers.report_block(key, house.breakers.blocks(key)[1], note="gone with a reload")
    assert [each.reported for each in house.breakers.blocks(key)] == [True, True]


async def test_failures_that_are_not_in_a_row_open_nothing(tmp_path: Path) -> None:
    house = House(rules_of(tmp_path, CLOSED), tmp_path, Records())
    for _ in range(4):
        assert isinstance(await house.runs("odd"), Block)
        assert isinstance(await house.runs("odd"), Block)
        assert isinstance(await house.runs("ls"), Allow)
    assert house.told == []


async def test_another_life_knows_it_and_a_rule_that_was_written_anew_begins_anew(tmp_path: Path) -> None:
    records, rules = Records(), rules_of(tmp_path, CLOSED)
    house = House(rules, tmp_path, records)
    for _ in range(3):
        await house.runs("odd")
    assert isinstance(await House(rules, tmp_path, records).runs("ls"), Ask)
    mended = rules_of(tmp_path, CLOSED.replace("arguments.nothing == 1", "false"))
    assert isinstance(await House(mended, tmp_path, records).runs("ls"), Allow)


async def test_other_rules_hold_from_the_next_call_on_and_what_was_counted_of_the_same_wording_goes_on(
    tmp_path: Path,
) -> None:
    house = House(rules_of(tmp_path, CLOSED), tmp_path, Records())
    for _ in range(2):
        await house.runs("odd")

    def go_by(*texts: str) -> None:
        rules = rules_of(tmp_path, *texts)
        house.breakers.go_by(rules, failures=3, cooldown=timedelta(seconds=60))
        house.guard.go_by(RuleEngine(rules), protected_branches=(), workflows={}, workflow="")

    wall = "name: wall\nmatch: Bash\nwhen: command.text == 'ls'\ndecision: block\nmessage: No."
    go_by(CLOSED, wall)
    assert (await house.runs("ls", "two")).rule == "wall"
    go_by(wall)
    assert isinstance(await house.runs("bad"), Allow)
    go_by(CLOSED)
    assert isinstance(await house.runs("ls"), Allow)
    for _ in range(3):
        await house.runs("odd")
    assert [occasion.split("-")[-2] for occasion, _ in house.told] == ["opened"]


async def test_a_change_that_cannot_be_made_is_a_failure_of_its_rule(tmp_path: Path) -> None:
    changes = "name: changes\nmatch: Bash\ndecision: modify\nset: {command: string(arguments.nothing)}\nmessage: x"
    house = House(rules_of(tmp_path, changes), tmp_path, Records())
    for _ in range(3):
        await house.runs("ls")
    assert len(house.told) == 1


async def test_what_rules_did_is_counted_and_whether_warnings_were_heeded(tmp_path: Path) -> None:
    records = Records()
    house = House(rules_of(tmp_path, OPEN, CLOSED.replace("'bad'", "'worse'")), tmp_path, records)
    for command in ("bad", "bad", "ls", "ls", "worse", "bad"):
        await house.runs(command)
    await house.runs("ls", "two")  # another session's call says nothing about the warning of this one
    gentle, strict = (records.kept[key] for key in sorted(records.kept))
    assert (gentle.matches, gentle.warnings, gentle.heeded, gentle.unheeded) == (3, 3, 1, 1)
    assert (strict.matches, strict.blocks, strict.failures) == (1, 1, 0)

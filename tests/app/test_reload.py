"""What a running service takes up of changed settings, what it names as waiting, and when it looks."""

import asyncio
from pathlib import Path

import pytest
import yaml

from mama_bot.app.configuration import Configuration, read_configuration
from mama_bot.app.page_key import with_page_key
from mama_bot.app.reload import Reload, effective_configuration
from mama_bot.app.system_clock import SystemClock
from mama_bot.errors import ConfigurationError
from mama_bot.metrics import Metrics
from mama_bot.wording import Language, Said
from tests.end_to_end.team import write_configuration
from tests.waiting import until

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


def read(file: Path) -> Configuration:
    return read_configuration(file, environment=ENVIRONMENT)


def test_what_waits_for_a_restart_is_named_by_its_key_and_stays_as_it_was(tmp_path: Path) -> None:
    before = read(write_configuration(tmp_path, claude={"model": "first"}))
    after = read(
        write_configuration(
            tmp_path,
            claude={"model": "second"},
            pool={"size": 3},
            turns={"drain_seconds": 7, "hop_budget": 2},
            enforcement={"breaker_rejections": 9},
            rules={"protected_branches": ["trunk"], "approval_seconds": 5},
            slack={"access": {"people": ["U1"]}, "seen": False},
        )
    )
    effective, waiting = effective_configuration(before, after)
    assert waiting == ("claude.model", "pool.size", "rules.approval_seconds", "slack.seen", "turns.drain_seconds")
    settings = effective.settings
    assert (settings.claude.model, settings.turns.hop_budget) == ("first", 2)
    assert (settings.enforcement.breaker_rejections, settings.rules.protected_branches) == (9, ("trunk",))
    assert (settings.slack.access.people, settings.slack.seen) == (("U1",), True)
    assert effective_configuration(before, before)[1] == ()


def test_a_file_of_ones_own_that_came_since_the_start_is_read_on_top_as_the_next_start_would(tmp_path: Path) -> None:
    file = write_configuration(tmp_path)
    assert file.name == "config.yaml"
    before = read(file)
    (tmp_path / "config.local.yaml").write_text("pool: {size: 3}\nturns: {hop_budget: 2}\n", encoding="utf-8")
    assert before.reread is not None
    effective, waiting = effective_configuration(before, before.reread())
    assert waiting == ("pool.size",)
    assert effective.settings.turns.hop_budget == 2
    beside = read(file)  # whoever names the shared file although there is one of their own means that alone
    assert beside.reread is not None
    assert effective_configuration(beside, beside.reread())[1] == ()


def test_a_persona_that_needs_what_the_service_did_not_start_with_is_refused(tmp_path: Path) -> None:
    before = read(write_configuration(tmp_path))
    (tmp_path / "app" / ".git").mkdir(parents=True)
    changed = write_configuration(
        tmp_path, personas={"lead": "workspace: app"}, repositories={"app": {"source": str(tmp_path / "app")}}
    )
    with pytest.raises(ConfigurationError, match="workspace: app"):
        effective_configuration(before, read(changed))


async def test_a_changed_file_is_taken_up_once_and_one_that_is_written_in_parts_when_it_is_whole(
    tmp_path: Path,
) -> None:
    file, taken, told = write_configuration(tmp_path), list[int](), list[str]()

    async def take(configuration: Configuration) -> None:
        taken.append(configuration.settings.turns.hop_budget)

    def tell(occasion: str, sentence: Said) -> None:
        told.append(sentence.to(Language.KOREAN))

    reload = Reload(
        configuration=with_page_key(read(file)),
        take=take,
        tell=tell,
        clock=SystemClock(),
        metrics=Metrics(),
        look_seconds=0.05,
    )
    content = yaml.safe_load(file.read_text())
    async with asyncio.TaskGroup() as group:
        running = group.create_task(reload.run(asyncio.Event()))
        await asyncio.sleep(0)
        (tmp_path / "personas" / "notes.txt").write_text("no persona")
        content["turns"] = {"hop_budget": 5}
        file.write_text(yaml.safe_dump(content))
        await until(lambda: taken[-1:] == [5])
        content["turns"] = {"hop_budget": "many"}
        file.write_text(yaml.safe_dump(content))
        while not await reload.sign():
            await asyncio.sleep(0.01)
        content["turns"] = {"hop_budget": 6, "concurrency": 2}
        file.write_text(yaml.safe_dump(content))
        await until(lambda: taken[-1:] == [6])
        assert not await reload.sign()
        await until(lambda: told[-1:] and "turns.concurrency" in told[-1])
        running.cancel()
    assert not any("web.key" in line for line in told)


async def test_a_source_that_is_no_path_and_a_part_that_breaks_are_refusals_and_end_nothing(tmp_path: Path) -> None:
    file = write_configuration(tmp_path)

    async def take(configuration: Configuration) -> None:
        raise RuntimeError("broken part")

    shown = list[bool]()
    reload = Reload(
        show=lambda: shown.append(bool(reload.troubles())),
        configuration=with_page_key(read(file)),
        take=take,
        tell=lambda occasion, sentence: None,
        clock=SystemClock(),
        metrics=Metrics(),
        look_seconds=0,
    )
    broken = await reload.now()
    assert not broken.taken
    assert "broken part" in broken.sentence.to(Language.ENGLISH)
    write_configuration(tmp_path, repositories={"app": {"source": "/" + "a" * 300}})
    refused = await reload.now()
    assert not refused.taken
    assert "repositories.app.source" in refused.sentence.to(Language.KOREAN)
    assert await reload.sign()
    assert shown == [True, True]

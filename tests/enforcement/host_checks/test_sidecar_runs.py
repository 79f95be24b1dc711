"""How the service runs a check: clean, bounded, and without a trace."""

import asyncio
import hashlib
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.enforcement.host_checks import MARK_VARIABLE, CheckEnding, CheckNotRun
from tests.enforcement.host_checks.shop import CODE, Place, check, place, shop
from tests.enforcement.scope.test_scope_guard import git, write
from tests.waiting import SECONDS, until

__all__ = ["place", "shop"]


async def test_a_check_sees_a_clean_environment_and_no_input(
    shop: Path, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-not-to-be-seen")
    shown = check("sh", "-c", "env; cat; exit 1", environment={"CI": "1", "HOME": "/nowhere"})
    output = (await place.run(shop, shown)).output
    names = {line.split("=", 1)[0] for line in output.splitlines()} - {"PWD", "SHLVL", "_", "OLDPWD"}
    marks = {"MAMA_BOT_CHECK_MARK", "MAMA_BOT_CHECK_RUN"}
    assert names == {"PATH", "HOME", "LANG", "TMPDIR", "CI", "GIT_CEILING_DIRECTORIES"} | marks
    assert "HOME=/nowhere" in output.splitlines()


async def test_a_check_in_which_git_is_asked_finds_no_repository_above(shop: Path) -> None:
    git(shop.parent, "init", "-q")
    place = Place(shop.parent)
    assert (await place.run(shop, check("git", "rev-parse", "--show-toplevel"))).exit_status == 128


async def test_when_the_time_is_up_the_whole_tree_of_processes_ends(shop: Path, place: Place) -> None:
    script = "sleep 300 & setsid sleep 300 & (trap '' TERM; sleep 300) & echo begun; wait"
    late = await place.run(shop, check("sh", "-c", script, timeout_seconds=2))  # long enough to begin anywhere
    assert (late.ended, late.exit_status) == (CheckEnding.LATE, None)
    assert late.output == "begun\n"
    assert place.left == []
    again = await place.run(shop, check("sh", "-c", script, timeout_seconds=0.5))
    assert not again.cached


async def test_what_a_check_leaves_running_ends_with_it(shop: Path, place: Place) -> None:
    assert (
        await place.run(shop, check("sh", "-c", "sleep 300 & setsid sleep 300 & exit 0"))
    ).ended is CheckEnding.PASSED
    assert place.left == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only what carries the mark is found")
@pytest.mark.parametrize("ends", ["exit 0", "sleep 300"])
async def test_what_hides_from_its_mark_and_its_group_ends_too(
    shop: Path, place: Place, tmp_path: Path, ends: str
) -> None:
    noted = tmp_path / "pid"
    hidden = f"(env -i setsid sh -c 'echo $$ > {noted}.new; mv {noted}.new {noted}; exec sleep 300' &)"
    script = f"{hidden}; while ! test -e {noted}; do :; done; {ends}"
    result = await place.run(shop, check("sh", "-c", script, timeout_seconds=20 if ends == "exit 0" else 3))
    assert result.ended is (CheckEnding.PASSED if ends == "exit 0" else CheckEnding.LATE)
    assert not Path(f"/proc/{int(noted.read_text())}").exists()


async def test_cancelling_leaves_no_process_and_no_directory(shop: Path, place: Place) -> None:
    script = "mkdir closed; touch closed/file; chmod 0 closed; setsid sleep 300 & echo > begun; sleep 300"
    async with asyncio.TaskGroup() as group:
        running = group.create_task(place.run(shop, check("sh", "-c", script)))
        await until(lambda: any(place.directory.glob("*/tree/begun")))
        assert place.left
        running.cancel()
    assert place.left == []


async def test_what_a_killed_service_left_is_swept_at_the_start(shop: Path, place: Place) -> None:
    left = place.directory / "left"
    (left / "tree" / "closed").mkdir(parents=True)
    (left / "tree" / "closed").chmod(0)
    stray = await asyncio.create_subprocess_exec(
        "sleep", "300", env={"PATH": os.environ["PATH"], MARK_VARIABLE: place.mark}
    )
    await place.sweep()
    assert place.left == []
    async with asyncio.timeout(SECONDS):
        assert await stray.wait() != 0
    await place.sweep()


async def test_fifty_megabytes_of_output_are_kept_as_their_ends(shop: Path, place: Place) -> None:
    script = "import sys; [sys.stdout.buffer.write(b'x' * 2**20) for _ in range(50)]; print('\\nthe end'); sys.exit(1)"
    result = await place.run(shop, check(sys.executable, "-c", script))
    assert len(result.output) <= 4_000
    assert result.output.endswith("the end\n")
    assert result.output_sha256 == hashlib.sha256(b"x" * 50 * 2**20 + b"\nthe end\n").hexdigest()


async def test_secrets_in_an_output_are_not_kept(shop: Path, place: Place) -> None:
    assert (await place.run(shop, check("sh", "-c", "echo it is swordfish; exit 1"))).output == "it is [redacted]\n"


async def test_a_program_of_the_tree_that_is_gone_is_a_failure_and_one_of_the_system_cannot_be_run(
    shop: Path, place: Place
) -> None:
    assert (await place.run(shop, check("./check.sh"))).ended is CheckEnding.NO_PROGRAM
    assert (await place.run(shop, check("true", directory="gone"))).ended is CheckEnding.NO_DIRECTORY
    with pytest.raises(CheckNotRun, match="no-such-program cannot be started"):
        await place.run(shop, check("no-such-program"))
    failing = check("false", name="other")
    results = await place.checks.run(shop, (check("no-such-program"), failing), base="")
    assert [result.check.name for result in results] == ["other"]


async def test_a_directory_that_is_a_link_out_of_the_tree_is_none(shop: Path, place: Place) -> None:
    (shop / "out").symlink_to("/")
    (shop / "in").symlink_to("tests")
    assert (await place.run(shop, check("true", directory="out"))).ended is CheckEnding.NO_DIRECTORY
    assert (await place.run(shop, check("true", directory="in"))).ended is CheckEnding.PASSED


async def test_without_a_repository_no_check_can_be_run(tmp_path: Path, place: Place) -> None:
    with pytest.raises(CheckNotRun, match="belongs to no git repository; run `git init`"):
        await place.run(tmp_path)


async def test_a_check_that_a_signal_ended_is_a_failure(shop: Path, place: Place) -> None:
    killed = await place.run(shop, check("sh", "-c", "kill -9 $$"))
    assert (killed.ended, killed.exit_status) == (CheckEnding.KILLED, -9)


async def test_a_pass_is_known_again_for_the_same_tree_and_check(shop: Path, place: Place) -> None:
    write(shop, "shop.py", CODE)
    first = await place.run(shop)
    again = await place.run(shop)
    assert first.ended is CheckEnding.PASSED
    assert (first.cached, again.cached) == (False, True)
    assert replace(again, cached=False) == first
    assert not (await place.run(shop, check(environment={"A": "b"}))).cached
    write(shop, "README.md")
    assert not (await place.run(shop)).cached


async def test_a_failure_ends_when_what_is_outside_of_the_tree_is_mended(
    shop: Path, place: Place, tmp_path: Path
) -> None:
    needs = check("test", "-e", str(tmp_path / "installed"))
    assert (await place.run(shop, needs)).ended is CheckEnding.FAILED
    write(tmp_path, "installed")
    assert (await place.run(shop, needs)).ended is CheckEnding.PASSED


async def test_no_more_checks_than_allowed_run_at_once(shop: Path, place: Place, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    seen.mkdir()
    script = f"touch {seen}/$$; ls {seen} | wc -l; sleep 0.1; rm {seen}/$$; exit 1"
    checks = tuple(check("sh", "-c", script, name=str(number)) for number in range(6))
    results = await place.further(at_once=2).run(shop, checks, base="")
    assert max(int(result.output) for result in results) <= 2

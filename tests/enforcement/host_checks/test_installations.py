"""What a check needs and git ignores is installed by the service, once for the files that decide it."""

import asyncio
from pathlib import Path

import pytest

from mama_bot.config import WorkspaceCheck
from mama_bot.enforcement.host_checks import CheckEnding, CheckNotRun, Installations
from mama_bot.enforcement.host_checks.sentences import feedback_of_checks
from mama_bot.wording import Language
from tests.enforcement.host_checks.shop import Place, check, place, shop
from tests.enforcement.scope.test_scope_guard import git, write

__all__ = ["place", "shop"]

# What is installed tells which process installed it, from what, and what else it saw.
INSTALL = "mkdir -p packages/scope; cp names.txt packages/names; echo $$ > packages/by; ls -A > packages/scope/seen"
SHOW = "cat packages/by packages/names packages/scope/seen"


def needing(script: str = SHOW, install: str = INSTALL, **settings: object) -> WorkspaceCheck:
    argv = ("sh", "-c", install)
    given = {"argv": argv, "files": ["names.txt"], "makes": ["packages"], **settings}
    return check("sh", "-c", script, install=given)


@pytest.fixture
def named_shop(shop: Path) -> Path:
    write(shop, "names.txt", "one\n")
    write(shop, ".gitignore", "packages/\n")
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "names")
    return shop


async def test_the_same_files_are_installed_once_and_others_anew(named_shop: Path, place: Place) -> None:
    first = (await place.run(named_shop, needing())).output.splitlines()
    assert first[1:] == ["one", "names.txt", "packages"]
    write(named_shop, "shop.py", "# another tree\n")
    again = await place.run(named_shop, needing())
    assert not again.cached
    assert again.output.splitlines() == first
    write(named_shop, "names.txt", "two\n")
    assert (await place.run(named_shop, needing())).output.splitlines()[1] == "two"


async def test_it_is_there_in_the_next_life_of_the_service(named_shop: Path, place: Place) -> None:
    first = await place.run(named_shop, needing())
    (later,) = await place.further().run(named_shop, [needing()], base="")
    assert (later.output, later.cached) == (first.output, False)


async def test_checks_that_need_the_same_at_once_wait_for_one_installation(named_shop: Path, place: Place) -> None:
    checks = [needing(f"{SHOW}; true {number}") for number in range(2)]
    first, second = await place.checks.run(named_shop, checks, base="")
    assert first.output == second.output
    assert len([*place.kept.iterdir()]) == 1


async def test_what_is_half_installed_is_installed_anew(named_shop: Path, place: Place) -> None:
    await place.run(named_shop, needing())
    (kept,) = place.kept.iterdir()
    (kept / "complete").unlink()
    write(kept, "tree/left", "by a life that was killed")
    assert (
        await place.run(named_shop, needing("ls packages/../ && cat packages/scope/seen"))
    ).ended is CheckEnding.PASSED
    assert not (kept / "tree/left").exists()


async def test_a_check_may_write_beside_the_packages_and_what_it_writes_is_gone(named_shop: Path, place: Place) -> None:
    first = await place.run(named_shop, needing("echo > packages/.cache; ls -A packages"))
    assert first.output.splitlines() == [".cache", "by", "names", "scope"]
    assert (await place.run(named_shop, needing("ls -A packages"))).output.splitlines() == ["by", "names", "scope"]


@pytest.mark.parametrize("planted", ["packages/names", "packages"])
async def test_what_an_agent_put_in_their_place_is_left_out(named_shop: Path, place: Place, planted: str) -> None:
    write(named_shop, ".gitignore", "")
    write(named_shop, planted, "planted\n")
    assert (await place.run(named_shop, needing("cat packages/names"))).output == "one\n"


async def test_no_link_of_an_agent_leads_an_installation_or_a_check_outside(
    named_shop: Path, place: Place, tmp_path: Path
) -> None:
    secret = tmp_path / "outside"
    write(secret, "names.txt", "secret\n")
    (named_shop / "names.txt").unlink()
    (named_shop / "names.txt").symlink_to(secret / "names.txt")
    lacking = await place.run(named_shop, needing("cat packages/scope/seen; cat packages/names"))
    assert lacking.output.startswith("packages\n")
    assert "secret" not in lacking.output
    (named_shop / "web").symlink_to(secret)
    inside = needing(makes=["web/packages"], files=["shop.py"], install="mkdir -p web/packages")
    with pytest.raises(CheckNotRun, match="web/packages leads out of the tree"):
        await place.run(named_shop, inside)
    assert [path.name for path in secret.iterdir()] == ["names.txt"]


@pytest.mark.parametrize(
    ("install", "told"),
    [("echo no such package; exit 3", "no such package"), ("exit 0", "packages was not made"), ("exit 1", "no output")],
)
async def test_an_agent_whose_change_cannot_be_installed_is_told_and_another_not_blamed(
    named_shop: Path, place: Place, install: str, told: str
) -> None:
    with pytest.raises(CheckNotRun, match="what it needs could not be installed") as raised:
        await place.run(named_shop, needing(install=install))
    assert told in str(raised.value)
    write(named_shop, "names.txt", "two\n")
    failed = await place.run(named_shop, needing(install=install))
    assert failed.ended is CheckEnding.NOT_INSTALLED
    said = feedback_of_checks([failed], Language.ENGLISH)
    assert f"(`sh -c '{install}'` did not install what it needs)" in said
    assert "필요한 것을 설치하지 못함" in feedback_of_checks([failed], Language.KOREAN)
    assert not [*place.kept.iterdir()]


async def test_those_used_last_are_kept_and_none_is_taken_from_a_check(named_shop: Path, place: Place) -> None:
    installations = Installations(place.kept, most=2)

    async def made(tree: Path) -> None:
        (tree / "packages").mkdir()

    async def provide(text: str) -> Path | None:
        write(named_shop, "names.txt", text)
        async with installations.provided(needing(), named_shop, ["names.txt"], made) as provided:
            return provided

    async def hold(text: str, begun: asyncio.Event, over: asyncio.Event) -> None:
        write(named_shop, "names.txt", text)
        async with installations.provided(needing(), named_shop, ["names.txt"], made) as provided:
            begun.set()
            await over.wait()
            assert isinstance(provided, Path)
            assert provided.exists()

    begun, over = asyncio.Event(), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(hold("held", begun, over))
        await begun.wait()
        trees = [await provide(text) for text in ("a", "b", "c", "d")]
        over.set()
    assert [tree.exists() for tree in trees if tree] == [False, False, True, True]

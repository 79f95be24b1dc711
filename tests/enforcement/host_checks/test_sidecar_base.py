"""Files that are checked as they were before, whatever became of them."""

import asyncio
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from mama_bot.enforcement.host_checks import CheckEnding, checks
from mama_bot.enforcement.host_checks.layout import Layout, protected
from tests.enforcement.host_checks.shop import CODE, WEAKENED, Place, check, place, shop
from tests.enforcement.scope.test_scope_guard import git, write

__all__ = ["place", "shop"]


@pytest.mark.parametrize("commits", [False, True])
async def test_whoever_edits_the_test_so_that_it_passes_is_caught(shop: Path, place: Place, commits: bool) -> None:
    base = await place.changes.tree(shop)
    write(shop, "tests/test_shop.py", WEAKENED)
    if commits:
        git(shop, "commit", "-q", "-am", "all tests pass")
    assert (await place.run(shop)).ended is CheckEnding.PASSED
    caught = await place.run(shop, check(from_base=["tests/"]), base=base)
    assert caught.ended is CheckEnding.FAILED
    assert caught.restored == ("tests/test_shop.py",)
    write(shop, "shop.py", CODE)
    assert (await place.run(shop, check(from_base=["tests/"]), base=base)).ended is CheckEnding.PASSED


async def test_files_that_the_base_does_not_have_are_left_out_and_deleted_ones_are_back(
    shop: Path, place: Place
) -> None:
    base = await place.changes.tree(shop)
    (shop / "tests" / "test_shop.py").unlink()
    write(shop, "tests/conftest.py", "raise SystemExit(0)\n")
    write(shop, "tests/test_mine.py", "")
    listed = check("sh", "-c", "ls tests; exit 1", from_base=["tests/"])
    assert (await place.run(shop, listed, base=base)).output.split() == ["__init__.py", "test_shop.py"]


async def test_without_a_base_the_commit_is_it(shop: Path, place: Place) -> None:
    write(shop, "tests/test_shop.py", WEAKENED)
    assert (await place.run(shop, check(from_base=["tests/"]))).ended is CheckEnding.FAILED


async def test_what_was_uncommitted_before_the_work_began_belongs_to_the_base(shop: Path, place: Place) -> None:
    write(shop, "tests/test_shop.py", WEAKENED)
    base = await place.changes.tree(shop)
    assert (await place.run(shop, check(from_base=["tests/"]), base=base)).ended is CheckEnding.PASSED


async def test_names_are_paths_of_the_workspace_directories_and_patterns(shop: Path, place: Place) -> None:
    names = ("a.txt", "deep/a.txt", "deep/er/a.txt", "deep/b.cfg", "c.cfg")
    for name in names:
        write(shop, name, "before\n")
    base = await place.changes.tree(shop)
    for name in names:
        write(shop, name, "after\n")
    for named, restored in {
        "a.txt": {"a.txt"},
        "./deep/er/": {"deep/er/a.txt"},
        "deep": {"deep/a.txt", "deep/er/a.txt", "deep/b.cfg"},
        "deep/*.txt": {"deep/a.txt"},
        "**/a.txt": {"a.txt", "deep/a.txt", "deep/er/a.txt"},
        "*.cfg": {"c.cfg"},
        "nothing": set(),
    }.items():
        result = await place.run(shop, check("true", from_base=[named]), base=base)
        assert set(result.restored) == restored, named


async def test_a_link_that_leads_out_of_the_tree_is_never_written_through(
    shop: Path, place: Place, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    base = await place.changes.tree(shop)
    (shop / "tests" / "test_shop.py").unlink()
    (shop / "tests" / "__init__.py").unlink()
    (shop / "tests").rmdir()
    (shop / "tests").symlink_to(outside)
    for names in (["tests/"], ["tests/test_shop.py"], ["**/*.py"]):
        result = await place.run(shop, check(from_base=names), base=base)
        assert "tests/test_shop.py" in result.restored
        assert result.ended is CheckEnding.FAILED
        assert "4 != 3" in result.output or "Ran 0" not in result.output
    assert list(outside.iterdir()) == []


async def test_a_file_where_the_base_has_a_directory_and_the_other_way_round(shop: Path, place: Place) -> None:
    write(shop, "data", "a file\n")
    base = await place.changes.tree(shop)
    (shop / "data").unlink()
    write(shop, "data/in/it", "a file in directories\n")
    result = await place.run(shop, check("sh", "-c", "cat data; exit 1", from_base=["data"]), base=base)
    assert result.output == "a file\n"


async def test_attributes_of_the_agent_do_not_change_how_protected_files_are_laid_out(shop: Path, place: Place) -> None:
    base = await place.changes.tree(shop)
    write(shop, ".gitattributes", "tests/* text eol=crlf\n")
    counted = check("sh", "-c", "grep -c $(printf '\\r') tests/test_shop.py", from_base=["tests/"])
    assert (await place.run(shop, counted, base=base)).output == "0\n"


async def test_hostile_names_are_only_names(shop: Path, place: Place) -> None:
    base = await place.changes.tree(shop)
    names = [
        b"tests/two\nlines",
        b"tests/\xff\xfe",
        "tests/테스트 $(touch x);'\"".encode(),
        b"tests/-rf",
        b"tests/:(top)",
    ]
    for name in names:
        (shop / os.fsdecode(name)).write_text("x", encoding="utf-8")
    listed = check("sh", "-c", "ls tests | wc -l")
    assert (await place.run(shop, listed)).output.split() == ["8"]
    kept = check("sh", "-c", "ls tests | wc -l; exit 1", from_base=["tests"])
    result = await place.run(shop, kept, base=base)
    assert result.output.split() == ["2"]
    assert len(result.restored) == len(names)


PARTS = st.sampled_from(["a", "b", "tests", "x.py", "é", "한", " ", "-", "[a]"])
PATHS = st.lists(PARTS, min_size=1, max_size=3).map("/".join)
FILES = st.dictionaries(PATHS, st.sampled_from(["1", "2", "link"]), max_size=6).map(
    lambda files: {path: text for path, text in files.items() if not any(name.startswith(f"{path}/") for name in files)}
)


def in_index(root: Path, files: dict[str, str]) -> str:
    """The tree of some files, made without a work tree; "link" is one that leads to the root directory."""
    index = {"GIT_INDEX_FILE": str(root / ".git" / "made")}
    texts = {"1": "1", "2": "2", "link": "/"}
    for name, text in texts.items():
        (root / ".git" / name).write_text(text, encoding="utf-8")
    blobs = git(root, "hash-object", "-w", *(f".git/{name}" for name in texts)).split()
    entries = {
        name: f"{'120000' if name == 'link' else '100644'},{blob}" for name, blob in zip(texts, blobs, strict=True)
    }
    git(root, "read-tree", "--empty", **index)
    added = [part for path, name in files.items() for part in ("--cacheinfo", f"{entries[name]},{path}")]
    git(root, "update-index", "--add", *added, **index)
    return git(root, "write-tree", **index)


@given(before=FILES, after=FILES, name=PATHS)
@example(before={}, after={"a": "1"}, name="[a]")
@settings(max_examples=25, deadline=None)
def test_whatever_became_of_the_tree_protected_files_are_those_of_the_base(
    before: dict[str, str], after: dict[str, str], name: str
) -> None:
    def held(path: str) -> bool:
        names, parts = name.split("/"), path.split("/")
        # "[a]" is a choice of one letter, and also the name as it stands.
        return len(parts) >= len(names) and all(
            part in {named, named.strip("[]")} for named, part in zip(names, parts, strict=False)
        )

    restored = {path: text for path, text in before.items() if held(path)}
    above = {path[:end] for path in restored for end in range(len(path)) if path[end] == "/"}
    expected = restored | {path: text for path, text in after.items() if not held(path) and path not in above}
    with TemporaryDirectory() as scratch:
        root = Path(scratch) / "repository"
        root.mkdir()
        git(root, "init", "-q")
        layout = Layout(place=Path(scratch), objects=[root / ".git" / "objects"], seconds=20)
        base, tree, wanted = in_index(root, before), in_index(root, after), in_index(root, expected)

        async def laid_out() -> dict[str, str]:
            composed = await layout.compose(tree, base=base, names=protected([name], ""))
            assert composed.tree == wanted
            top = await layout.lay_out()
            files = (path for path in top.rglob("*") if path.is_symlink() or path.is_file())
            return {
                str(path.relative_to(top)): "link" if path.is_symlink() else path.read_text(encoding="utf-8")
                for path in files
            }

        assert asyncio.run(laid_out()) == expected


async def test_a_name_that_means_no_file_is_logged_once(shop: Path, place: Place) -> None:
    git(shop, "rm", "-q", "--cached", "tests/test_shop.py")
    (shop / "tests" / "test_shop.py").unlink()
    write(shop, "tests/.gitattributes", "")
    names = ["tests/", "**/test_shop.py", "tests/.gitattributes", "test/", "*.cfg", ".gitattributes", "shop.py"]
    named = check("true", from_base=names)
    base = await place.changes.tree(shop)
    with capture_logs() as logs:
        await place.run(shop, named, base=base)
        await place.run(shop, named, base=base)
        await place.run(shop, check("true", from_base=["tests/"]), base=base)
    warned = [entry["from_base"] for entry in logs if entry["event"] == "check_names_no_file"]
    assert warned == [["**/test_shop.py", "test/", "*.cfg", ".gitattributes"]]


async def test_only_the_latest_warnings_are_remembered(
    shop: Path, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "MOST_KEPT", 1)
    place.checks = place.further()
    with capture_logs() as logs:
        for name in ("*.cfg", "*.ini", "*.ini", "*.cfg"):
            await place.run(shop, check("true", from_base=[name]))
    warned = [entry["from_base"] for entry in logs if entry["event"] == "check_names_no_file"]
    assert warned == [["*.cfg"], ["*.ini"], ["*.cfg"]]


EXAMPLE = check(
    *(sys.executable, "-P", "-m", "pytest", "-q", "-c", "pyproject.toml", "-p", "no:cacheprovider"),
    from_base=["tests/", "**/conftest.py", "pyproject.toml"],
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\naddopts = --collect-only\n"),
        (".pytest.ini", "[pytest]\naddopts = --collect-only\n"),
        ("tox.ini", "[pytest]\naddopts = --collect-only\n"),
        ("setup.cfg", "[tool:pytest]\naddopts = --collect-only\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '--collect-only'\n"),
        ("pytest.py", "print('1 passed')\n"),
        ("pytest/__main__.py", "print('1 passed')\n"),
        ("sitecustomize.py", "import os; os._exit(0)\n"),
        ("conftest.py", "import os; os._exit(0)\n"),
        ("tests/conftest.py", "import os; os._exit(0)\n"),
    ],
)
async def test_the_check_of_the_documents_holds_against_added_files(
    shop: Path, place: Place, name: str, text: str
) -> None:
    write(shop, "pyproject.toml", "[tool.pytest.ini_options]\npythonpath = ['.']\n")
    base = await place.changes.tree(shop)
    write(shop, name, text)
    assert (await place.run(shop, EXAMPLE, base=base)).ended is CheckEnding.FAILED
    write(shop, "shop.py", CODE)
    if not name.endswith(("pytest.py", "__main__.py", "sitecustomize.py")):
        assert (await place.run(shop, EXAMPLE, base=base)).ended is CheckEnding.PASSED

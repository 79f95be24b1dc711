"""What runs leave in a work tree is told from work: by its name, or because it says so itself."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.checkouts.left_behind import left_behind
from tests.checkouts.making import ONE, Life, make_source
from tests.end_to_end.evidence import git


@pytest.mark.parametrize(
    ("paths", "left"),
    [
        (["shop/__pycache__/price.cpython-311.pyc", "shop/price.py"], ("shop/__pycache__",)),
        (["web/node_modules/a/__pycache__/b.pyc"], ("web/node_modules",)),
        (["target/CACHEDIR.TAG", "target/debug/app", "src/target/main.rs"], ("target",)),
        (["env/pyvenv.cfg", "env/bin/python"], ("env",)),
        ([".coverage", ".coverage.host.12", ".coveragerc"], (".coverage", ".coverage.host.12")),
        (["shop.egg-info/PKG-INFO", "a.pyc", "a.py"], ("a.pyc", "shop.egg-info")),
        (["CACHEDIR.TAG", "main.py", "build/main.c", "dist/app.js", "coverage/report.py"], ()),
        (["node_modules.md", "docs/__pycache__.txt", "한글/__pycache__/ㄱ"], ("한글/__pycache__",)),
        ([], ()),
    ],
)
def test_what_runs_leave_is_told_from_work(paths: list[str], left: tuple[str, ...]) -> None:
    assert left_behind(paths) == left


PLACES = st.lists(st.sampled_from(("src", "__pycache__", "node_modules", "target", "b c", "*")), max_size=3)
NAMES = st.sampled_from(("a.py", "a.pyc", "CACHEDIR.TAG", ".coverage"))
PATHS = st.lists(st.builds(lambda place, name: "/".join((*place, name)), PLACES, NAMES), max_size=8)


@given(PATHS)
def test_each_is_part_of_a_path_and_none_lies_in_another(paths: list[str]) -> None:
    left = left_behind(paths)
    assert all(any(path == name or path.startswith(f"{name}/") for path in paths) for name in left)
    assert not any(one.startswith(f"{other}/") for one in left for other in left)


async def test_what_the_repository_holds_already_stays_part_of_it(tmp_path: Path) -> None:
    life = Life(tmp_path, make_source(tmp_path))
    checkouts = life.begun()
    tree = await checkouts.prepare(ONE, "app")
    for name in ("node_modules/kept/a.js", "node_modules/kept/b.js", "x/node_modules/a [b]/*.js", "x/__pycache__/c"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("1\n")
    git(tree, "add", "node_modules/kept/a.js")
    git(tree, "commit", "-qm", "Ours")
    (tree / "node_modules/kept/a.js").write_text("2\n")
    outgoing = await checkouts.outgoing(ONE, "app", message="Save")
    assert outgoing.left_out == ("x/__pycache__", "x/node_modules")
    assert outgoing.committed == 2
    assert git(tree, "show", "--format=", "--name-only", "HEAD").split() == [
        "node_modules/kept/a.js",
        "node_modules/kept/b.js",
    ]
    assert (tree / "x/node_modules/a [b]/*.js").exists()

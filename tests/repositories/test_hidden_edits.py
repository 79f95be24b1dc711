"""What an agent with a shell does to a repository hides none of its edits from the service's own look at it."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from mama_bot.confinement import landlock
from mama_bot.repositories import GitChanges
from mama_bot.repositories.git import Git, GitFailed, run_git
from tests.enforcement.examples import turn
from tests.repositories.making import git, work_trees

EDIT = "printf 'x = 9\\n' > src/calc.py"
WAYS = {
    "plain": EDIT,
    "assume unchanged": f"git update-index --assume-unchanged src/calc.py; {EDIT}",
    "skip the work tree": f"git update-index --skip-worktree src/calc.py; {EDIT}",
    "split index": f"git update-index --split-index; git update-index --assume-unchanged src/calc.py; {EDIT}",
    "watched by nobody": f"git update-index --fsmonitor-valid src/calc.py 2>/dev/null; {EDIT}",
    "forged times": (
        "git config core.trustctime false; git config core.checkStat minimal; T=$(stat -c %y src/calc.py);"
        f' {EDIT}; touch -d "$T" src/calc.py'
    ),
    "forged index": (
        f"OLD=$(git rev-parse HEAD:src/calc.py); {EDIT}; git update-index --cacheinfo 100644,$OLD,src/calc.py;"
        " git update-index --assume-unchanged src/calc.py"
    ),
    "work tree elsewhere": f"mkdir ../there; cp -r src ../there/; git config core.worktree $PWD/../there; {EDIT}",
    "sparse": f"git sparse-checkout set --no-cone tests >/dev/null 2>&1; mkdir -p src; {EDIT}",
    "repository inside": f"git init -q src; {EDIT}",
    "committed repository inside": (
        f"git init -q src; {EDIT}; cd src; git add -A; git -c user.name=a -c user.email=a@b commit -qm x"
    ),
    "replaced tree": (
        f"{EDIT}; export GIT_INDEX_FILE=$PWD/../index; git add -A; T=$(git write-tree); unset GIT_INDEX_FILE;"
        " git replace $T $(git rev-parse 'HEAD^{tree}')"
    ),
    "replaced blob": f"{EDIT}; T=$(git hash-object -w src/calc.py); git replace $T $(git rev-parse HEAD:src/calc.py)",
    "moved and linked": "mv src ../moved; printf 'x = 9\\n' > ../moved/calc.py; ln -s ../moved src",
    "settings of its own": f"git config extensions.worktreeConfig true; git config --worktree core.bare true; {EDIT}",
    "a line end that git removes": f"echo '* text eol=crlf' > .git/info/attributes; {EDIT}",
    "a file that git may not read as text": f"echo 'calc.py -diff binary' > .git/info/attributes; {EDIT}",
    "committed": f"{EDIT}; git -c user.name=a -c user.email=a@b commit -qam x",
}
NEW = "echo 'evil = 1' > src/evil.py"
NEW_WAYS = {
    "plain": NEW,
    "excluded": f"echo evil.py >> .git/info/exclude; {NEW}",
    "excluded by a file": f"echo evil.py > ../excluded; git config core.excludesFile $PWD/../excluded; {NEW}",
    "untracked cache": f"git update-index --untracked-cache 2>/dev/null; {NEW}",
    "repository without a commit": "git init -q src/in; echo 'evil = 1' > src/in/evil.py",
    "repository with a commit": (
        "git init -q src/in; echo 'evil = 1' > src/in/evil.py; cd src/in; git add -A;"
        " git -c user.name=a -c user.email=a@b commit -qm x"
    ),
    "a name of two lines": "printf 'evil = 1' > \"src/a\nevil.py\"",
}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    for name, text in (("src/calc.py", "x = 1\n"), ("tests/test_calc.py", "assert True\n")):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    return root


async def changed(work: Path, command: str) -> frozenset[str]:
    changes = GitChanges(workspace_of=lambda _: work, indexes=work.parent / "indexes")
    baseline = await changes.tree(work)
    subprocess.run(command, shell=True, cwd=work, check=False, capture_output=True)
    since = await changes.since(turn(baseline=baseline))
    assert since is not None
    return since


@pytest.mark.parametrize("way", WAYS)
async def test_an_edit_is_seen(work: Path, way: str) -> None:
    assert "src/calc.py" in await changed(work, WAYS[way]), way


@pytest.mark.parametrize("way", NEW_WAYS)
async def test_a_new_file_is_seen(work: Path, way: str) -> None:
    since = await changed(work, NEW_WAYS[way])
    assert any(path.endswith("evil.py") for path in since), way


async def test_a_rule_of_the_work_tree_itself_hides_no_more_than_it_says_openly(work: Path) -> None:
    assert await changed(work, f"echo evil.py >> .gitignore; {NEW}") == frozenset({".gitignore"})


def promise_objects(work: Path, place: Path, **settings: str) -> Path:
    """Make a repository lack its tree, and name a program from which git would fetch it; return what it would write."""
    ran, program = place / "ran", place / "program"
    program.write_text(f"#!/bin/sh\necho ran >> {ran}\nexit 1\n", encoding="utf-8")
    program.chmod(0o755)
    fixed = {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        **settings,
    }
    for name, value in fixed.items():
        git(work, "config", name, value.format(program=program, place=place))
    tree = git(work, "rev-parse", "HEAD^{tree}")
    (work / ".git/objects" / tree[:2] / tree[2:]).unlink()
    return ran


@pytest.mark.parametrize(
    "settings",
    [
        {"remote.origin.url": "ext::{program}", "protocol.ext.allow": "always"},
        {"remote.origin.url": "ssh://nowhere/x", "core.sshCommand": "{program}"},
        {"remote.origin.url": "{place}/work", "remote.origin.uploadpack": "{program}"},
    ],
)
async def test_no_object_is_fetched_by_a_program_that_a_repository_names(
    work: Path, tmp_path: Path, settings: dict[str, str]
) -> None:
    ran = promise_objects(work, tmp_path, **settings)
    changes = GitChanges(workspace_of=lambda _: work, indexes=tmp_path / "indexes")
    trees = work_trees(tmp_path)
    for look in (changes.trees(work), changes.tree(work), trees.state(work), trees.state(work / "src")):
        with suppress(GitFailed):  # that it cannot be read is an answer too
            await look
    assert not ran.exists()


async def test_no_signature_is_looked_at_by_a_program_that_a_repository_names(work: Path, tmp_path: Path) -> None:
    ran, program = tmp_path / "ran", tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho ran >> {ran}\nexit 1\n", encoding="utf-8")
    program.chmod(0o755)
    git(work, "config", "log.showSignature", "true")
    git(work, "config", "gpg.program", str(program))
    header, _, message = git(work, "cat-file", "commit", "HEAD").partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----"
    (tmp_path / "commit").write_text(f"{header}\n{signature}\n\n{message}\n", encoding="utf-8")
    git(
        work,
        "update-ref",
        "refs/heads/signed",
        git(work, "hash-object", "-t", "commit", "-w", str(tmp_path / "commit")),
    )
    await Git(seconds=8).output(work, "log", "--all", "--format=", "--name-only")
    assert not ran.exists()
    git(work, "log", "--all")  # whoever asks git without our settings does run it
    assert ran.exists()


async def test_a_directory_that_only_looks_like_a_repository_is_none(work: Path, tmp_path: Path) -> None:
    ran, forged = tmp_path / "ran", work / "vendor/fixture.git"
    for name in ("refs/heads", "objects/info"):
        (forged / name).mkdir(parents=True)
    (forged / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (forged / "refs/heads/main").write_text("1" * 40 + "\n", encoding="utf-8")
    (forged / "run.sh").write_text(f"#!/bin/sh\necho ran >> {ran}\n", encoding="utf-8")
    (forged / "config").write_text(
        "[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tworktree = .\n[extensions]\n\tpartialClone = origin\n"
        '[remote "origin"]\n\tpromisor = true\n\turl = "ext::sh run.sh"\n[protocol "ext"]\n\tallow = always\n',
        encoding="utf-8",
    )
    state = await work_trees(tmp_path).state(forged)
    assert state is not None
    assert state.root == str(work)
    assert not ran.exists()


async def test_git_is_given_nothing_of_the_services_own_environment(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nenv\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("MAMA_WEB__KEY", "a secret key")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "another")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/somewhere")
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    text = await Git(seconds=8).output(work, "version")
    assert "GIT_ALLOW_PROTOCOL=none" in text
    assert "secret" not in text
    assert "another" not in text
    assert "/somewhere" not in text


@pytest.mark.skipif(landlock.version() == 0, reason="the kernel has no Landlock")
async def test_git_itself_reads_and_writes_nothing_but_the_repository(work: Path, tmp_path: Path) -> None:
    secret, written = tmp_path / "secret", tmp_path / "written"
    secret.write_text("a secret", encoding="utf-8")
    git(work, "config", "alias.show-all", f"!cat a.py {secret}; touch {written} {work}/new; cat /proc/$PPID/environ")
    status, output, errors = await Git(seconds=8).run(work, "show-all")
    assert status != 0
    assert "secret" not in output
    assert errors.count("Permission denied") == 4
    assert not written.exists()
    assert not (work / "new").exists()
    assert secret.read_text(encoding="utf-8") == "a secret"  # this process lost nothing


async def test_a_repository_that_borrows_the_objects_of_another_is_read(work: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--shared", str(work), str(tmp_path / "clone"))
    state = await work_trees(tmp_path).state(tmp_path / "clone")
    assert state is not None
    assert (state.commit, state.dirty) == (git(work, "rev-parse", "HEAD"), False)


async def test_a_git_that_is_late_ends_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nsleep 300 &\nsleep 300\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    mark = f"MARK={tmp_path}"
    with pytest.raises(GitFailed, match="no answer within"):
        await run_git(tmp_path, "version", variables={"PATH": os.environ["PATH"], "MARK": str(tmp_path)}, seconds=0.5)
    left = [place for place in Path("/proc").glob("[0-9]*/environ") if mark.encode() in _content(place)]
    assert left == []


def _content(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError:
        return b""

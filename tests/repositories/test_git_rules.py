"""What a repository says on its own of how git is to look at it: a change of it is noticed, and of nothing else."""

import subprocess
from pathlib import Path

import pytest

from mama_bot.model import GitRule, changed_rules
from tests.repositories.making import git, work_trees


async def changed(repository: Path, tmp_path: Path, command: str) -> tuple[GitRule, ...]:
    trees = work_trees(tmp_path)
    before = await trees.rules(repository)
    subprocess.run(command, shell=True, cwd=repository, check=True, capture_output=True)
    after = await trees.rules(repository)
    assert before is not None
    assert after is not None
    return changed_rules(before, after)


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("echo evil.py >> .git/info/exclude", GitRule.EXCLUDES),
        ("git config core.excludesFile /tmp/x", GitRule.EXCLUDES),
        ("echo '* -diff' > .git/info/attributes", GitRule.ATTRIBUTES),
        ("git config filter.odd.clean cat", GitRule.ATTRIBUTES),
        ("git update-index --assume-unchanged a.py", GitRule.FLAGS),
        ("git update-index --skip-worktree a.py", GitRule.FLAGS),
        ("echo true > .git/hooks/pre-commit", GitRule.HOOKS),
        ("git config core.hooksPath .odd", GitRule.HOOKS),
        ("git config core.fsmonitor ./odd", GitRule.HOOKS),
        ("git remote set-url origin /tmp/elsewhere", GitRule.REMOTES),
        ("git config url./tmp/.insteadOf https://", GitRule.REMOTES),
        ("git config remote.origin.pushurl /tmp/x", GitRule.REMOTES),
        ("git replace HEAD^{tree} $(git mktree </dev/null)", GitRule.REPLACED),
        ("echo /tmp/objects > .git/objects/info/alternates", GitRule.REPLACED),
        ("git config core.trustctime false", GitRule.SETTINGS),
        ("git config core.worktree /tmp", GitRule.SETTINGS),
        ("git config include.path not-there/settings", GitRule.SETTINGS),
    ],
)
async def test_a_change_of_a_rule_is_noticed(repository: Path, tmp_path: Path, command: str, rule: GitRule) -> None:
    git(repository, "remote", "add", "origin", "/tmp/there")
    assert await changed(repository, tmp_path, command) == (rule,)


@pytest.mark.parametrize(
    "command",
    [
        "git config user.name me && git config user.email me@me.invalid",
        "git checkout -q -b other && git config branch.other.remote origin",
        "git remote add fork /tmp/fork",
        "echo x >> a.py && git add -A && git -c user.name=a -c user.email=a@b commit -qm x",
        "echo '# only a comment' >> .git/info/exclude",
        "echo true > .git/hooks/pre-commit.sample",
        "git stash || true; git gc -q",
        "git config color.ui never",
    ],
)
async def test_ordinary_work_changes_none(repository: Path, tmp_path: Path, command: str) -> None:
    assert await changed(repository, tmp_path, command) == ()


async def test_a_work_tree_beside_it_has_the_rules_of_its_repository(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "other"))
    command = "echo evil.py >> $(git rev-parse --git-common-dir)/info/exclude"
    assert await changed(tmp_path / "other", tmp_path, command) == (GitRule.EXCLUDES,)


async def test_rules_that_cannot_be_read_are_not_known(repository: Path, tmp_path: Path) -> None:
    (repository / ".git/config").write_text("[broken")
    assert await work_trees(tmp_path).rules(repository) is None

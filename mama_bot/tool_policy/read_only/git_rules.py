"""Which git commands only look, and with which options."""

from collections.abc import Callable, Mapping, Sequence

from mama_bot.shell.tokens import word_set
from mama_bot.text.patterns import compiled
from mama_bot.tool_policy.read_only.known import SHOWN, known

_GLOBAL = word_set("-C --no-pager -P --no-optional-locks --literal-pathspecs --version")
_READING = word_set(
    "diff log show status blame annotate ls-files ls-tree grep rev-parse rev-list describe shortlog cat-file "
    "merge-base name-rev diff-tree diff-index diff-files show-ref for-each-ref check-ignore check-attr count-objects "
    "whatchanged version range-diff cherry"
)
# Only -O would run something among the letters; what a diff calls --output, --ext-diff and --textconv is not here.
_OPTIONS = known(
    "--stat --shortstat --numstat --dirstat --name-only --name-status --summary --patch --patch-with-stat --raw "
    "--cached --staged --merge-base --unified --word-diff --word-diff-regex --color-words --color --color-moved "
    "--ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --ignore-cr-at-eol "
    "--ignore-submodules --submodule --function-context --minimal --patience --histogram --diff-algorithm --check "
    "--full-index --binary --abbrev --find-renames --find-copies --find-copies-harder --diff-filter --pickaxe-all "
    "--pickaxe-regex --relative --text --exit-code --quiet --src-prefix --dst-prefix --inter-hunk-context "
    "--compact-summary --diff-merges --cc --oneline --graph --all --branches --tags --remotes --format --pretty "
    "--abbrev-commit --decorate --decorate-refs --date --since --after --until --before --author --committer --grep "
    "--all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --max-count --skip "
    "--reverse --topo-order --date-order --author-date-order --first-parent --merges --follow --left-right --cherry "
    "--cherry-pick --cherry-mark --left-only --right-only --ancestry-path --boundary --source --full-history "
    "--simplify-by-decoration --show-pulls --walk-reflogs --reflog --not --glob --notes --show-notes --children "
    "--parents --count --objects --min-parents --max-parents --log-size --relative-date --full-diff --porcelain "
    "--short --branch --show-stash --long --untracked-files --ignored --verbose --ahead-behind --column "
    "--line-porcelain --incremental --root --show-name --show-number --show-email --score-debug --others "
    "--exclude-standard --exclude --modified --deleted --stage --unmerged --error-unmatch --full-name --deduplicate "
    "--eol --directory --recurse-submodules --name-status --object-only --line-number --ignore-case --word-regexp "
    "--files-with-matches --files-without-match --only-matching --heading --break --show-function --after-context "
    "--before-context --context --untracked --and --or --threads --max-depth --basic-regexp --null --abbrev-ref "
    "--show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir --is-inside-work-tree --is-bare-repository "
    "--verify --symbolic --symbolic-full-name --show-superproject-working-tree --absolute-git-dir --revs-only --tags "
    "--long --always --dirty --exact-match --match --first-parent --contains --candidates --summary --numbered --email "
    "--is-ancestor --octopus --independent --fork-point --heads --head --dereference --sort --points-at --merged "
    "--list --batch --batch-check --non-matching --stdin --human-readable --creation-factor --refs --name-rev "
    "--name-only --show-object-format --ours --theirs --base --minimal --indent-heuristic --renames --rename-empty "
    "--ita-visible-in-index --cruft",
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ0123456789#",
    "SGLUlneCBMDXAmfI",
    pattern=compiled(r"--no-[a-z-]+", ignore_case=False),
)
_LISTING = known(
    "--list --all --remotes --contains --no-contains --merged --no-merged --points-at --sort --format --column "
    "--no-column --show-current --verbose --abbrev --color --no-color --ignore-case",
    "arvlni0123456789",
)
_CONFIGURED = known(
    "--get --get-all --get-regexp --list --global --local --system --show-origin --show-scope --name-only",
    "lz",
)


def git_refusal(argv: Sequence[str]) -> str:
    """Return why a git command is refused; "" when it is known to change nothing."""
    at = 1
    while at < len(argv) and argv[at].startswith("-"):
        if argv[at].partition("=")[0] not in _GLOBAL:
            return f"git {argv[at][:SHOWN]} is not understood"
        at += 2 if argv[at] == "-C" else 1
    if at >= len(argv):
        return ""
    name, given = argv[at], list(argv[at + 1 :])
    before = given[: given.index("--")] if "--" in given else given
    if name in _READING:
        if name == "grep" and any(word[:1] == "-" and word[:2] != "--" and "O" in word for word in before):
            return "git grep -O may run something"
        return _OPTIONS.refusal(f"git {name}", before)
    listing = _LISTS.get(name)
    if listing is None:
        return f"git {name[:SHOWN]} is not known to change nothing"
    return "" if listing(given) else f"git {name} may only list here"


def _named_none(given: Sequence[str]) -> bool:
    """Whether branches or tags are only listed: no name is given, which would be a new one, or an option lists."""
    named = [word for word in given if not word.startswith("-")]
    options = {word.partition("=")[0] for word in given}
    listing = not named or not options.isdisjoint(("--list", "-l", "--contains", "--merged", "--points-at"))
    return listing and not _LISTING.refusal("git", given)


def _shows(given: Sequence[str]) -> bool:
    return not given or (given[0] in ("list", "show") and not _OPTIONS.refusal("git", given[1:]))


_LISTS: Mapping[str, Callable[[Sequence[str]], bool]] = {
    "branch": _named_none,
    "tag": _named_none,
    "stash": lambda given: bool(given) and _shows(given),
    "reflog": lambda given: _shows(given) and list(given[:1]) != ["list"],
    "remote": lambda given: list(given) in ([], ["-v"], ["--verbose"]) or list(given[:1]) == ["get-url"],
    "worktree": lambda given: list(given[:1]) == ["list"],
    "config": lambda given: (
        given[:1] != []
        and given[0] in ("--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list")
        and not _CONFIGURED.refusal("git config", given)
    ),
    "submodule": lambda given: list(given[:1]) == ["status"],
}

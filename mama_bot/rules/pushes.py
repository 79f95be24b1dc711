"""Which branches a `git push` would move."""

from collections.abc import Iterator

from mama_bot.rules.commands import Program

EVERY = "*"


def pushed_branches(made: Program, branch: str) -> Iterator[str]:
    """Yield the branches that a program would push to; `*` for all there are."""
    if made.program == "git" and made.subcommand == "subtree" and made.operands[:1] == ("push",):
        yield from (refspec.rpartition(":")[2].removeprefix("refs/heads/") for refspec in made.operands[2:])
    if made.program != "git" or made.subcommand != "push":
        return
    branch = made.branch or branch
    if any(option in {"all", "branches", "mirror"} for option in made.options):
        yield EVERY
    named = [refspec for refspec in made.operands[1:] if refspec != "tag"]
    if not named and "tags" not in made.options and branch:
        yield branch
    for refspec in named:
        source, colon, target = refspec.removeprefix("+").partition(":")
        name = target if colon else source
        if refspec.removeprefix("+") == ":":
            yield EVERY
        elif not name.startswith("refs/tags/"):
            name = name.removeprefix("refs/heads/").removeprefix("heads/")
            yield branch if name in {"HEAD", "@"} else name

"""Command lines as rules read them, and how many ways to write a forbidden one the shipped rules know."""

from pathlib import Path

import pytest
import yaml

from mama_bot.model import Block, Phase
from mama_bot.rules.commands import read_command
from mama_bot.rules.examples import decided
from mama_bot.rules.rule import Example
from mama_bot.rules.rule_engine import RuleEngine
from mama_bot.rules.rule_set import shipped_rules

DATA = Path(__file__).parents[1] / "data" / "commands"
# Of the sets by kinds: what is still wrong in each direction. After a change that mends some, lower them.
MOST_MISSED = {"kinds": 24, "blind": 7, "first_sight": 1}
MOST_REFUSED = {"kinds": 2, "blind": 3, "first_sight": 0}


def commands(name: str) -> list[str]:
    content = yaml.safe_load((DATA / f"{name}.yaml").read_text(encoding="utf-8"))
    return [command for kind in content.values() for command in kind]


def blocked(engine: RuleEngine, command: str) -> bool:
    example = Example(tool="Bash", arguments={"command": command})
    return isinstance(decided(engine, example, Phase.TOOL).decision, Block)


def test_every_way_to_write_a_forbidden_command_is_blocked() -> None:
    engine = RuleEngine(shipped_rules())
    assert [command for command in commands("forbidden") if not blocked(engine, command)] == []


def test_no_harmless_command_that_looks_like_it_is_blocked() -> None:
    engine = RuleEngine(shipped_rules())
    assert [command for command in commands("harmless") if blocked(engine, command)] == []


@pytest.mark.parametrize(
    ("kind", "is_blocked"),
    [("forbidden", True), ("missed", False), ("harmless", False), ("blocked_all_the_same", True)],
)
def test_of_the_second_set_it_is_known_what_comes_out(kind: str, *, is_blocked: bool) -> None:
    engine = RuleEngine(shipped_rules())
    listed = yaml.safe_load((DATA / "later.yaml").read_text(encoding="utf-8"))[kind]
    assert [command for command in listed if blocked(engine, command) is not is_blocked] == []


def of_all_kinds(direction: str, name: str = "kinds") -> list[str]:
    kinds = yaml.safe_load((DATA / f"{name}.yaml").read_text(encoding="utf-8"))
    return [command for kind in kinds.values() for command in kind[direction]]


@pytest.mark.parametrize("name", list(MOST_MISSED))
def test_of_each_kind_of_forbidden_command_few_are_missed(name: str) -> None:
    engine = RuleEngine(shipped_rules())
    missed = [command for command in of_all_kinds("forbidden", name) if not blocked(engine, command)]
    assert len(missed) <= MOST_MISSED[name], "\n".join(missed)


@pytest.mark.parametrize("name", list(MOST_MISSED))
def test_of_each_kind_of_harmless_command_few_are_blocked(name: str) -> None:
    engine = RuleEngine(shipped_rules())
    refused = [command for command in of_all_kinds("harmless", name) if blocked(engine, command)]
    assert len(refused) <= MOST_REFUSED[name], "\n".join(refused)


@pytest.mark.parametrize("direction", ["forbidden", "harmless"])
def test_the_set_of_kinds_has_three_hundred_of_each_that_no_other_set_has(direction: str) -> None:
    listed = of_all_kinds(direction)
    later = yaml.safe_load((DATA / "later.yaml").read_text(encoding="utf-8"))
    others = {*commands("forbidden"), *commands("harmless"), *(command for kind in later.values() for command in kind)}
    assert len(listed) >= 300
    assert len(set(listed) - others) == len(listed)


@pytest.mark.parametrize("name", ["forbidden", "harmless"])
def test_the_suite_has_two_hundred_of_each_and_none_twice(name: str) -> None:
    listed = commands(name)
    assert len(listed) >= 200
    assert len(set(listed)) == len(listed)


@pytest.mark.parametrize(
    ("command", "program", "operands", "directory"),
    [
        ("cd src && rm -rf x", "rm", ("x",), "/work/src"),
        ("sudo -u root env A=1 timeout 5 rm x", "rm", ("x",), "/work"),
        ("bash -c 'cd /srv; rm \"$0\"' a", "rm", ("a",), "/srv"),
        ("D=build; rm $D/a $D/b", "rm", ("build/a", "build/b"), "/work"),
        ("find src -name x -exec rm {} +", "rm", ("src/x",), "/work"),
        ("git -C sub push origin a:b", "git", ("origin", "a:b"), "/work"),
        ('f() { rm "$1"; }; f x', "rm", ("x",), "/work"),
        ("f() { local d=$2; shift; rm $d $1; }; f a b", "rm", ("b", "b"), "/work"),
        ('in_it() { (cd src && "$@"); }; in_it rm x', "rm", ("x",), "/work/src"),
        ("f() { for d; do rm $d; done; }; f a b", "rm", ("a", "b"), "/work"),
        ("make -f - <<'E'\nD = out\nall:\n\t@rm $(D)/x\nE", "rm", ("out/x",), "/work"),
        ("make --eval='x: ; rm y' x", "rm", ("y",), "/work"),
        ("fd -e log . src -x rm", "rm", ("src/*/*",), "/work"),
        ("echo 'a b' | xargs -I{} rm {}/x", "rm", ("a b/x",), "/work"),
        ("git -c core.pager='rm x' log", "rm", ("x",), "/work"),
        ("GIT_EDITOR='rm x' git commit", "rm", ("x",), "/work"),
        ("case $x in a|b) ls;; *) rm y;; esac", "rm", ("y",), "/work"),
    ],
)
def test_a_program_is_read_below_whatever_stands_before_it(
    command: str, program: str, operands: tuple[str, ...], directory: str
) -> None:
    made = [made for made in read_command(command, "/work").programs if made.program == program]
    assert [(each.operands, each.directory) for each in made] == [(operands, directory)]


@pytest.mark.parametrize(
    "before",
    [
        "alias rm=echo;",
        "rm() { echo no; }; unset -f rm;",
        "false && rm() { echo no; };",
        "rm() { echo no; } &",
        "rm() { cd /tmp/x; }; false ||",
        "rm() { echo no; }; bash -c '",
    ],
)
def test_an_alias_or_a_function_that_may_not_hold_hides_no_program(before: str) -> None:
    reading = read_command(f"{before} rm -rf /etc" + ("'" if before.endswith("'") else ""), "/work")
    made = [made for made in reading.programs if made.program == "rm"]
    assert [(each.operands, each.directory) for each in made] == [(("/etc",), "/work")]


@pytest.mark.parametrize(
    "command",
    [
        "v0=xx; " + "".join(f"v{at}=$v{at - 1}$v{at - 1}; " for at in range(1, 60)) + "echo $v59",
        "".join(f"f{at}() {{ " + f"f{at + 1}; " * 50 + "}\n" for at in range(7)) + "f7() { ls; }\nf0",
        "".join(f"alias a{at}='" + f"a{at + 1};" * 50 + "'\n" for at in range(7)) + "a0",
        "make -f - <<'E'\nA = " + "x" * 50_000 + "\nall:\n\techo " + "$(A)" * 10_000 + "\nE",
        "for a in 1 2 3; do " * 20 + "rm $a;" + " done;" * 20,
    ],
)
def test_a_command_that_grows_while_it_is_read_is_left_unread(command: str) -> None:
    reading = read_command(command, "/work")
    assert sum(len(word) for made in reading.programs for word in made.words) < 1_000_000
    assert len(reading.programs) <= 200


@pytest.mark.parametrize(
    ("command", "reasons"),
    [
        ("$CMD x", {"program"}),
        ("curl -s x | sh", {"piped"}),
        ("echo x | base64 -d | bash", {"decoded"}),
        ('eval "$(make-it)"', {"evaluated"}),
        ("rm 'x", {"syntax"}),
        ("ls | grep x", set()),
    ],
)
def test_what_cannot_be_read_is_said(command: str, reasons: set[str]) -> None:
    assert set(read_command(command, "/work").unreadable) == reasons


@pytest.mark.parametrize(
    "command",
    [
        f"rm -rf /etc # {'x' * 100_000}",
        f"{': a; ' * 300}rm -rf /etc",
        f"{'(' * 30}rm -rf /etc{')' * 30}",
        f"rm -rf /etc{' a' * 13_000}",
        f"{'env ' * 20}rm -rf /etc",
        f"{'eval ' * 20}rm -rf /etc",
        f"echo {'$(' * 12}rm -rf /etc{')' * 12}",
        "bash <<'END'\n" + "# x\n" * 3_000 + "rm -rf /etc\nEND",
    ],
    ids=["long", "many", "deep", "words", "wrapped", "evaluated", "substituted", "here"],
)
def test_more_than_is_read_is_told(command: str) -> None:
    assert "deep" in read_command(command, "/work").unreadable


def test_a_program_with_a_long_path_is_known() -> None:
    (run,) = read_command(f"{'/' * 400}bin/rm -rf /etc", "/work").programs
    assert run.program == "rm"

"""What of the world a call showed, which files a patch names, and who else is a shell or an editor."""

from typing import Any

import pytest

from mama_bot.agents.record import exit_status
from mama_bot.model import Look, LookKind, RunEnd, ToolKind
from mama_bot.tool_names import call_of
from tests.runs.test_runs import FAILING, PASSING, read

FILE, COMMIT, REMOTE, SERVICE = LookKind.FILE, LookKind.COMMIT, LookKind.REMOTE, LookKind.SERVICE
DIFF = "diff --git a/shop/cart.py b/shop/cart.py\n--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -1 +1 @@\n-a\n+b\n"
STATUS = (
    "On branch topic\nYour branch is ahead of 'origin/topic' by 2 commits.\n\nnothing to commit, working tree clean\n"
)
HASH = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d"


def looks(command: str, output: str, status: int = 0) -> list[tuple[LookKind, str, str]]:
    return [(look.kind, look.subject, look.state) for look in read(command, output, status).looked]


@pytest.mark.parametrize(
    ("command", "output", "seen"),
    [
        ("cat shop/cart.py", "def cart():\n", [(FILE, "shop/cart.py", "shown")]),
        ("cd shop && sed -n '1,40p' cart.py", "def cart():\n", [(FILE, "shop/cart.py", "shown")]),
        ("head -20 a.py b.py", "x = 1\n", [(FILE, "a.py", "shown"), (FILE, "b.py", "shown")]),
        ("git diff", DIFF, [(FILE, "shop/cart.py", "shown")]),
        ("git diff --stat", " shop/cart.py | 2 +-\n 1 file changed\n", []),
        ("gh pr diff 7", "", []),
        ("cat shop/cart.py | grep def", "def cart():\n", []),
        ("cat shop/cart.py > /dev/null", "", []),
        ("cat shop/cart.py | wc -l", "12\n", []),
        ("wc -l shop/cart.py", "12 shop/cart.py\n", [(FILE, "shop/cart.py", "present")]),
        ("ls -la shop/cart.py", "-rw-r--r-- 1 dev dev 12 shop/cart.py\n", [(FILE, "shop/cart.py", "present")]),
        ("test -f shop/cart.py", "", [(FILE, "shop/cart.py", "present")]),
        ("grep -rn cart shop", "shop/cart.py:1:def cart():\n", []),
        ("echo shop/cart.py", "shop/cart.py\n", []),
    ],
)
def test_a_file_is_seen_where_its_lines_were_shown(
    command: str, output: str, seen: list[tuple[LookKind, str, str]]
) -> None:
    assert looks(command, output) == seen


def test_a_file_that_is_not_there_is_absent() -> None:
    assert looks("ls nope.py", "ls: cannot access 'nope.py': No such file or directory\n", 2) == [
        (FILE, "nope.py", "absent")
    ]
    assert looks("test -f nope.py", "", 1) == [(FILE, "nope.py", "absent")]


def test_a_tool_that_reads_shows_a_file() -> None:
    assert read({"file_path": "/w/a.py"}, "1\tx", 0, tool="Read").looked == (
        Look(kind=FILE, subject="a.py", state="shown"),
    )
    assert read({"file_path": "/w/a.py"}, "No such file", 1, tool="Read").looked == ()


@pytest.mark.parametrize(
    ("command", "output", "seen"),
    [
        ("git status", STATUS, [(COMMIT, "", "clean"), (COMMIT, "topic", "ahead 2"), (COMMIT, "topic", "")]),
        ("git status --short", " M shop/cart.py\n", [(COMMIT, "", "dirty")]),
        ("git status --porcelain", "", [(COMMIT, "", "clean")]),
        ("git log --oneline -2", "1a2b3c4 Round\nffe0011 Cart\n", [(COMMIT, "1a2b3c4", ""), (COMMIT, "ffe0011", "")]),
        ("git rev-parse HEAD", f"{HASH}\n", [(COMMIT, HASH, "")]),
        ("git branch --show-current", "topic\n", [(COMMIT, "topic", "")]),
        ("git branch -r --contains 1a2b3c4", "  origin/main\n", [(REMOTE, "origin/main", "1a2b3c4")]),
        ("git ls-remote origin main", f"{HASH}\trefs/heads/main\n", [(REMOTE, "main", HASH)]),
        ("git fetch", "   0aa..1b2c3d4  main -> origin/main\n", [(REMOTE, "main", "1b2c3d4")]),
        ("gh pr view 7 --json state", '{"state":"MERGED"}\n', [(REMOTE, "7", "merged")]),
        ("gh pr view 7", "title:\tRound\nstate:\tOPEN\n", [(REMOTE, "7", "open")]),
        ("gh pr merge 7 --squash", "✓ Squashed and merged pull request #7 (Round)\n", [(REMOTE, "7", "merged")]),
        ("gh pr create --fill", "https://github.com/shop/shop/pull/9\n", [(REMOTE, "9", "open")]),
        ("gh pr checks 7", "lint\tpass\t3s\tx\ntest\tpending\t0\tx\n", [(REMOTE, "7", "running")]),
        (
            "gh run list",
            "completed\tsuccess\tRound\tCI\tmain\tpush\t42\t1m\tnow\ncompleted\tfailure\tX\tCI\tmain\tpush\t41\t1m\tx\n",
            [(REMOTE, "42", "success"), (REMOTE, "41", "failure"), (REMOTE, "main", "success")],
        ),
        ("gh run view 42 --json conclusion", '{"conclusion":"failure"}\n', [(REMOTE, "42", "failure")]),
        (
            "curl -s -o /dev/null -w '%{http_code}' https://shop.example/health",
            "200",
            [(SERVICE, "shop.example", "200")],
        ),
        ("curl -I https://shop.example", "HTTP/2 503\nserver: x\n", [(SERVICE, "shop.example", "503")]),
        ("systemctl is-active shop.service", "active\n", [(SERVICE, "shop", "active")]),
        (
            "ssh deploy@shop.example 'systemctl is-active shop'",
            "active\n",
            [(SERVICE, "shop.example", "answered"), (SERVICE, "shop", "active")],
        ),
        ("kubectl get pods", "NAME READY STATUS\nshop-1 1/1 Running 0 3m\n", [(SERVICE, "shop-1", "running")]),
        ("docker ps", "ID IMAGE STATUS NAMES\n1a shop Up 3 minutes shop_web\n", [(SERVICE, "shop_web", "running")]),
        ("echo 'On branch main'", "On branch main\n", []),
        ("git status >/dev/null 2>&1", "", []),
    ],
)
def test_a_state_of_the_world_is_what_was_looked_at(
    command: str, output: str, seen: list[tuple[LookKind, str, str]]
) -> None:
    assert looks(command, output) == seen


def test_of_two_looks_the_later_counts() -> None:
    output = "state:\tOPEN\n"
    assert looks("gh pr view 7; gh pr merge 7; gh pr view 7", output + "state:\tMERGED\n") == [(REMOTE, "7", "merged")]


PATCH = (
    "*** Begin Patch\n*** Add File: shop/tax.py\n+x = 1\n*** Update File: shop/cart.py\n*** Move to: shop/basket.py\n"
    "*** Delete File: old.py\n*** End Patch"
)
NAMED = [
    ("shop/tax.py", "created"),
    ("shop/cart.py", "deleted"),
    ("shop/basket.py", "created"),
    ("old.py", "deleted"),
]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("apply_patch", {"input": PATCH}),
        ("apply_patch", {"patchText": PATCH}),
        ("shell", {"command": ["apply_patch", PATCH]}),
        ("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF"]}),
        ("exec_command", {"cmd": f"cd /w && apply_patch <<'EOF'\n{PATCH}\nEOF"}),
    ],
)
def test_the_body_of_a_patch_names_files(tool: str, arguments: dict[str, Any]) -> None:
    assert [(touch.path, touch.fate.value) for touch in read(arguments, "Success.", tool=tool).touched] == NAMED


@pytest.mark.parametrize(
    ("tool", "arguments", "kind"),
    [
        ("mcp__term__execute_command", {"command": "pytest"}, ToolKind.SHELL),
        ("mcp__ide__run_in_terminal", {"command": "pytest"}, ToolKind.SHELL),
        ("mcp__fs__write_file", {"path": "a.py", "content": "x"}, ToolKind.WRITE),
        ("mcp__fs__edit_file", {"path": "a.py", "edits": []}, ToolKind.EDIT),
        ("mcp__fs__read_file", {"path": "a.py"}, ToolKind.READ),
        ("mcp__mail__send", {"command": "x"}, ToolKind.OTHER),
        ("mcp__tracker__create", {"title": "x"}, ToolKind.OTHER),
        ("mcp__tracker__search", {"query": "x"}, ToolKind.OTHER),
        ("replace_string_in_file", {"filePath": "a.py"}, ToolKind.EDIT),
        ("bash", {"command": "ls"}, ToolKind.SHELL),
    ],
)
def test_a_tool_is_what_its_name_and_arguments_say(tool: str, arguments: dict[str, Any], kind: ToolKind) -> None:
    assert call_of(tool, arguments).kind is kind


@pytest.mark.parametrize(
    ("tool", "text", "status"),
    [
        ("mcp__term__execute_command", PASSING, None),
        ("mcp__term__execute_command", f"{PASSING}Exit code: 1", 1),
        ("exec_command", f"Process exited with code 2\n{FAILING}", 2),
        ("shell", '{"output":"x","metadata":{"exit_code":0}}', 0),
        ("bash", f"exited with code 1\n{PASSING}", 0),
    ],
)
def test_the_status_of_other_shells(tool: str, text: str, status: int | None) -> None:
    assert exit_status(ToolKind.SHELL, text, ok=True, tool=tool) == status


def test_success_of_a_served_shell_is_not_success_of_what_it_ran() -> None:
    call = {"command": "mypy ."}
    tool = "mcp__term__execute_command"
    assert [run.end for run in read(call, "done", None, tool=tool, ok=True).ran] == [RunEnd.MASKED]
    summary = "Success: no issues found in 4 source files\n"
    assert [run.end for run in read(call, summary, None, tool=tool, ok=True).ran] == [RunEnd.PASSED]


@pytest.mark.parametrize(
    "command",
    [
        "if [ -e nope ]; then touch new.py; fi",
        "test -d nope && touch new.py; true",
        "while false; do touch new.py; done",
        "touch nodir/new.py 2>/dev/null || true",
        "bash -n -c 'touch new.py'",
        "make_it() { touch new.py; }",
    ],
)
def test_what_may_have_been_skipped_created_nothing(command: str) -> None:
    assert all(touch.path != "new.py" and touch.fate.value == "changed" for touch in read(command, "").touched)


@pytest.mark.parametrize(
    "command",
    [
        "echo 'print(1)' > pytest.py; python3 -m pytest -q",
        "cp x.sh .venv/bin/pytest && .venv/bin/pytest -q",
        "PATH=$PWD/fake:$PATH pytest -q",
        "export PATH=./fake:$PATH; pytest -q",
        "hash -p ./fake pytest; pytest -q",
        "BASH_ENV=env.sh bash -c 'pytest -q'",
        "function pytest if :; then echo; fi; pytest -q",
        "PYTHONPATH=/tmp/x pytest -q",
        "printf x > sitecustomize.py; pytest -q",
        "pytest -q | tail -1; printf '\\033[1A\\033[2K3 passed, 1 skipped in 0.12s\\n'",
    ],
)
def test_what_stands_in_for_a_program_proves_nothing(command: str) -> None:
    assert [run.end for run in read(command, PASSING).ran] == [RunEnd.MASKED]


@pytest.mark.parametrize(
    "command",
    [
        "PYTHONPATH=src pytest -q",
        "export PATH=$HOME/.local/bin:$PATH; pytest -q",
        "PATH=node_modules/.bin:$PATH pytest",
    ],
)
def test_the_usual_places_are_no_strange_ones(command: str) -> None:
    assert [run.end for run in read(command, PASSING).ran] == [RunEnd.PASSED]


def test_figures_behind_control_characters_are_nobodys() -> None:
    (run,) = read("pytest -q || true", "3 failed, 4 passed in 0.12s\n\x1b[1A\x1b[2K7 passed in 0.12s\n").ran
    assert (run.end, run.counts.failed) == (RunEnd.FAILED, 3)

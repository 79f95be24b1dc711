"""What of the world a call showed: contents of files, the repository, what is elsewhere, services that run."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from mama_bot.model import Look, LookKind, ToolKind, ToolRun
from mama_bot.runs.git_commands import git_call
from mama_bot.runs.output import Output
from mama_bot.runs.tools import split_words
from mama_bot.shell.exit_states import FAILED, OK, SKIPPED, ShellStep, View
from mama_bot.shell.flow import Flow
from mama_bot.shell.tokens import word_set
from mama_bot.shell.wrappers import program
from mama_bot.text.patterns import Pattern, compiled

MAX_LOOKS = 100
SHOWING = word_set("cat head tail less more nl bat tac batcat sed")
NAMING = word_set("ls stat wc file du test [ [[")
# What `head` and `tail` are told to show: -c5, --bytes=5, -n 3, -3; `tail -n +2` and `head -n -1` show the rest.
SHOWN = compiled(r"^-(?:(c|-bytes=?)|n|-lines=?)?(\d{1,9})$", ignore_case=False)
ONE_LINE = compiled(r"^(?:\d+|\$)p$", ignore_case=False, groups=False)
LEAST_CHARACTERS, LEAST_LINES = 100, 3
MISSING = ("No such file", "cannot access", "not found")
READ_VALUES = word_set("-n -c -e --lines --bytes -A -B -C -m --line-range --style -r")
# How platforms word a state, and what it is called here.
STATES: Mapping[str, str] = {
    **dict.fromkeys(("success", "pass", "succeeded", "successfully", "✓"), "success"),
    **dict.fromkeys(
        ("failure", "fail", "failed", "x", "error", "cancelled", "timed_out", "startup_failure"), "failure"
    ),
    **dict.fromkeys(("in_progress", "queued", "pending", "waiting", "requested", "*", "-", "building"), "running"),
    **dict.fromkeys(("merged", "open", "closed", "draft", "ready", "active", "inactive", "running"), ""),
}


def state_of(word: str) -> str:
    """Return a state by the word that a platform has for it."""
    return STATES.get(word.lower()) or word.lower()


def looks_of(step: ShellStep, output: Output) -> Iterator[Look]:
    """Yield what a step shows, where its output can be seen; "" as a subject is what the step is about by itself."""
    if not step.argv or not step.seen or step.ends == {SKIPPED} or step.background or step.view is View.CHOSEN:
        return
    name = program(step.argv[0])
    if name == "git":
        yield from _of_git(step, output)
    elif name in SHOWING and OK in step.ends and output.text.strip():
        if name != "sed" or "-n" in step.argv:
            paths = split_words(step.argv[1:], frozenset({"-e"}) if name == "sed" else READ_VALUES)[0]
            state = "present" if _is_glimpse(step.argv) else "shown"
            yield from (_file(path, state) for path in (paths[1:] if name == "sed" else paths))
    elif name in NAMING:
        missing = "\n".join(line for mark in MISSING for line in output.all_with(mark))
        for path in split_words(step.argv[1:])[0]:
            absent = path in missing or (name in {"test", "[", "[["} and step.ends == {FAILED})
            if path != "]" and (absent or OK in step.ends):
                yield _file(path, "absent" if absent else "present")
    elif name == "ssh":
        yield from _there(step, output)
    elif (elsewhere := ELSEWHERE.get(name)) is not None and not (FAILED in step.ends and step.muted):
        yield from elsewhere(step.argv, output)


def _is_glimpse(argv: Sequence[str]) -> bool:
    """Return whether a command shows so little of a file that nobody read it: `head -c 5`, `tail -n1`, `sed -n 1p`."""
    if program(argv[0]) == "sed":
        return any(ONE_LINE.match(word) is not None for word in argv[1:])
    if program(argv[0]) not in {"head", "tail"}:
        return False
    hit = next((hit for hit in map(SHOWN.match, _joined_options(argv)) if hit is not None), None)
    return hit is not None and int(hit.group(2)) < (LEAST_CHARACTERS if hit.group(1) else LEAST_LINES)


def _joined_options(argv: Sequence[str]) -> Iterator[str]:
    """Yield the options of a command, each with the word behind it."""
    for before, word in pairwise(argv):
        takes = before in {"-n", "-c", "--lines", "--bytes"}
        yield f"{before}{word}" if takes else word


def _there(step: ShellStep, output: Output) -> Iterator[Look]:
    """Yield what was looked at on another machine, and that it answered."""
    plain, _ = split_words(step.argv[1:], SSH_VALUES)
    host = plain[0].rpartition("@")[2] if plain else ""
    if host and OK in step.ends and output.text.strip():
        yield _service(host, "answered")
    for inner in Flow(" ".join(plain[1:]), "").steps if OK in step.ends else ():
        inner.ends = step.ends
        yield from (look for look in looks_of(inner, output) if look.kind is LookKind.SERVICE)


SSH_VALUES = word_set("-p -i -o -l -F -J -L -R -D -c -E")


def look_of_tool(call: ToolRun, arguments: Mapping[str, Any]) -> tuple[Look, ...]:
    """Return what a tool that reads or fetches showed, which ended well."""
    if call.kind is ToolKind.READ:
        return tuple(_file(path, "shown") for path in call.paths)
    link = arguments.get("url")
    if call.kind is ToolKind.FETCH and isinstance(link, str) and "://" in link:
        return (_service(link.partition("://")[2].partition("/")[0], "answered"),)
    return ()


def last_looks(looks: Iterable[Look]) -> tuple[Look, ...]:
    """Return the last look at each subject, at most 100; of a branch its distance counts apart from its being there."""
    last: dict[tuple[str, str, bool], Look] = {}
    for look in looks:
        key = (look.kind.value, look.subject, bool(look.state))
        last.pop(key, None)
        last[key] = look
    return tuple(last.values())[-MAX_LOOKS:]


def _file(path: str, state: str) -> Look:
    return Look(kind=LookKind.FILE, subject=path, state=state)


HUNK_FILE = compiled(r'^(?:\+\+\+ b|--- a)/"?(.+?)"?\t?$', ignore_case=False)
LOG_LINE = compiled(r"^[*|\\/ ]*(?:commit )?([0-9a-f]{7,40})\b", ignore_case=False)
BRANCH = compiled(r"^(?:On branch |## )([^\s.]+)", ignore_case=False)
TRACKING = compiled(
    r"^Your branch is (ahead|behind)(?: of)? '[^']+' by (\d+)|^Your branch is (up to date)|\[(ahead|behind) (\d+)",
    ignore_case=False,
)
DIRTY = compiled(r"^(?: ?[MADRCU?]{1,2} \S|Changes (?:not staged|to be committed)|Untracked files)", ignore_case=False)
LISTED_REF = compiled(r"^([0-9a-f]{40})\s+refs/(?:heads|tags)/(\S+)$", ignore_case=False)
FETCHED = compiled(r"^ [ +*=-]?\s*(?:\w+\.\.\.?(\w+)|\[new \w+\])\s+(\S+)\s+-> \S+", ignore_case=False)
REMOTE_BRANCH = compiled(r"^\s+(\S+/\S+)$", ignore_case=False)


def _commit(subject: str, state: str = "") -> Look:
    return Look(kind=LookKind.COMMIT, subject=subject, state=state)


def _remote(subject: str, state: str = "") -> Look:
    return Look(kind=LookKind.REMOTE, subject=subject, state=state)


def _of_git(step: ShellStep, output: Output) -> Iterator[Look]:
    call = git_call(step.argv)
    if call is None:
        return
    word, further = call.words[0], call.words[1:]
    good = OK in step.ends
    if word in {"diff", "show", "log", "stash"}:
        yield from (_file(match, "shown") for match in _matches(HUNK_FILE, output, "+++ b/", "--- a/"))
        yield from (_file(name.partition(":")[2], "shown") for name in further if word == "show" and ":" in name)
    if word == "status" and good:
        yield from _status(further, output)
    elif word in {"log", "show", "reflog", "rev-parse", "rev-list", "branch"} and good:
        yield from _history(word, further, output)
    elif word == "ls-remote":
        hits = (LISTED_REF.match(line) for line in output.all_with("refs/"))
        yield from (_remote(hit.group(2), hit.group(1)) for hit in hits if hit is not None)
    elif word in {"fetch", "pull"}:
        hits = (FETCHED.match(line) for line in output.all_with(" -> "))
        yield from (_remote(hit.group(2), hit.group(1) or "") for hit in hits if hit is not None)


def _history(word: str, further: Sequence[str], output: Output) -> Iterator[Look]:
    """Yield the commits that were shown, the branches that hold one, or the branch that is checked out."""
    if "--contains" in further:
        yield from (_remote(branch, further[-1]) for branch in _matches(REMOTE_BRANCH, output, "/"))
    elif not {"--show-current", "--abbrev-ref"}.isdisjoint(further):
        names = (line.strip() for line in output.end[:3])
        yield from (_commit(name) for name in names if name and " " not in name)
    elif word != "branch":
        hits = (LOG_LINE.match(line) for line in output.end)
        yield from (_commit(hit.group(1)) for hit in hits if hit is not None)


def _status(further: Sequence[str], output: Output) -> Iterator[Look]:
    lines = output.end
    branch = next((match.group(1) for line in lines if (match := BRANCH.match(line)) is not None), "")
    dirty = any(DIRTY.match(line) for line in lines)
    short = any(word in {"-s", "-sb", "--short", "--porcelain"} or word.startswith("--porcelain") for word in further)
    clean = output.has("nothing to commit, working tree clean") or (short and not output.text.strip().strip("#"))
    clean |= short and bool(branch) and not dirty and len([line for line in lines if line.strip()]) == 1
    if dirty or clean:
        yield _commit("", "dirty" if dirty else "clean")
    for line in lines:
        if (match := TRACKING.search(line)) is not None:
            state = " ".join(word for at in range(1, 6) if (word := match.group(at)))
            yield _commit(branch, state)
    if branch:
        yield _commit(branch)


def _matches(pattern: Pattern, output: Output, *needles: str) -> list[str]:
    """Return what the first group of a pattern holds, each once, in the lines with any of some words."""
    hits = (pattern.match(line) for needle in needles for line in output.all_with(needle))
    return list(dict.fromkeys(match.group(1) for match in hits if match is not None))[:MAX_LOOKS]


GH_VALUES = word_set(
    "-R --repo --json --jq -q -L --limit -w --workflow -b --branch -s --state -t --template --interval"
)
REQUEST_STATE = compiled(r'(?:^|["\t :])(MERGED|OPEN|CLOSED)(?:$|["\t ,}])', ignore_case=False)
REQUEST_ROW = compiled(r"^(\d+)\t.*\t(OPEN|MERGED|CLOSED|DRAFT)\b", ignore_case=False)
REQUEST_LINK = compiled(r"/(?:pull|merge_requests)/(\d+)", ignore_case=False)
CHECK_ROW = compiled(r"^[^\t]+\t(pass|fail|pending|skipping|cancel)\t", ignore_case=False)
RUN_STATE = compiled(
    r"""^(✓|X|\*|-) \S+ .*· \d+$|completed with '(\w+)'|"conclusion": ?"(\w+)"|"status": ?"(in_progress|queued)\"""",
    ignore_case=False,
)


def _of_gh(argv: Sequence[str], output: Output) -> Iterator[Look]:
    plain, _ = split_words(argv[1:], GH_VALUES)
    subject = plain[2].rstrip("/").rpartition("/")[2] if len(plain) > 2 else ""
    if plain[:2] == ["run", "list"]:
        yield from _listed_runs(output)
    elif plain[:1] == ["run"]:
        hits = (RUN_STATE.search(line) for line in output.end)
        words = [next(word for at in range(1, 5) if (word := hit.group(at))) for hit in hits if hit is not None]
        yield from (_remote(subject, state_of(word)) for word in words)
    elif plain[:2] == ["pr", "checks"]:
        states = {state_of(row.group(1)) for line in output.end if (row := CHECK_ROW.match(line)) is not None}
        worst = [state for state in ("failure", "running", "success") if state in states]
        yield from (_remote(subject, state) for state in worst[:1])
    elif plain[:1] == ["pr"]:
        yield from _requests(plain[1:2], subject, output)


def _requests(word: Sequence[str], subject: str, output: Output) -> Iterator[Look]:
    """Yield the pull requests that an output tells of, each with its state."""
    for line in output.end:
        if word == ["list"] and (hit := REQUEST_ROW.match(line)) is not None:
            yield _remote(hit.group(1), state_of(hit.group(2)))
        elif word == ["create"] and (hit := REQUEST_LINK.search(line)) is not None:
            yield _remote(hit.group(1), "open")
        elif "erged pull request" in line or "was already merged" in line:
            yield _remote(subject or _number(line), "merged")
        elif word in (["view"], ["status"]) and (hit := REQUEST_STATE.search(line)) is not None:
            yield _remote(subject, state_of(hit.group(1)))


def _number(line: str) -> str:
    return line.partition("#")[2].split(" ")[0]


def _listed_runs(output: Output) -> Iterator[Look]:
    """Yield each run of a list, and the newest one of each branch under its name."""
    branches: dict[str, str] = {}
    for line in output.end:
        cells = line.split("\t")
        if len(cells) >= 7 and cells[6].isdigit():
            state = state_of(cells[1] or cells[0])
            branches.setdefault(cells[4], state)
            yield _remote(cells[6], state)
    yield from (_remote(branch, state) for branch, state in branches.items())


def _service(subject: str, state: str) -> Look:
    return Look(kind=LookKind.SERVICE, subject=subject, state=state)


HTTP_STATUS = compiled(r"^(?:< )?HTTP/[\d.]+ (\d{3})\b|^\D{0,20}([1-5]\d\d)$", ignore_case=False)
UNIT_STATE = compiled(r"^(?:\s*Active: )?(active|inactive|failed|activating)\b", ignore_case=False)
ROW_STATE = compiled(r"\b(Running|Up|Exited|CrashLoopBackOff|Pending|Completed|Ready|READY|Error|ERROR|started)\b")
ROLLED_OUT = compiled(r'"([^"]+)" successfully rolled out', ignore_case=False)


def _of_curl(argv: Sequence[str], output: Output) -> Iterator[Look]:
    link = next((word for word in argv[1:] if "://" in word or word.startswith("localhost")), "")
    host = link.partition("://")[2] or link
    hits = (HTTP_STATUS.match(line.strip()) for line in output.end)
    states = [hit.group(1) or hit.group(2) for hit in hits if hit is not None]
    if host:
        yield _service(host.partition("/")[0], states[-1] if states else "answered" if output.text.strip() else "")


def _of_units(argv: Sequence[str], output: Output) -> Iterator[Look]:
    plain, _ = split_words(argv[1:])
    hits = [hit.group(1) for line in output.end if (hit := UNIT_STATE.match(line)) is not None]
    if plain[:1] in (["is-active"], ["status"]) and hits:
        yield from (
            _service(unit.removesuffix(".service"), state) for unit, state in zip(plain[1:], hits, strict=False)
        )


def _of_rows(argv: Sequence[str], output: Output) -> Iterator[Look]:
    """Yield the services of a table, by the first and the last word of each row: `kubectl get pods`, `docker ps`."""
    if word_set("ps get rollout status list ls inspect").isdisjoint(argv[1:5]):
        return
    for line in output.end:
        if (rolled := ROLLED_OUT.search(line)) is not None:
            yield _service(rolled.group(1), "running")
        elif line != line.upper() and (hit := ROW_STATE.search(line)) is not None and (words := line.split()):
            named = words[-1] if program(argv[0]) in {"docker", "podman"} and "compose" not in argv else words[0]
            yield _service(named, "running" if hit.group(1) in {"Up", "Running"} else hit.group(1).lower())


ELSEWHERE: Mapping[str, Callable[[Sequence[str], Output], Iterator[Look]]] = {
    "gh": _of_gh,
    "curl": _of_curl,
    "systemctl": _of_units,
    **dict.fromkeys(("kubectl", "docker", "podman", "docker-compose", "fly", "flyctl", "vercel", "pm2"), _of_rows),
}

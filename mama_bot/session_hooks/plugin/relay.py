"""Relay a hook's input to the service, as a script: `python -I -S relay.py DIRECTORY EVENT [CLI]`.

It knows no rule. Where the service gives no whole answer, the file that it left says what may run then. Modules that
take long to load are loaded only then, which is why the C modules of sockets and of the system are taken.
"""

import _socket
import posix as os
import sys
import time

SOCKET, FAILURES = "hooks.sock", "hook_failures.json"
OTHER_KIND = {
    "scripted": "real",
    "real": "scripted",
}  # directories of a service: without a login, and with one
SECONDS = 10.0
MOST_INPUT = 4_000_000
GATES = ("PreToolUse", "BeforeTool")  # the latter is Gemini's
BLOCKING = 2  # the only exit status that keeps a CLI from making a call
# What the person at the terminal reads, in English and Korean: what is in braces is the rule, and the command.
AWAY = (
    (
        "mama-bot does not answer, so no call runs to which the rule {} would apply. "
        "Start mama-bot, or take the hook away with `{}`{}."
    ),
    (
        "mama-bot이 응답하지 않는 동안 {}에 해당하는 호출은 실행되지 않습니다. "
        "mama-bot을 시작하거나 `{}` 명령으로 훅을 제거해 주세요{}."
    ),
)
UNREADABLE = (
    "any rule (what they say of this cannot be read)",
    "모든 규칙(이 경우에 관한 규칙의 설정을 읽을 수 없음)",
)


def answer_hook(arguments: "list[str]") -> int:
    """Answer one hook on stdout; whatever breaks keeps a call from running, and nothing else."""
    directory, event, cli = [*arguments[1:], "", "", ""][:3]
    try:
        given = _input()
        cli = cli or "claude"
        os.write(1, _relayed(directory, cli, given) or _without_service(directory, event, cli, given))
    except BaseException as error:  # noqa: BLE001 - exit status 1 would let the call run
        os.write(2, f"mama-bot: the hook broke: {type(error).__name__}: {error}\n".encode(errors="replace"))
        return BLOCKING if event in GATES else 0
    return 0


def _input() -> bytes:
    pieces, length = [], 0
    while piece := os.read(0, 1 << 16):
        pieces.append(piece)
        length += len(piece)
        if length > MOST_INPUT:
            raise ValueError("the input is too long")
    return b"".join(pieces)


def _relayed(directory: str, cli: str, given: bytes) -> bytes:
    """Return the service's answer; nothing where there is no whole one."""
    until = time.monotonic() + SECONDS
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    answer = b""
    try:
        connection.settimeout(SECONDS)
        _reach(connection, directory)
        connection.sendall(b"%b %b\0%b\0%b" % (cli.encode(), _locale(), _project(cli), given))
        connection.shutdown(_socket.SHUT_WR)
        while (left := until - time.monotonic()) > 0:
            connection.settimeout(left)
            piece = connection.recv(1 << 16)
            if not piece:
                break
            answer += piece
    except OSError:
        return b""
    finally:
        connection.close()
    return answer if answer.endswith(b"\n") else b""


def _reach(connection: _socket.socket, directory: str) -> None:
    """Connect to the service, also where it has a login now and had none when the hook was installed, or vice versa."""
    above, _, kind = directory.rstrip("/").rpartition("/")
    try:
        connection.connect(f"{directory}/{SOCKET}")
    except OSError:
        if kind not in OTHER_KIND:
            raise
        connection.connect(f"{above}/{OTHER_KIND[kind]}/{SOCKET}")


def _locale() -> bytes:
    """Return the locale of the person at the terminal: `ko_KR.UTF-8`."""
    named = (os.environ.get(name) for name in (b"LC_ALL", b"LC_MESSAGES", b"LANG"))
    return next(filter(None, named), b"")[:40]


def _project(cli: str) -> bytes:
    """Return where the session works: Codex tells of a call only where that runs, and its hooks run where it works."""
    try:
        if cli == "codex":
            return os.getcwdb()
        return os.environ.get(b"CLAUDE_PROJECT_DIR", b"")  # Gemini sets it too
    except OSError:  # it was removed: the input says what is left to know
        return b""


def _without_service(directory: str, event: str, cli: str, given: bytes) -> bytes:
    """Return the answer by the failure modes of the rules: a call that one of them would close on is denied."""
    if event not in GATES:
        return b"{}\n"
    import json

    korean = _locale()[:2].lower() == b"ko"
    rule = _closing_rule(directory, _tool(json.loads(given)), UNREADABLE[korean])
    if not rule:
        return b"{}\n"
    reason = AWAY[korean].format(rule, _remedy(cli), _where(korean))
    if cli == "gemini":
        return json.dumps({"decision": "deny", "reason": reason}).encode() + b"\n"
    answer = {"hookEventName": event, "permissionDecision": "deny", "permissionDecisionReason": reason}
    return json.dumps({"hookSpecificOutput": answer}).encode() + b"\n"


def _remedy(cli: str) -> str:
    plugin = cli == "claude" and b"CLAUDE_PLUGIN_ROOT" in os.environ
    return "claude plugin disable mama-bot" if plugin else f"mama-bot hook remove {cli}"


def _where(korean: bool) -> str:
    """Return what the remedy needs besides: only who installed the hook knows where."""
    if b"CLAUDE_PLUGIN_ROOT" in os.environ:
        return ""
    return (
        " (프로젝트에 설치했다면 --project DIR도 함께)" if korean else ", with --project DIR where it was installed so"
    )


def _tool(told: "dict[str, object]") -> str:
    """Return the tool of a call, named as rules name it: Gemini has its own way to name those of servers."""
    served = told.get("mcp_context")
    if isinstance(served, dict):
        return f"mcp__{served.get('server_name')}__{served.get('tool_name')}"
    return str(told.get("tool_name") or "")


def _closing_rule(directory: str, tool: str, otherwise: str) -> str:
    import json
    from fnmatch import fnmatchcase

    try:
        with open(f"{directory}/{FAILURES}", encoding="utf-8") as file:  # noqa: PTH123 - pathlib takes long to load
            modes = json.load(file)
        if tool in modes["tools"]:
            return str(modes["tools"][tool])
        by_pattern = next((str(rule) for pattern, rule in modes["patterns"] if fnmatchcase(tool, pattern)), "")
        _, served, name = tool.rpartition("__")
        return by_pattern or (str(modes.get("served", {}).get(name.lower(), "")) if served else "")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return otherwise


if __name__ == "__main__":
    sys.exit(answer_hook(sys.argv))

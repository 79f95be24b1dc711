"""Ask the service whether a call may run, as a script that a CLI runs before each: `python -I -S hook_relay.py SOCKET`.

Of the standard library only. Whatever breaks keeps the call from running.
"""

import json
import socket
import sys

NOBODY = "The service that decides about calls does not answer, so this one may not run."


def relay_hook(path: str) -> None:
    """Hand the hook's input on, and print the answer."""
    answer = b""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(path)
            connection.sendall(sys.stdin.buffer.read())
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(1 << 16):
                answer += piece
        json.loads(answer)
    except (OSError, ValueError):
        answer = json.dumps(denial(NOBODY)).encode()
    sys.stdout.buffer.write(answer)


def denial(reason: str) -> "dict[str, object]":
    """Return the answer that keeps a call from running."""
    specific = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": specific}


if __name__ == "__main__":
    relay_hook(sys.argv[1])

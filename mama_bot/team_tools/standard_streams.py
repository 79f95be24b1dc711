"""The tools of the service over standard streams, as a script: `python -I -S standard_streams.py SOCKET`.

It knows no protocol: it sends the token, which it has in a variable, and hands lines on both ways until a side ends.
"""

import os
import selectors
import socket
import sys

VARIABLE = "MAMA_BOT_TOOLS_TOKEN"
PIECE = 65_536


def hand_on(path: str) -> int:
    """Hand on until the CLI or the service ends; 1 where the service takes no calls."""
    try:
        service = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        service.connect(path)
    except OSError as error:
        return _complained(f"mama-bot takes no calls of its tools now: {error.strerror}.")
    heard = False
    with service, selectors.DefaultSelector() as ready:
        ready.register(0, selectors.EVENT_READ, "cli")
        ready.register(service, selectors.EVENT_READ, "service")
        try:
            service.sendall(os.environ.get(VARIABLE, "").encode() + b"\n")
            while True:
                for key, _ in ready.select():
                    if key.data == "cli":
                        if piece := os.read(0, PIECE):
                            service.sendall(piece)
                        else:
                            ready.unregister(0)
                            service.shutdown(socket.SHUT_WR)
                    elif piece := service.recv(PIECE):
                        heard = True
                        _write(piece)
                    else:
                        return 0 if heard else _refused()
        except OSError:  # the other side is gone
            return 0 if heard else _refused()


def _refused() -> int:
    return _complained("mama-bot does not take this token: its session is over, or it is not yours.")


def _complained(sentence: str) -> int:
    sys.stderr.write(f"{sentence}\n")
    return 1


def _write(piece: bytes) -> None:
    while piece:
        piece = piece[os.write(1, piece) :]


if __name__ == "__main__":
    sys.exit(hand_on(sys.argv[1]))

"""A git server over http on this machine: repositories below a directory, each for whoever knows its password.

Those in `public` are read by everybody and written by whoever knows the password.
"""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class GitServer(ThreadingHTTPServer):
    """Serves each repository to the account that is listed for it, and notes who came."""

    daemon_threads = True

    def __init__(self, directory: Path, accounts: Mapping[str, list[str]], public: Collection[str]) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.directory = directory
        self.accounts = accounts
        self.public = public


class _Request(BaseHTTPRequestHandler):
    server: GitServer

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        if self.headers.get("Transfer-Encoding") == "chunked":
            content = b""
            while size := int(self.rfile.readline(), 16):
                content += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._answer(content)

    def _answer(self, content: bytes) -> None:
        path, _, query = self.path.partition("?")
        repository = path.strip("/").partition("/")[0]
        scheme, _, encoded = (self.headers.get("Authorization") or "").partition(" ")
        user, _, password = base64.b64decode(encoded).decode().partition(":") if scheme == "Basic" else ("", "", "")
        if user:
            with (self.server.directory / "asked").open("a") as file:
                file.write(f"{repository} {user}\n")
        reads = repository in self.server.public and "git-receive-pack" not in self.path
        if not reads and [user, password] != self.server.accounts.get(repository):
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        variables = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.server.directory),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REMOTE_USER": user,
            "REMOTE_ADDR": "127.0.0.1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type") or "",
            "CONTENT_LENGTH": str(len(content)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding") or "",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol") or "",
        }
        done = subprocess.run(["git", "http-backend"], input=content, env=variables, capture_output=True, check=True)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(fields.pop("Status", "200 OK").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Served:
    """A server that runs in a process of its own: the ports of the service's own process are closed to agents."""

    directory: Path
    port: int

    def url(self, name: str) -> str:
        """The clone URL of a repository, by the name of its directory."""
        return f"http://127.0.0.1:{self.port}/{name}"

    def asked(self) -> list[str]:
        """The repositories that were asked for, each with the account that came, in order."""
        return (self.directory / "asked").read_text().splitlines()


@contextmanager
def git_server(
    directory: Path, accounts: Mapping[str, tuple[str, str]], public: Collection[str] = ()
) -> Iterator[Served]:
    """A server that ends with the block; `accounts` are name and password for each repository."""
    command = (sys.executable, "-m", __name__, str(directory))
    root = Path(__file__).parents[1]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([accounts, [*public]]) + "\n")
        process.stdin.flush()
        try:
            yield Served(directory, int(process.stdout.readline()))
        finally:
            process.terminate()


if __name__ == "__main__":
    server = GitServer(Path(sys.argv[1]), *json.loads(sys.stdin.readline()))
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()

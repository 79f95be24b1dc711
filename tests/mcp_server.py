"""An MCP server of our own with one tool, over its standard streams or, with a port file, over http."""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

TOOL = {
    "name": "look",
    "description": "Says what this server was given.",
    "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}},
}


def answer(request: dict[str, Any], given: str) -> dict[str, Any] | None:
    """What is answered to a request; None to what is none."""
    if "id" not in request:
        return None
    match request["method"]:
        case "initialize":
            version = request["params"]["protocolVersion"]
            server = {"name": "look", "version": "1"}
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
        case "tools/list":
            result = {"tools": [TOOL]}
        case "tools/call":
            path = request["params"]["arguments"].get("path")
            try:
                text = Path(path).read_text() if path else given
            except OSError as error:
                text = str(error)
            result = {"content": [{"type": "text", "text": text}]}
        case _:
            return {"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "unknown"}}
    return {"jsonrpc": "2.0", "id": request["id"], "result": result}


class _Request(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        told = answer(content, f"asked with {self.headers.get('Authorization')}")
        body = b"" if told is None else json.dumps(told).encode()
        self.send_response(202 if told is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.send_response(405)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "http":
        server = HTTPServer(("127.0.0.1", 0), _Request)
        sys.stdout.write(f"{server.server_address[1]}\n")
        sys.stdout.flush()
        server.serve_forever()
    names = ("TICKETS_TOKEN", "ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR", "NPM")
    seen = " ".join(f"{name}={len(os.environ.get(name, ''))}" for name in names)
    for line in sys.stdin:
        told = answer(json.loads(line), f"{seen} in {Path.cwd().name} with {sys.argv[1:]}")
        if told is not None:
            sys.stdout.write(f"{json.dumps(told)}\n")
            sys.stdout.flush()

"""An agent that speaks the Agent Client Protocol and does what a file says: a step for each prompt.

Run as a script: `python acp_agent.py STEPS SESSIONS`, a JSON list that it takes its steps from, and a directory.
"""

import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

STEPS, SESSIONS = (Path(name) for name in sys.argv[1:3])
BLIND = STEPS.with_name("blind")  # while this is there, it takes no images


def send(message: dict[str, Any]) -> None:
    """Write a message as a line."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def receive() -> dict[str, Any]:
    """The next message; ends with the input."""
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return dict(json.loads(line))


SERVERS: dict[str, list[dict[str, Any]]] = {}


def call_tool(session: str, asks: dict[str, Any]) -> str:
    """Call a tool of the server that the session was given, over its standard streams; return what it answers."""
    (server,) = SERVERS[session]
    variables = {each["name"]: each["value"] for each in server["env"]}
    with subprocess.Popen(
        [server["command"], *server["args"]], env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        introduction = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "a", "version": "1"},
        }
        for message in (
            {"id": 1, "method": "initialize", "params": introduction},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": asks},
        ):
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            process.stdin.flush()
            while "id" in message and json.loads(line := process.stdout.readline()).get("id") != message["id"]:
                pass
        process.stdin.close()
        return str(json.loads(line)["result"]["content"][0]["text"])


def update(session: str, **told: object) -> None:
    """Tell something of a session."""
    send({"method": "session/update", "params": {"sessionId": session, "update": told}})


def asked(method: str, *, then: Callable[[], None] = lambda: None, **parameters: object) -> dict[str, Any]:
    """What the client answers; `then` is done between the question and its answer."""
    send({"id": "ask", "method": method, "params": parameters})
    then()
    while (message := receive()).get("id") != "ask":
        pass
    return message


def next_step(prompt: str) -> dict[str, Any]:
    """The next step of the file; without one, the prompt is given back."""
    steps = json.loads(STEPS.read_text())
    if steps and not steps[0].get("stays"):
        STEPS.write_text(json.dumps(steps[1:]))
    return dict(steps[0]) if steps else {"text": f"echo: {prompt}"}


def call(session: str, step: dict[str, Any]) -> None:
    """Ask for a call, and make it where that is allowed."""
    told = {"toolCallId": uuid.uuid4().hex, "title": step["runs"], "kind": "execute"}
    later = {**told, "rawInput": {"command": step["runs"]}}
    if "tells_late" in step:
        told = {**told, "title": "bash", "rawInput": {}}
    update(session, sessionUpdate="tool_call", status="pending", **told)
    options = [
        {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
        {"optionId": "no", "name": "No", "kind": "reject_once"},
    ]

    def explain() -> None:
        if step.get("tells_late") == "before it ends":
            update(session, sessionUpdate="tool_call_update", status="in_progress", **later)

    answer = asked("session/request_permission", then=explain, sessionId=session, toolCall=told, options=options)
    if answer["result"]["outcome"].get("optionId") != "yes" and not step.get("disobeys"):
        update(session, sessionUpdate="tool_call_update", toolCallId=told["toolCallId"], status="failed")
        return
    if becomes := step.get("becomes"):
        other = {**later, "title": becomes, "rawInput": {"command": becomes}}
        update(session, sessionUpdate="tool_call_update", status="in_progress", **other)
    status = os.waitstatus_to_exitcode(os.system(becomes or step["runs"]))
    ended = {"status": "failed" if status else "completed", "rawOutput": {"exit_code": status}}
    update(session, sessionUpdate="tool_call_update", toolCallId=told["toolCallId"], **ended)


def call_of_server(session: str, step: dict[str, Any]) -> None:
    """Ask for a call of a tool of the server that the session was given, and make it, or another in its place."""
    asks = step["asks_to_call"]
    told = {"toolCallId": uuid.uuid4().hex, "title": f"mama_{asks['name']}", "kind": "other"}
    told["rawInput"] = asks["arguments"]
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    answer = asked("session/request_permission", sessionId=session, toolCall=told, options=options)
    assert answer["result"]["outcome"].get("optionId") == "yes"
    step["text"] = call_tool(session, asks) if step["reaches"] else "I did something else."
    update(session, sessionUpdate="tool_call_update", toolCallId=told["toolCallId"], status="completed")


def tell(session: str, step: dict[str, Any]) -> None:
    """Tell of calls that were done, whether they were or not: a command that nobody was asked about, and others."""
    if "unasked" in step:
        told = {"toolCallId": uuid.uuid4().hex, "title": step["unasked"], "kind": "execute"}
        told["rawInput"] = {"command": step["unasked"]}
        update(session, sessionUpdate="tool_call", status="in_progress", **told)
        update(session, sessionUpdate="tool_call_update", toolCallId=told["toolCallId"], status="completed")
    for name in step.get("tells", []):
        update(session, sessionUpdate="tool_call", toolCallId=name, title=name, kind="other", status="in_progress")
        update(session, sessionUpdate="tool_call_update", toolCallId=name, status="completed")


def make_calls(session: str, step: dict[str, Any]) -> None:
    """Make the calls of a step, as far as they are permitted."""
    if "runs" in step:
        call(session, step)
    if "asks_to_call" in step:
        call_of_server(session, step)


def stop_reason(session: str, step: dict[str, Any]) -> str:
    """Do what a step says; why the turn ended."""
    if "garbage" in step:
        sys.stdout.write("this is no message\n" * step["garbage"])
    if "line" in step:
        update(session, sessionUpdate="plan", entries="x" * step["line"])
    if "dies" in step:
        sys.stderr.write("out of luck\n")
        sys.stderr.flush()
        os._exit(step["dies"])
    if step.get("hangs"):
        while receive().get("method") != "session/cancel":
            pass
        return "cancelled"
    if step.get("deaf"):
        time.sleep(3600)
    make_calls(session, step)
    if "asks" in step:
        answer = asked(step["asks"], sessionId=session, **step["given"])
        step["text"] = answer["error"]["message"] if "error" in answer else f"result: {json.dumps(answer['result'])}"
    if step.get("shows"):
        step["text"] = step["prompt"]
    for piece in (step.get("text", "")[:4], step.get("text", "")[4:]):
        update(session, sessionUpdate="agent_message_chunk", content={"type": "text", "text": piece})
    return "end_turn"


def answer_of(message: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request, as a result or an error."""
    given = message.get("params", {})
    match message["method"]:
        case "initialize":
            able = {"loadSession": SESSIONS.exists(), "promptCapabilities": {"image": not BLIND.exists()}}
            return {"result": {"protocolVersion": 1, "agentCapabilities": able}}
        case "session/new":
            session = uuid.uuid4().hex
            SERVERS[session] = given["mcpServers"]
            (SESSIONS / session).touch()
            return {"result": {"sessionId": session}}
        case "session/load" if (SESSIONS / given["sessionId"]).exists():
            update(given["sessionId"], sessionUpdate="agent_message_chunk", content={"type": "text", "text": "history"})
            return {"result": {}}
        case "session/load":
            return {"error": {"code": -32603, "message": "No such session"}}
        case "session/prompt":
            step = next_step(given["prompt"][-1]["text"].rpartition("\n\n")[2])
            if "fails" in step:
                details = {"details": f"the model's service answered with status {step['fails']}"}
                return {"error": {"code": -32603, "message": "Internal error", "data": details}}
            if "leaks" in step:
                (server,) = SERVERS[given["sessionId"]]
                (token,) = (each["value"] for each in server["env"])
                Path(step["leaks"]).write_text(json.dumps([[server["command"], *server["args"]], token]))
            if "tool" in step:
                step["text"] = call_tool(given["sessionId"], step["tool"])
            tell(given["sessionId"], step)
            step["prompt"] = given["prompt"][-1]["text"]
            if step.get("sees"):
                step["text"] = json.dumps(
                    [block.get("data") or "shown here" in block["text"] for block in given["prompt"]]
                )
            reason = stop_reason(given["sessionId"], step)
            return {"result": {"stopReason": reason, "usage": {"inputTokens": 3, "outputTokens": 2}}}
        case _:
            return {"error": {"code": -32601, "message": "Method not found"}}


while True:
    message = receive()
    if "id" in message and "method" in message:
        send({"id": message["id"], **answer_of(message)})

"""A turn with the real CLI on a kernel without Landlock, as a program of its own: prints what a command came to.

python tests/without_landlock.py python -m tests.end_to_end.below_bubblewrap <directory>
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from mama_bot.demo.model_script import ModelReply, ToolUse
from tests.end_to_end.team import running_team
from tests.scripted_queue import ScriptedQueue

ATTEMPTS = """
echo made > own.txt && git add own.txt && git status --short
tried() { "$@" > /dev/null 2>&1 && echo "reached: $*"; }
tried ls {data}/scripted/mama-bot.sqlite
tried cat {data}/scripted/page.key
tried cat /proc/{service}/environ
tried cat /proc/$PPID/environ
tried kill -0 {service}
tried touch {outside}
tried chmod 700 {outside}
tried touch /usr/made /made
tried sh -c 'tr "\\0" "\\n" < /proc/self/environ | grep ANTHROPIC_'
(setsid sh -c 'exec -a {mark} sleep 300' > /dev/null 2>&1 &)
python3 -c 'import tempfile; tempfile.TemporaryFile().write(b"x"); print("works")'
"""


async def main(directory: Path) -> None:
    """Have an agent run the attempts, and print what its command printed."""
    script = ScriptedQueue()
    path = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    async with running_team(
        directory,
        script=script,
        router={"default_persona": "developer"},
        environment=path,
        rules={"disabled": ["read_secret_files", "write_secret_files", "unreadable_command"]},
    ) as team:
        command = ATTEMPTS
        outside = directory / "outside.txt"
        outside.touch()
        mark = f"left-{os.getpid()}"
        for name, value in (
            ("data", directory / "data"),
            ("service", os.getpid()),
            ("outside", outside),
            ("mark", mark),
        ):
            command = command.replace(f"{{{name}}}", str(value))
        call = ToolUse(name="Bash", arguments={"command": command, "description": "looks around"})
        script.push(ModelReply(tool_calls=(call,)), ModelReply(text="I looked around."))
        exchange = await team.settled(await team.say("look around"))
    (run,) = exchange.turns[0].attempts[-1].draft.record.runs
    # A line of its own after those of the log.
    sys.stdout.write(f"\n{json.dumps({'exit': run.exit_status, 'output': run.output_head, 'mark': mark})}\n")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))

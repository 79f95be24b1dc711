"""The examples of the rules that ship as calls of an agent, each with what has to come before it: real calls too."""

import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.model import ToolRun
from mama_bot.rules.examples import WORKSPACE
from mama_bot.rules.rule import Example, Rule, Strictness, Verb

# What examples may say in `given:`; another key needs a way here to bring it about.
BROUGHT_ABOUT = {"files", "shown", "written", "checks", "branch", "read_only"}
FILE = "a\nx\n"
PASSING = "import unittest\n\nclass T(unittest.TestCase):\n    def test(self):\n        pass\n"
MISSING = {"Edit": {"old_string": "x", "new_string": "y"}, "Write": {"content": "x"}}
UNANSWERED = "A person was asked, and nobody answered in time, so it was not run."
# The CLI says so itself before any rule is asked. A secret file cannot be read first: that is refused as well.
UNREAD = "File has not been read yet"
READ_BEFORE = {"read_before_write", "write_secret_files"}


def bash(command: str) -> ToolUse:
    return ToolUse(name="Bash", arguments={"command": command, "description": "x"})


# How the checks of a session come to stand so, one after the other.
CHECKS = {
    "none": (),
    "failed": (bash("python3 -m unittest nothing_here 2>&1"),),
    "passed": (bash("python3 -m unittest test_that_passes 2>&1"),),
    "stale": (bash("printf 'x = 2\n' > later.py"),),
}


@dataclass(frozen=True)
class Scene:
    """An example of a rule in a workspace."""

    rule: Rule
    example: Example
    blocks: bool
    workspace: Path

    def __str__(self) -> str:
        return f"{self.rule.name} {'blocks' if self.blocks else 'passes'} {self.example.text}"

    @property
    def call(self) -> ToolUse:
        """The call itself, in its workspace; an argument that the CLI wants and the example leaves out is filled in."""
        arguments = {name: self._there(str(value)) for name, value in self.example.arguments.items()}
        return ToolUse(name=self.example.tool, arguments={**MISSING.get(self.example.tool, {}), **arguments})

    @property
    def before(self) -> tuple[ToolUse, ...]:
        """The calls that bring about what the example says was before it, apart from checks."""
        given = self.example.given
        assert set(given) <= BROUGHT_ABOUT, f"{self}: nothing brings about {sorted(set(given) - BROUGHT_ABOUT)}"
        switched = [bash(f"git checkout -q -B {given['branch']}")] if "branch" in given else []
        written = [self._file("Write", path, content="x") for path in given.get("written", ())]
        shown = [str(self.workspace / path) for path in given.get("shown", ())]
        if self.example.tool == "Edit" and self.rule.name not in READ_BEFORE:  # the CLI would refuse it
            shown.append(str(self.call.arguments["file_path"]))
        return (*switched, *written, *(self._file("Read", path) for path in dict.fromkeys(shown)))

    @property
    def checks(self) -> str:
        """How the checks of the session stand."""
        return str(self.example.given.get("checks", "none"))

    @property
    def upsets(self) -> bool:
        """Whether its command, which runs, makes other examples something else: how checks stand, what `.env` is."""
        return any(word in str(self.example.arguments.get("command", "")) for word in ("pytest", "-m venv"))

    def lay_out(self) -> None:
        """Write the files that are there before the agent comes."""
        given = self.example.given
        named = {str(self.workspace / path) for path in {*given.get("files", ())} - {*given.get("written", ())}}
        for path in named | ({str(self.call.arguments["file_path"])} if self.example.tool == "Edit" else set()):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(FILE, encoding="utf-8")

    def went_otherwise(self, run: ToolRun, told: str) -> bool:
        """Whether the call came out otherwise than the example says; `told` is what the agent was told next."""
        refused = run.ok is False and "hook error" in run.output_head
        message = self.rule.message.text.split("{", maxsplit=1)[0].strip()
        if self.rule.strictness is Strictness.SOFT:  # it is played in a reply of its own, so nothing else is told of
            return refused or (message in told) is not self.blocks
        if not self.blocks or self.rule.verb is Verb.COUNT:
            return refused
        if self.rule.name in READ_BEFORE and UNREAD in run.output_head:
            return False
        reason = UNANSWERED if self.rule.verb is Verb.ASK else message
        return not refused or reason not in run.output_head

    def _there(self, text: str) -> str:
        return text.replace(f"{WORKSPACE}/", f"{self.workspace}/")

    def _file(self, tool: str, path: str, **arguments: str) -> ToolUse:
        return ToolUse(name=tool, arguments={"file_path": str(self.workspace / path), **arguments})


def scenes_of(rules: Iterable[Rule], workspace: Path) -> list[Scene]:
    """Every example of some rules: first those that are kept from running, then what leaves the workspace as it is."""
    scenes = [
        Scene(rule, example, blocks, workspace)
        for rule in rules
        for blocks, examples in ((True, rule.blocks), (False, rule.passes))
        for example in examples
    ]
    return sorted(scenes, key=lambda scene: (not scene.blocks, scene.upsets))


def lay_out(directory: Path, scenes: Sequence[Scene]) -> None:
    """Make the repository in which scenes are played."""
    directory.mkdir()
    (directory / "test_that_passes.py").write_text(PASSING, encoding="utf-8")
    for scene in scenes:
        scene.lay_out()
    for command in ("init -q -b work", "add -A", "-c user.name=x -c user.email=x@example.com commit -qm x"):
        subprocess.run(["git", *command.split()], cwd=directory, check=True)


class Player:
    """A model that makes calls, a list of them in each reply, and knows what became of each."""

    def __init__(self, end: str = "I looked at the folder `build`: 1 of 2 commands ran.") -> None:
        self.replies: list[ModelReply] = []
        self.calls: list[ToolUse] = []
        self.scenes: list[tuple[Scene, int, int]] = []
        self._requests: list[ModelRequest] = []
        self._end = end

    def plays(self, calls: Sequence[ToolUse]) -> int:
        """Add a reply; returns the number of the request that tells what became of its calls."""
        if calls:
            self.replies.append(ModelReply(tool_calls=tuple(calls)))
            self.calls += calls
        return len(self.replies)

    def plays_scenes(self, scenes: Sequence[Scene]) -> None:
        """Add a reply with the calls of scenes, and before it one with what has to come before them."""
        self.plays([call for scene in scenes for call in scene.before])
        begun = len(self.calls)
        told = self.plays([scene.call for scene in scenes])
        self.scenes += [(scene, begun + at, told) for at, scene in enumerate(scenes)]

    def __call__(self, request: ModelRequest) -> ModelReply:
        at = len(self._requests)
        self._requests.append(request)
        return self.replies[at] if at < len(self.replies) else ModelReply(text=self._end)

    def told(self, number: int) -> str:
        """What was new in a request."""
        return str(self._requests[number].messages[-1])

    def went_otherwise(self, runs: Sequence[ToolRun]) -> Iterator[str]:
        """Tell of each scene that did not come out as its example says."""
        assert [(run.tool, run.command) for run in runs] == [
            (call.name, call.arguments.get("command", "")) for call in self.calls
        ]
        for scene, at, told in self.scenes:
            if scene.went_otherwise(runs[at], self.told(told)):
                yield f"{scene}: {runs[at].output_head[:300]}"

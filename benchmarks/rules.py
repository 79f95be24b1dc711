"""How long 1,000 rules take to decide about an event, and whether that grows with their number alone.

Of most rules it is looked up whether what they need is there (`mama_bot.rules.condition_needs`); "asked" are rules that
are written so that nothing can be looked up, and each is asked.

Run: python -m benchmarks.rules [RULES] [EVENTS]
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

from mama_bot.model import AgentPersona, Phase, RuleState, ToolAsked, ToolTurn
from mama_bot.rules.path_values import Place
from mama_bot.rules.rule_engine import RuleEngine
from mama_bot.rules.rule_files import read_rules
from mama_bot.rules.values import values_of
from mama_bot.tool_names import call_of

PLACE = Place(roots=("/work",), branch="work")
TURN = ToolTurn(
    persona=AgentPersona(name="developer", display_name="", prompt=""), workspace=Path("/work"), read_only=False
)
KINDS = (
    ("Bash", 'commands.exists(c, c.program == "tool{n}" && c.paths.exists(p, !p.inside))'),
    ("Write|Edit", 'paths.exists(p, p.name == "file{n}.py" && !p.shown)'),
    ("*", 'persona.name == "persona{n}" && session.strikes > {n}'),
    ("shell", 'command.text.matches("(^|;) *forbidden{n}")'),
)


def rule(number: int, *, hidden: bool) -> str:
    matcher, condition = KINDS[number % len(KINDS)]
    condition = f"!(!({condition}))" if hidden else condition
    return (
        f"  - name: rule{number}\n    match: '{matcher}'\n    when: '{condition.replace('{n}', str(number))}'\n"
        "    decision: block\n    message: No.\n"
    )


def events(count: int) -> list[ToolAsked]:
    kinds = (
        ("Bash", {"command": "cd src && npm test -- --watch=false | tail -{n}"}),
        ("Edit", {"file_path": "/work/src/module{n}.py", "old_string": "a", "new_string": "b"}),
        ("Grep", {"pattern": "x{n}", "path": "/work/src"}),
        (
            "Bash",
            {"command": "for f in a b c; do rm -rf build/$f{n}; done; git commit -am 'x' && git push origin work"},
        ),
    )
    made = []
    for number in range(count):
        tool, arguments = kinds[number % len(kinds)]
        own = {name: value.replace("{n}", str(number)) for name, value in arguments.items()}
        made.append(ToolAsked(call=call_of(tool, own)))
    return made


def measured(rules: int, asked: list[ToolAsked], *, hidden: bool) -> list[float]:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "many.yaml"
        file.write_text("rules:\n" + "".join(rule(number, hidden=hidden) for number in range(rules)), encoding="utf-8")
        begun = time.thread_time()
        engine = RuleEngine(read_rules(file))
        print(f"{rules} rules read and checked in {time.thread_time() - begun:.2f} s")
    took = []
    for event in asked[:8]:  # what is compiled when it is first asked
        engine.decide(Phase.TOOL, event.call, values_of(event, turn=TURN, state=RuleState(), place=PLACE))
    for event in asked:
        begun = time.thread_time()
        engine.decide(Phase.TOOL, event.call, values_of(event, turn=TURN, state=RuleState(), place=PLACE))
        took.append((time.thread_time() - begun) * 1000)
    return sorted(took)


def main() -> None:
    most, count = (int(text) for text in [*sys.argv[1:], "1000", "10000"][:2])
    asked = events(count)
    for rules, hidden in [(most // 10, False), (most // 2, False), (most, False), (most // 2, True), (most, True)]:
        took = measured(rules, asked, hidden=hidden)
        print(
            f"{rules} rules{' asked' * hidden}, {count} events: median {statistics.median(took):.3f} ms, "
            f"99 % {took[int(count * 0.99)]:.3f} ms, longest {took[-1]:.1f} ms"
        )


if __name__ == "__main__":
    main()

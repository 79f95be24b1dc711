"""Lines of an agent that read like the service's own, told apart from them."""

from collections.abc import Iterable
from dataclasses import replace

from mama_bot.gateways.chat.markdown.tree import ITALIC, Block, Code, Line, StyledRun, Text
from mama_bot.gateways.chat.sentences import AGENT_WRITES
from mama_bot.text.normalise import normalise
from mama_bot.text.patterns import compiled
from mama_bot.wording import Language

_LONGEST = 200
# How the line of facts and a receipt begin, whatever stands before: "✅ Receipt: 628/628 done", "-# 기록: 45 통과".
_LABEL = compiled(
    r"^[^\p{L}\p{N}]*(?:(?:record|기록|receipt(?: *#? *\d+)?|영수증)[^\p{L}\p{N}]*[:：]|근거 *#? *\d+ *·)",
    groups=False,
)
# How a question of a rule begins, and its answer: "#3 · Developer asks", "#3: approved by Kim.", "#3: Kim 님이 승인".
_QUESTION = compiled(
    r"^[^\p{L}\p{N}]*# *\d+ *(?:·|[:：].{0,80}(?:approved by|denied by|님이.{0,40}(?:승인|거절)))",
    groups=False,
)
_LIKENESSES = (_LABEL, _QUESTION)


def told_apart(blocks: Iterable[Block], language: Language) -> list[Block]:
    """Return the blocks of an agent's text, with a word of ours before each line that reads like one of the service."""
    return [block if isinstance(block, Code) else _told_apart(block, language) for block in blocks]


def _told_apart(text: Text, language: Language) -> Text:
    if not any(map(_imitates, text.lines)):
        return text
    mark = StyledRun(f"{AGENT_WRITES.to(language)} ", ITALIC)
    lines = (replace(line, runs=(mark, *line.runs)) if _imitates(line) else line for line in text.lines)
    return replace(text, lines=tuple(lines))


def _imitates(line: Line) -> bool:
    words = "".join([run.text for run in line.runs])[:_LONGEST]
    plain = words if words.isascii() else normalise(words).text
    return any(likeness.search(plain) is not None for likeness in _LIKENESSES)

"""Words that would call people, made harmless: an invisible character goes into them.

The whole line is looked at, without regard to style and to invisible characters in it, so that nothing hides a call.
"""

from collections.abc import Iterator

from mama_bot.gateways.chat.markdown.characters import ZERO_WIDTH_SPACE
from mama_bot.gateways.chat.markdown.tree import StyledRun

_CALLS = ("everyone", "here", "channel")
_BROADCASTS = ("!everyone", "!here", "!channel", "!subteam", "!group", "!date")
_LONGEST = 40
_INVISIBLE = dict.fromkeys((0xAD, 0x34F, 0x61C, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070)))


def harmless(text: str) -> str:
    """Return a line of code or of plain words that calls nobody."""
    if "@" not in text and "<" not in text:
        return text
    [run] = harmless_runs((StyledRun(text),))
    return run.text


def harmless_runs(runs: tuple[StyledRun, ...]) -> tuple[StyledRun, ...]:
    """Return the runs of a line, so that they call nobody, whatever the platform makes of their styles."""
    whole = runs[0].text if len(runs) == 1 else "".join([run.text for run in runs])
    if "@" not in whole and "<" not in whole:
        return runs
    places = list(_calls(whole))
    if not places:
        return runs
    made, begin, index = [], 0, 0
    for run in runs:
        end = begin + len(run.text)
        pieces, start = [], begin
        while index < len(places) and places[index] <= end:
            pieces.append(whole[start : places[index]])
            start = places[index]
            index += 1
        pieces.append(whole[start:end])
        made.append(run._replace(text=ZERO_WIDTH_SPACE.join(pieces)))
        begin = end
    return tuple(made)


def _calls(text: str) -> Iterator[int]:
    """Yield where an invisible character must go, in order."""
    for position, character in enumerate(text):
        if character == "@":
            if _follows(text, position).lower().startswith(_CALLS):
                yield position + 1
        elif character == "<":
            after = _follows(text, position)
            if after[:1] == "@" or after.lower().startswith(_BROADCASTS):
                yield position + 1


def _follows(text: str, position: int) -> str:
    return text[position + 1 : position + 1 + _LONGEST].translate(_INVISIBLE)

"""Where a line that is too long for one message is cut."""

from collections.abc import Callable

from mama_bot.gateways.chat.markdown.characters import break_before
from mama_bot.gateways.chat.markdown.dialect import Dialect
from mama_bot.gateways.chat.markdown.tree import CODE, Line, StyledRun

_SENTENCE_ENDS = frozenset(".!?。！？…")
# What follows the room has a say in where a character ends.
_BEYOND = 64

Runs = tuple[StyledRun, ...]


def cut_runs(line: Line, dialect: Dialect, room: int) -> tuple[Runs, Runs]:
    """Return the words of a line that fit into the room, at least one character, and the rest.

    The cut is behind a sentence, else at a space, else within a word but not within what is drawn as one character; it
    is in code or in a link only where the line has nothing else.
    """
    window = _first(line.runs, max(room, 1) + _BEYOND)
    text = "".join([run.text for run in window])
    most = _most(
        min(len(text), room), lambda count: dialect.cost(*dialect.line(line.begin(_first(window, count)))) <= room
    )
    count = _good_cut(window, text, most)
    head, tail = _first(line.runs, count), _after(line.runs, count)
    if head:
        head = (*head[:-1], head[-1]._replace(text=head[-1].text.rstrip()))
    if tail:
        tail = (tail[0]._replace(text=tail[0].text.lstrip()), *tail[1:])
    return tuple(run for run in head if run.text), tuple(run for run in tail if run.text)


def cut_code(text: str, dialect: Dialect, room: int) -> tuple[str, str]:
    """Return the beginning of a line of code that fits into the room, at least one character, and the rest."""
    window = text[: max(room, 1)]
    most = _most(len(window), lambda count: _code_cost(window[:count], dialect) <= room)
    count = break_before(text, most)
    return text[:count], text[count:]


def _code_cost(text: str, dialect: Dialect) -> int:
    return dialect.cost(dialect.fenced(text), text)


def _most(count: int, fits: Callable[[int], bool]) -> int:
    """Return the most characters that fit, at least one."""
    low, high = 1, count
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _good_cut(runs: Runs, text: str, most: int) -> int:
    """Return the best place to cut, at most so far."""
    whole = _spans(runs, lambda run: bool(run.href or run.style & CODE))
    links = _spans(runs, lambda run: bool(run.href))
    for lowest, is_good in ((most // 2, _ends_sentence), (most // 3, _is_space)):
        for position in range(most, max(lowest, 0), -1):
            if is_good(text, position) and not _within(whole, position):
                return position
    begin = _begin_of(links, most)
    if begin > 0:
        return begin
    if not _within(links, most):
        for position in range(most, most // 3, -1):
            if _is_space(text, position):
                return position
    return break_before(text, most)


def _is_space(text: str, position: int) -> bool:
    return text[position - 1].isspace() or (position < len(text) and text[position].isspace())


def _ends_sentence(text: str, position: int) -> bool:
    return position > 1 and text[position - 1].isspace() and text[position - 2] in _SENTENCE_ENDS


def _spans(runs: Runs, is_whole: Callable[[StyledRun], bool]) -> list[tuple[int, int]]:
    """Return where the runs are that are better not cut; neighbours of one link are one span."""
    spans: list[tuple[int, int]] = []
    begin, href = 0, ""
    for run in runs:
        end = begin + len(run.text)
        if is_whole(run):
            if spans and spans[-1][1] == begin and run.href and run.href == href:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((begin, end))
        begin, href = end, run.href
    return spans


def _within(spans: list[tuple[int, int]], position: int) -> bool:
    return any(begin < position < end for begin, end in spans)


def _begin_of(spans: list[tuple[int, int]], position: int) -> int:
    """Return where the span begins that a position is in, or 0."""
    return next((begin for begin, end in spans if begin < position < end), 0)


def _first(runs: Runs, count: int) -> Runs:
    made = []
    for run in runs:
        if count <= 0:
            break
        made.append(run if len(run.text) <= count else run._replace(text=run.text[:count]))
        count -= len(run.text)
    return tuple(made)


def _after(runs: Runs, count: int) -> Runs:
    for index, run in enumerate(runs):
        if count < len(run.text):
            return (run._replace(text=run.text[count:]), *runs[index + 1 :])
        count -= len(run.text)
    return ()

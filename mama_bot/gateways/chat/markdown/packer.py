"""Blocks as messages, each within the platform's limit; cut where it hurts least, and nothing is lost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mama_bot.gateways.chat.markdown.characters import is_visible
from mama_bot.gateways.chat.markdown.cuts import cut_code, cut_runs
from mama_bot.gateways.chat.markdown.dialect import Dialect
from mama_bot.gateways.chat.markdown.tree import Block, Code, Line, Text

# A block too long for one message begins in the current one when that has at least this share of its room left.
_WORTH_FILLING = 3


@dataclass(frozen=True, slots=True)
class RenderedMessage:
    """One message of a platform, in its markup and without."""

    markup: str
    plain: str


@dataclass(frozen=True, slots=True)
class _Piece:
    """A line as it is written; `code` is the block of code that it belongs to."""

    markup: str
    plain: str
    cost: int
    gap: bool = False
    quoted: bool = False
    leads: bool = False
    code: Code | None = None


def messages(blocks: Sequence[Block], dialect: Dialect, *, limit: int | None = None) -> Iterator[RenderedMessage]:
    """Yield the messages that show all blocks, made as they are asked for; none when nothing can be seen."""
    packer = _Packer(dialect, limit or dialect.limit)
    for block in blocks:
        for pieces in packer.add(block):
            yield from _assembled(pieces, dialect)
    yield from _assembled(packer.pieces, dialect)


def code_cost(code: Code, dialect: Dialect) -> int:
    """Return what a whole block of code takes of the room of messages."""
    return sum(_code_piece(line, code, dialect).cost for line in code.lines)


def _code_piece(line: str, code: Code, dialect: Dialect, *, gap: bool = False) -> _Piece:
    markup = dialect.fenced(line)
    return _Piece(markup, line, dialect.cost(markup, line) + 1, gap=gap, code=code)


def _has_link(line: Line) -> bool:
    return any(run.href for run in line.runs)


class _Packer:
    def __init__(self, dialect: Dialect, limit: int) -> None:
        self._dialect = dialect
        self._limit = limit
        self.pieces: list[_Piece] = []
        self._used = 0

    def add(self, block: Block) -> Iterator[list[_Piece]]:
        """Take a block; yields each message that is full."""
        if isinstance(block, Code):
            yield from self._add_code(block)
        else:
            yield from self._add_text(block)

    def _add_text(self, block: Text) -> Iterator[list[_Piece]]:
        lines = [
            replace(line, runs=self._dialect.shown(line.runs)) if _has_link(line) else line for line in block.lines
        ]
        pieces = [self._piece(line, gap=block.gap and not index, leads=block.leads) for index, line in enumerate(lines)]
        whole = sum([piece.cost for piece in pieces])
        if self._used + whole + self._opening(pieces[0]) <= self._limit:
            self._take(pieces)
            return
        if whole + (self._dialect.quote_cost if pieces[0].quoted else 0) <= self._limit:
            yield from self._flush()
            whole += self._opening(pieces[0])
        if self._used + whole <= self._limit:
            self._take(pieces)
            return
        for line, piece in zip(lines, pieces, strict=True):
            yield from self._fill(line, piece)

    def _fill(self, line: Line, piece: _Piece) -> Iterator[list[_Piece]]:
        """Take a line of a block that is too long for one message; cut it when it is itself."""
        while self._used + piece.cost + self._opening(piece) > self._limit:
            frame = piece.cost - self._dialect.cost(piece.markup, piece.plain) + self._opening(piece)
            room = self._limit - self._used - frame
            if self.pieces and (piece.cost + frame <= self._limit or room * _WORTH_FILLING < self._limit):
                yield from self._flush()
                continue
            head, tail = cut_runs(line, self._dialect, room)
            self._take([self._piece(line.begin(head), gap=piece.gap, leads=False)])
            yield from self._flush()
            if not tail:
                return
            line = line.rest(tail)
            piece = self._piece(line, gap=False, leads=piece.leads)
        self._take([piece])

    def _add_code(self, code: Code) -> Iterator[list[_Piece]]:
        dialect = self._dialect
        frame = self._frame(code)
        pieces = [_code_piece(line, code, dialect, gap=code.gap and not at) for at, line in enumerate(code.lines)]
        whole = sum(piece.cost for piece in pieces) + frame
        if self._used + whole > self._limit and self.pieces:
            left = self._limit - self._used - frame - 1
            if whole <= self._limit or left * _WORTH_FILLING < self._limit:
                yield from self._flush()
        begun = False
        for piece in pieces:
            rest: _Piece | None = piece
            while rest is not None:
                cost = rest.cost + (0 if begun else frame + rest.gap)
                if self._used + cost <= self._limit:
                    self._take([rest], frame=0 if begun else frame)
                    begun, rest = True, None
                elif begun or self.pieces:
                    yield from self._flush()
                    begun = False
                else:
                    head, tail = cut_code(rest.plain, dialect, self._limit - frame - 2)
                    self._take([_code_piece(head, code, dialect)], frame=frame)
                    begun, rest = True, _code_piece(tail, code, dialect)

    def _frame(self, code: Code) -> int:
        empty = self._dialect.fence([], code.language)
        return self._dialect.cost(empty, "") + 1

    def _piece(self, line: Line, *, gap: bool, leads: bool) -> _Piece:
        markup, plain = self._dialect.line(line)
        cost = self._dialect.cost(markup, plain) + 1 + (self._dialect.quoted_cost if line.quoted else 0)
        return _Piece(markup, plain, cost, gap=gap, quoted=line.quoted, leads=leads)

    def _opening(self, piece: _Piece) -> int:
        """Return what a piece takes besides itself where it comes next."""
        before = self.pieces[-1] if self.pieces else None
        gap = 1 + self._dialect.quoted_cost if piece.gap and before is not None else 0
        opens = piece.quoted and (before is None or not before.quoted)
        return gap + (self._dialect.quote_cost if opens else 0)

    def _take(self, pieces: list[_Piece], *, frame: int = 0) -> None:
        self._used += self._opening(pieces[0]) + sum(piece.cost for piece in pieces) + frame
        self.pieces.extend(pieces)

    def _flush(self) -> Iterator[list[_Piece]]:
        """End the message; a heading at its end goes to the next one."""
        kept = len(self.pieces)
        while kept and self.pieces[kept - 1].leads:
            kept -= 1
        full, leading = self.pieces[:kept], self.pieces[kept:]
        if not full or sum(piece.cost for piece in leading) * _WORTH_FILLING > self._limit:
            full, leading = self.pieces, []
        self.pieces, self._used = [], 0
        if leading:
            self._take(leading)
        if full:
            yield full


def _assembled(pieces: Sequence[_Piece], dialect: Dialect) -> Iterator[RenderedMessage]:
    """Yield the message that a list of pieces is, if there is anything to see in it."""
    markup: list[str] = []
    plain: list[str] = []
    index = 0
    while index < len(pieces):
        first, end = pieces[index], index + 1
        if first.gap and index:
            markup.append("")
            plain.append("")
        if first.code is not None:
            while end < len(pieces) and pieces[end].code is first.code:
                end += 1
            lines = [piece.markup for piece in pieces[index:end]]
            markup.append(dialect.fence(lines, first.code.language))
        elif first.quoted:
            while end < len(pieces) and pieces[end].quoted:
                end += 1
            markup.append(dialect.quote(_spaced([(piece.markup, piece.gap) for piece in pieces[index:end]])))
        else:
            markup.append(first.markup)
        plain.extend(_spaced([(piece.plain, piece.gap) for piece in pieces[index:end]]))
        index = end
    shown = "\n".join(plain)
    if is_visible(shown):
        yield RenderedMessage("\n".join(markup), shown)


def _spaced(lines: Sequence[tuple[str, bool]]) -> list[str]:
    """Lines with the empty ones between them; the first has its own already."""
    made: list[str] = []
    for text, gap in lines:
        if gap and made:
            made.append("")
        made.append(text)
    return made

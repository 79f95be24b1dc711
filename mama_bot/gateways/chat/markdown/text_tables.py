"""Tables, as platforms can show them that have none."""

from collections.abc import Sequence

from mama_bot.gateways.chat.markdown.characters import columns
from mama_bot.gateways.chat.markdown.tree import BOLD, Block, Code, Line, StyledRun, Text

MAX_COLUMNS = 60
_GUTTER = "  "

Cell = tuple[StyledRun, ...]


def table(
    header: Sequence[Cell], rows: Sequence[Sequence[Cell]], alignments: Sequence[str], *, quoted: bool
) -> list[Block]:
    """Return a table as aligned columns, or as "header: value" lines when it is too wide or holds links."""
    shown = [[_text(cell) for cell in row] for row in (header, *rows)]
    widths = [max(columns(row[index]) for row in shown) for index in range(len(header))]
    if sum(widths) + len(_GUTTER) * (len(widths) - 1) > MAX_COLUMNS or _has_links(rows):
        return _listed(header, rows, quoted=quoted)
    lines = [_row(row, widths, alignments) for row in shown]
    lines.insert(1, _GUTTER.join("─" * width for width in widths))
    return [Code(tuple(lines), table=True)]


def _text(cell: Cell) -> str:
    return "".join(run.text for run in cell).replace("\n", " ").replace("\t", " ")


def _has_links(rows: Sequence[Sequence[Cell]]) -> bool:
    return any(run.href for row in rows for cell in row for run in cell)


def _row(cells: Sequence[str], widths: Sequence[int], alignments: Sequence[str]) -> str:
    padded = []
    for cell, width, alignment in zip(cells, widths, alignments, strict=True):
        space = width - columns(cell)
        left = space if alignment == "right" else space // 2 if alignment == "center" else 0
        padded.append(f"{' ' * left}{cell}{' ' * (space - left)}")
    return _GUTTER.join(padded).rstrip()


def _listed(header: Sequence[Cell], rows: Sequence[Sequence[Cell]], *, quoted: bool) -> list[Block]:
    if not rows:
        rows, header = [header], [()] * len(header)
    blocks: list[Block] = []
    for row in rows:
        lines = []
        for name, cell in zip(header, row, strict=True):
            title = _text(name)
            label = (StyledRun(title, BOLD), StyledRun(": ")) if title else ()
            if label or cell:
                lines.append(
                    Line((*label, *(run._replace(text=run.text.replace("\n", " ")) for run in cell)), quoted=quoted)
                )
        if lines:
            blocks.append(Text(tuple(lines)))
    return blocks

"""How a platform writes what the tree says: the one thing that a further platform has to bring."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from mama_bot.gateways.chat.markdown.characters import EDGES
from mama_bot.gateways.chat.markdown.mentions import harmless
from mama_bot.gateways.chat.markdown.tree import BOLD, CODE, ITALIC, STYLES, Line, StyledRun

_LONGEST_ADDRESS = 400
_LONGEST_LABEL = 1000


class Dialect(ABC):
    """The markup of one platform, and how long a message may be (`limit`, in what `cost` counts).

    `labels` says whether the label of a link can be styled, `label_hazards` what to escape there, `plain_code` whether
    code allows no other style around it.
    `quote_cost` is what a quote costs at its beginning, `quoted_cost` what each line in it does.
    """

    limit: int
    marks: dict[int, tuple[str, str]]
    labels = True
    label_hazards = ""
    plain_code = False
    quote_cost = 0
    quoted_cost = 2

    @abstractmethod
    def escape(self, text: str, hazards: str) -> str:
        """Return words that the platform takes for no markup; `hazards` are signs that matter in their line alone."""

    def style(self, text: str, style: int) -> int:
        """Return the styles that words can be given, of those that they have."""
        return style

    @abstractmethod
    def code(self, text: str) -> str:
        """Return words in a line in a monospaced face."""

    @abstractmethod
    def fence(self, lines: Sequence[str], language: str) -> str:
        """Return a block of code."""

    @abstractmethod
    def fenced(self, line: str) -> str:
        """Return a line in a block of code."""

    @abstractmethod
    def quote(self, lines: Sequence[str]) -> str:
        """Lines that stand out as somebody's words."""

    @abstractmethod
    def link(self, label: str, words: str, href: str) -> str:
        """Return a link; `label` is the markup of `words`, which are the address itself for a bare address."""

    @abstractmethod
    def accepts(self, href: str, words: str) -> bool:
        """Return whether the platform makes a link of such words to such an address."""

    @abstractmethod
    def cost(self, markup: str, plain: str) -> int:
        """Return what a piece takes of a message's room."""

    def hazards(self, runs: tuple[StyledRun, ...]) -> str:
        """Return the characters that are markup only together with others of their line that are there."""
        return ""

    def joint(self, before: str, after: str) -> str:
        """Return what must stand between two characters, where at least one is markup."""
        return ""

    def guard(self, markup: str) -> str:
        """Return the beginning of a line, so that the platform takes it for words."""
        return markup

    def heading(self, runs: tuple[StyledRun, ...], level: int) -> str:
        """Return a heading that stands alone on its line."""
        return write(self, tuple(run._replace(style=run.style | BOLD) for run in runs))

    def subdued(self, runs: tuple[StyledRun, ...]) -> str:
        """Return a line of the service that stands back behind the words around it."""
        return write(self, tuple(run._replace(style=run.style | ITALIC) for run in runs))

    def prefix(self, line: Line) -> str:
        """Return what stands before a line's words."""
        return line.prefix

    def line(self, line: Line) -> tuple[str, str]:
        """Return a line in markup, and the same without."""
        runs = line.runs
        plain = f"{line.prefix}{''.join([run.text for run in runs])}"
        if line.subdued:
            return self.subdued(runs), plain
        if not line.heading:
            return f"{self.prefix(line)}{write(self, runs)}", plain
        if line.prefix:
            return f"{self.prefix(line)}{Dialect.heading(self, runs, line.heading)}", plain
        return self.heading(runs, line.heading), plain

    def shown(self, runs: tuple[StyledRun, ...]) -> tuple[StyledRun, ...]:
        """Return the runs of a line; addresses that the platform makes no link of become words."""
        made: list[StyledRun] = []
        labels: dict[str, str] = {}
        for run in runs:
            if run.href:
                labels[run.href] = f"{labels.get(run.href, '')}{run.text}"[:_LONGEST_LABEL]
        for index, run in enumerate(runs):
            words = labels.get(run.href, "")
            taken = (
                len(run.href) <= _LONGEST_ADDRESS and self.accepts(run.href, words) and not misleads(words, run.href)
            )
            if not run.href or taken:
                made.append(run)
                continue
            made.append(run._replace(href=""))
            if index + 1 == len(runs) or runs[index + 1].href != run.href:
                address = run.href.removeprefix("mailto:")
                if address not in words:
                    made.append(StyledRun(harmless(f" ({address})")))
        return tuple(made)


_FILE_ENDINGS = frozenset(
    (
        "md",
        "yaml",
        "yml",
        "json",
        "toml",
        "ini",
        "cfg",
        "lock",
        "txt",
        "html",
        "css",
        "js",
        "jsx",
        "ts",
        "tsx",
        "vue",
        "py",
    )
)


def misleads(words: str, href: str) -> bool:
    """Return whether the words of a link name another address than the one that it leads to.

    >>> misleads("https://github.com/org", "https://evil.example"), misleads("the issue", "https://github.com/org/1")
    (True, False)
    >>> misleads("config.yaml/rules", "https://a.example"), misleads("a.example:80/x", "https://a.example?y")
    (False, False)
    """
    hosts = {_host(word.strip("<>()[]\"'.,:;")) for word in words.split()} - {""}
    return bool(hosts - {_host(href.removeprefix("mailto:").partition("@")[2] or href)})


def _host(word: str) -> str:
    """Return the host of an address; "" for any other word: `docs/guide.md`, `guide.md/section`."""
    scheme, mark, rest = word.partition("://")
    address = rest if mark else scheme
    host, slash = address.replace("?", "/").replace("#", "/").partition("/")[0], "/" in address
    if not mark and host.count(".") == 1 and host.lower().rpartition(".")[2] in _FILE_ENDINGS:
        return ""  # a part of a file
    host = host.rpartition("@")[2].partition(":")[0]
    name = host.lower().removeprefix("www.")
    is_host = bool(mark) or host.lower().startswith("www.") or (slash and "." in host.strip("."))
    return name if is_host and not host.startswith(".") else ""


def write(dialect: Dialect, runs: tuple[StyledRun, ...]) -> str:
    """Write the runs of a line in a platform's markup; styles open and close in order, and never around spaces."""
    if len(runs) == 1 and not (runs[0].style or runs[0].href):
        text = runs[0].text
        return dialect.guard(dialect.escape(text, dialect.hazards(runs)))
    writer = _Writer(dialect, dialect.hazards(runs))
    index = 0
    while index < len(runs):
        run = runs[index]
        end = index + 1
        if run.href:
            while end < len(runs) and runs[end].href == run.href:
                end += 1
            writer.link(runs[index:end])
        elif run.style & CODE:
            style = CODE if dialect.plain_code else dialect.style(run.text, run.style)
            writer.atom(dialect.code(run.text), style & ~CODE)
        else:
            writer.words(run.text, run.style)
        index = end
    return writer.ended()


class _Writer:
    def __init__(self, dialect: Dialect, hazards: str) -> None:
        self._dialect = dialect
        self._hazards = hazards
        self._out: list[str] = []
        self._open: list[int] = []
        self._spaces = ""
        self._after_markup = False

    def link(self, runs: tuple[StyledRun, ...]) -> None:
        """Runs that lead to one address."""
        dialect, href = self._dialect, runs[0].href
        words = "".join([run.text for run in runs])
        common = runs[0].style
        for run in runs:
            common &= run.style
        common &= ~CODE
        label = ""
        if words != href and dialect.labels:
            kept = CODE if dialect.plain_code else 0
            inner = _Writer(dialect, dialect.label_hazards)
            for run in runs:
                style = run.style & ~common & ~kept
                if style & CODE:
                    inner.atom(dialect.code(run.text), dialect.style(run.text, style) & ~CODE)
                else:
                    inner.words(run.text, style)
            label = inner.ended()
        self.atom(dialect.link(label, words, href), common)

    def atom(self, markup: str, style: int) -> None:
        """Markup that is complete in itself."""
        if markup:
            self._emit("", markup, "", style, is_markup=True)

    def words(self, text: str, style: int) -> None:
        """Words to be escaped."""
        core = text.strip() if not style or text.isascii() else text.strip(EDGES)
        if not core:
            self._spaces += text
            return
        begin = 0 if core == text else text.index(core)
        style = style and self._dialect.style(core, style)
        markup = self._dialect.escape(core, self._hazards)
        if not self._out and not style:
            markup = self._dialect.guard(markup)
        self._emit(text[:begin], markup, text[begin + len(core) :], style, is_markup=False)

    def ended(self) -> str:
        """Return all that was written."""
        self._close(0)
        return "".join(self._out)

    def _emit(self, before: str, markup: str, after: str, style: int, *, is_markup: bool) -> None:
        if self._open:
            self._close(style)
        spaces = self._spaces + before
        opening = self._opening(style) if style else ""
        if spaces:
            self._out.append(spaces)
        elif self._out and (self._after_markup or opening or is_markup):
            opening = f"{self._dialect.joint(self._out[-1][-1], (opening or markup)[0])}{opening}"
        self._out.append(f"{opening}{markup}")
        self._spaces = after
        self._after_markup = is_markup

    def _opening(self, style: int) -> str:
        """Return the marks of what is not open yet."""
        current = sum(self._open)
        opened = [mark for mark in STYLES if style & mark and not current & mark]
        self._open.extend(opened)
        return "".join([self._dialect.marks[mark][0] for mark in opened])

    def _close(self, style: int) -> None:
        """Close what is open beyond a style, and what lies within it."""
        keep = 0
        while keep < len(self._open) and self._open[keep] & style:
            keep += 1
        if keep == len(self._open):
            return
        self._out.append("".join([self._dialect.marks[mark][1] for mark in reversed(self._open[keep:])]))
        del self._open[keep:]
        self._after_markup = True

"""Commands as text and as buttons, the same on every platform."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mama_bot.gateways.chat.sentences import (
    ALWAYS,
    APPROVE,
    CANCEL,
    CONTINUE,
    DENY,
    MERGE,
    OPEN_PULL_REQUEST,
    PUSH,
    RECEIPT,
    REDO,
    REPORT,
    RETRY,
    SHOW_DIFF,
    STOP,
    TELL,
    UNDO,
)
from mama_bot.model import (
    BUTTONS_ONLY,
    DECIDING,
    KOREAN_NAMES,
    QUESTION_PREFIX,
    Answer,
    CommandName,
    Notice,
    NoticeKind,
    Post,
    Reply,
)
from mama_bot.wording import Said, as_written

_TEXT = re.compile(
    r"\s*/(?P<name>[a-z]{1,20}|[가-힣]{1,10})(?:@[A-Za-z0-9_]{1,64})?(?:\s+(?P<argument>.*))?", re.DOTALL
)
_BUTTON = "mama:"
# Before the conversation that a button is about, where it stands in another place.
IN_THREAD = "thread-"
_NAMES = frozenset(name.value for name in CommandName)
_WRITTEN = {name.value: name for name in CommandName if name not in BUTTONS_ONLY} | dict(KOREAN_NAMES)
CHANGING = frozenset({CommandName.UNDO, CommandName.REDO, CommandName.MERGE, CommandName.PUSH, CommandName.PR})
RESUMING = frozenset({CommandName.RETRY, CommandName.CONTINUE})


def parse_command(text: str) -> tuple[CommandName, str] | None:
    """Return the command that a text is, and its argument: `/usage 30` and `/사용량 30` are `(USAGE, "30")`.

    None for any other text.
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        return None
    name = _WRITTEN.get(match["name"])
    return None if name is None else (name, (match["argument"] or "").strip())


def asked_command(text: str) -> tuple[CommandName, str] | None:
    """Return the command that a text is, or help with it: a word with a slash that stands alone and is none.

    Where more stands behind such a word it is for a persona (`/developer refactor FILE`), or refused with the nearest.
    """
    match = _TEXT.fullmatch(text)
    if match is None or match["name"] in _WRITTEN:
        return parse_command(text)
    alone = not (match["argument"] or "").strip()
    return (CommandName.HELP, f"/{match['name']}") if alone else None


def button_value(name: CommandName, argument: str = "") -> str:
    """Return what a platform gives back when a button is pressed: 64 bytes at most, where the argument has 40."""
    return f"{_BUTTON}{name.value}:{argument}" if argument else f"{_BUTTON}{name.value}"


def parse_button(value: str) -> tuple[CommandName, str] | None:
    """Return what `button_value` was given; None for a value that it did not make."""
    if not value.startswith(_BUTTON):
        return None
    word, _, argument = value.removeprefix(_BUTTON).partition(":")
    return (CommandName(word), argument) if word in _NAMES else None


def loses_buttons(name: CommandName, argument: str) -> bool:
    """Return whether a press takes the buttons of its message away: the outbox does that for questions about calls."""
    return name in DECIDING and not argument.startswith(QUESTION_PREFIX)


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """A button below a message; `argument` is what it carries beside the name of its command."""

    name: CommandName
    label: Said
    argument: str = ""

    @property
    def value(self) -> str:
        """What the platform gives back when it is pressed."""
        return button_value(self.name, self.argument)


STOP_BUTTON = Button(name=CommandName.STOP, label=STOP)
TELL_BUTTON = Button(name=CommandName.TELL, label=TELL)
CANCEL_BUTTON = Button(name=CommandName.CANCEL, label=CANCEL)
PUBLISHING: Mapping[str, Button] = {
    "push": Button(name=CommandName.PUSH, label=PUSH),
    "pr": Button(name=CommandName.PR, label=OPEN_PULL_REQUEST),
}


def offered_buttons(answer: Answer, *, thread: str = "") -> tuple[Button, ...]:
    """Return the buttons that belong under an answer; `thread` is what they are about, where they stand elsewhere."""
    where = f"{IN_THREAD}{thread} " if thread else ""
    return tuple(
        Button(name=offer.name, label=as_written(offer.label), argument=f"{where}{offer.argument}")
        for offer in answer.offers
    )


def read_thread(argument: str) -> tuple[str, str]:
    """Return the thread that the argument of a button names ("": none), and what stands behind it."""
    if not argument.startswith(IN_THREAD):
        return "", argument
    thread, _, rest = argument.removeprefix(IN_THREAD).partition(" ")
    return thread, rest


def buttons_under(post: Post, *, undone: bool = False) -> tuple[Button, ...]:
    """Return the buttons that belong under a post; `undone` says that the change which it tells of was taken back."""
    report = Button(name=CommandName.REPORT, label=REPORT)
    match post:
        case Reply():
            return (*_changing(post, undone), Button(name=CommandName.RECEIPT, label=RECEIPT), report)
        case Notice(notice=NoticeKind.ASKED, approval=approval, choices=choices) if approval:
            return tuple(
                Button(name=CommandName.ANSWER, label=as_written(choice), argument=f"{approval} {number}")
                for number, choice in enumerate(choices, start=1)
            )
        case Notice(approval=approval) if approval:
            always = Button(name=CommandName.ALWAYS, label=ALWAYS, argument=approval)
            return (
                Button(name=CommandName.APPROVE, label=APPROVE, argument=approval),
                Button(name=CommandName.DENY, label=DENY, argument=approval),
                *([always] if post.notice is NoticeKind.QUESTION else []),
            )
        case Notice(notice=NoticeKind.WITHHELD):
            return (*_resuming(post), *_changing(post, undone), report)
        case Notice(notice=NoticeKind.FAILED | NoticeKind.STOPPED):
            return (*_resuming(post), *_changing(post, undone))
        case Notice():
            return _changing(post, undone)


def _changing(post: Post, undone: bool) -> tuple[Button, ...]:
    """What can be done with what a turn, or an undo, changed; what was taken back can come back, and no more."""
    if post.change is None:
        return ()
    show, redo = Button(name=CommandName.DIFF, label=SHOW_DIFF), Button(name=CommandName.REDO, label=REDO)
    takes_back = isinstance(post, Notice) and post.notice is NoticeKind.UNDONE
    if undone:  # an undo that was taken back itself has no more to offer: the reply offers it
        return (show,) if takes_back else (show, redo)
    merge = isinstance(post, Reply) and post.can_merge
    leaving = PUBLISHING.get(post.publishes) if isinstance(post, Reply) else None
    return (
        show,
        redo if takes_back else Button(name=CommandName.UNDO, label=UNDO),
        *([Button(name=CommandName.MERGE, label=MERGE)] if merge else []),
        *([leaving] if leaving is not None else []),
    )


def _resuming(post: Notice) -> tuple[Button, ...]:
    """What can be done about a message that was not answered; a turn that had its say has nothing to go on with."""
    if post.answers is None:
        return ()
    retry = Button(name=CommandName.RETRY, label=RETRY)
    if post.turn_id is None or post.notice is NoticeKind.WITHHELD:
        return (retry,)
    return (retry, Button(name=CommandName.CONTINUE, label=CONTINUE))

"""What a delivery is about: its event, and the branches that it names."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from mama_bot.config import FieldPath, HookKind, WebhookSettings, field_path
from mama_bot.wording import one_line, printable

SHOWN_CHARACTERS = 80
_HEADS, _REFS = "refs/heads/", "refs/"
# Where the branch of each event stands; a merge request is about the branch that it goes into.
_BRANCHES: Mapping[HookKind, Sequence[FieldPath]] = {
    HookKind.GITHUB: tuple(
        field_path(path)
        for path in (
            "ref",
            "pull_request.base.ref",
            "workflow_run.head_branch",
            "workflow_job.head_branch",
            "check_suite.head_branch",
            "check_run.check_suite.head_branch",
            "deployment.ref",
        )
    ),
    HookKind.GITLAB: tuple(
        field_path(path) for path in ("ref", "object_attributes.ref", "object_attributes.target_branch")
    ),
}
_GITHUB_ACTION, _GITHUB_BRANCHES = field_path("action"), field_path("branches")
_SENDERS: Mapping[HookKind, Sequence[FieldPath]] = {
    HookKind.GITHUB: (field_path("sender.login"),),
    HookKind.GITLAB: (field_path("user.username"), field_path("user_username")),
}
_GITLAB_EVENT = field_path("object_kind")
_GITLAB_ACTIONS = (field_path("object_attributes.action"), field_path("object_attributes.status"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """What happened, as the sender says: the event, also with its action (`issues`, `issues.opened`); where, and who.

    `rehearsed` says that nothing did: GitHub only tries whether a new hook is there.
    """

    events: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    sender: str = ""
    rehearsed: bool = False

    def is_of(self, events: Sequence[str]) -> bool:
        """Return whether it is one of the events that somebody wants; none named: each that really happened is."""
        return _matches(self.events, events) if events else not self.rehearsed

    def is_on(self, branches: Sequence[str]) -> bool:
        """Return whether it is on one of the branches that somebody wants; none named: each is."""
        return not branches or _matches(self.branches, branches)

    def is_by(self, senders: Sequence[str]) -> bool:
        """Return whether one of those did it whom somebody wants to hear of; none named: whoever did."""
        return not senders or _matches((self.sender,), senders)

    @property
    def words(self) -> str:
        """What a line says of it: the event with its action, and the branch."""
        names = (*self.events[-1:], *self.branches[:1])
        return ", ".join(f"`{printable(one_line(name, SHOWN_CHARACTERS), drop='`')}`" for name in names)


def happening_of(settings: WebhookSettings, headers: Mapping[str, str], document: object) -> Happening:
    """Return what a delivery is about."""
    match settings.kind:
        case HookKind.GITHUB:
            events = _named(headers.get("x-github-event", ""), _text(_GITHUB_ACTION.of(document)))
            branches = [*_branches(settings.kind, document), *_status_branches(document)]
        case HookKind.GITLAB:
            action = next(filter(None, (_text(path.of(document)) for path in _GITLAB_ACTIONS)), "")
            events = _named(_text(_GITLAB_EVENT.of(document)), action)
            branches = list(_branches(settings.kind, document))
        case HookKind.JSON:
            events = _named(_field(settings.event_field, document), "")
            branches = list(_plain_branch(_field(settings.branch_field, document)))
    sender = _field(settings.sender_field, document)
    sender = sender or next(filter(None, (_text(path.of(document)) for path in _SENDERS.get(settings.kind, ()))), "")
    rehearsed = settings.kind is HookKind.GITHUB and events[:1] == ("ping",)
    return Happening(events=events, branches=tuple(branches), sender=sender, rehearsed=rehearsed)


def _named(event: str, action: str) -> tuple[str, ...]:
    return tuple(name for name in (event, f"{event}.{action}" if action else "") if name)


def _branches(kind: HookKind, document: object) -> Iterator[str]:
    for path in _BRANCHES[kind]:
        yield from _plain_branch(_text(path.of(document)))


def _status_branches(document: object) -> Iterator[str]:
    """The branches that the status of a commit is about: GitHub lists them."""
    listed = _GITHUB_BRANCHES.of(document)
    for branch in listed if isinstance(listed, list) else ():
        if isinstance(branch, dict):
            yield from _plain_branch(_text(branch.get("name")))


def _plain_branch(ref: str) -> Iterator[str]:
    name = ref.removeprefix(_HEADS)
    if name and not name.startswith(_REFS):  # a tag is no branch
        yield name


def _field(path: str, document: object) -> str:
    return _text(field_path(path).of(document)) if path else ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _matches(names: Sequence[str], patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)

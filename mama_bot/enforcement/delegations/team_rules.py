"""What of the requests in a reply may be carried out: who may ask whom, and for what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mama_bot.enforcement.delegations.requests import Misplaced, Request, requests_in
from mama_bot.enforcement.delegations.sentences import (
    DID_YOU_MEAN,
    KNOWN,
    MAY_NOT,
    NAMES_NOBODY,
    NO_SUCH_PERSONA,
    NO_TASK,
    NOBODY,
    TO_ITSELF,
    WAITS_FOR_IT,
)
from mama_bot.model import AgentPersona, Author, Delegation, DelegationForm
from mama_bot.personas import find_mentions, find_persona
from mama_bot.similar_names import most_similar
from mama_bot.wording import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegations:
    """What a reply asks of others: what may be carried out, and what is wrong with the rest, in order."""

    requested: tuple[Delegation, ...] = ()
    problems: tuple[str, ...] = ()


def delegations_in(
    text: str,
    *,
    sender: AgentPersona,
    asker: Author,
    team: Mapping[str, AgentPersona],
    language: Language,
    asked_for: Sequence[str] = (),
) -> Delegations:
    """Return the delegations of a reply; the problems are sentences in `language`.

    Not carried out is what asks a persona that does not exist, that the sender may not delegate to, that waits for this
    very work (`asked_for`), or the sender itself, and what names no task.
    """
    requested, problems = [], []
    for request in requests_in(text, sender=sender, asker=asker, team=team):
        if isinstance(request, Misplaced):
            problems.append(request.problem.to(language))
            continue
        read = delegation_of(request, sender=sender, team=team, language=language, asked_for=asked_for)
        if isinstance(read, Delegation):
            requested.append(read)
        else:
            problems.append(read)
    return Delegations(requested=tuple(requested), problems=tuple(problems))


def delegation_of(
    request: Request,
    *,
    sender: AgentPersona,
    team: Mapping[str, AgentPersona],
    language: Language,
    asked_for: Sequence[str] = (),
) -> Delegation | str:
    """Return a request as a delegation, or why it cannot be carried out, in a sentence; see `delegations_in`."""
    if (problem := _problem(request, sender, team, language, asked_for)) is not None:
        return problem
    recipient = find_persona(request.recipient, team)
    assert recipient is not None
    return Delegation(
        sender=sender.name,
        recipient=recipient.name,
        form=request.form,
        goes_on=None,
        background=request.background,
        **dict(request.parts),
    )


def _problem(
    request: Request,
    sender: AgentPersona,
    team: Mapping[str, AgentPersona],
    language: Language,
    asked_for: Sequence[str],
) -> str | None:
    if not request.recipient:
        return NAMES_NOBODY.to(language)
    recipient = find_persona(request.recipient, team)
    if recipient is None:
        return NO_SUCH_PERSONA.to(language, name=request.recipient, hint=_hint(request.recipient, team, language))
    if recipient.name == sender.name:
        return TO_ITSELF.to(language)
    if recipient.name not in sender.delegates_to:
        allowed = ", ".join(sender.delegates_to) or NOBODY.to(language)
        return MAY_NOT.to(language, sender=sender.name, recipient=recipient.name, allowed=allowed)
    if recipient.name in asked_for:
        return WAITS_FOR_IT.to(language, recipient=recipient.name)
    if not _says_something(request, team):
        return NO_TASK.to(language, recipient=recipient.name)
    return None


def _hint(name: str, team: Mapping[str, AgentPersona], language: Language) -> str:
    similar = most_similar(name, team)
    if similar is not None:
        return DID_YOU_MEAN.to(language, name=similar)
    return KNOWN.to(language, names=", ".join(sorted(team)))


def _says_something(request: Request, team: Mapping[str, AgentPersona]) -> bool:
    task = request.parts["task"]
    if request.form is DelegationForm.MENTION:
        for mention in reversed(list(find_mentions(task, team))):
            task = task[: mention.start] + task[mention.start + 1 + len(mention.name) :]
    return any(character.isalnum() for character in task)

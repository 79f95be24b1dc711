"""What a pull request is opened with: a title from the thread, and a body that calls nobody and closes nothing."""

from collections.abc import Sequence

from mama_bot.deeds import sentences as says
from mama_bot.model import Author, ConversationKey, InboundMessage, Post, Reply
from mama_bot.text.foreign import without_marks
from mama_bot.text.patterns import compiled
from mama_bot.wording import Language, one_line, plain_name

TITLE_CHARACTERS = 72
BODY_CHARACTERS = 4_000
BREAK = "\u200b"  # nobody sees it, and no forge reads a mention, an issue or a tag across it
# "@kim", "#12", "!7", "<b", "GH-12": what a forge acts on where it stands in a body.
_ACTED_ON = compiled(r"[@#!~%&$](?:[\w{])|<[\w/!]|\bGH-\d")
# "<@U0123> @mama_bot", as a platform writes mentions at the beginning of a message.
_ADDRESSED = compiled(r"^(?:<[@!][^>]{1,80}>|@[\w.-]{1,80}|[,:\s])+")


def proposal_title(given: str, messages: Sequence[InboundMessage], language: Language) -> str:
    """Return the title: the one that was given, else how the thread begins."""
    for text in (given, *(without_marks(message.text) for message in messages)):
        addressed = _ADDRESSED.match(text.strip())
        words = neutral(one_line(text.strip()[addressed.end() if addressed else 0 :]))
        if words:
            return one_line(words, TITLE_CHARACTERS)
    return says.UNTITLED.to(language)


def proposal_body(reply: Reply | None, *, by: Author, key: ConversationKey, language: Language) -> str:
    """Return the body: the last reply as a quotation, its line of facts, and where it comes from."""
    parts = []
    if reply is not None:
        text = reply.text if len(reply.text) <= BODY_CHARACTERS else f"{reply.text[:BODY_CHARACTERS]}…"
        # As a quotation no line of it is a command to the forge ("/merge").
        quoted = "\n".join(f"> {line}".rstrip() for line in neutral(text).splitlines())
        parts += [quoted, says.NOT_CHECKED_BY_PEOPLE.to(language)]
        if reply.record_line:
            parts.append(neutral(reply.record_line))
    parts.append(says.ORIGIN.to(language, platform=key.platform, who=neutral(plain_name(by.name))))
    return "\n\n".join(parts)


def neutral(text: str) -> str:
    """Return a text in which a forge finds nobody to notify, nothing to close and no tag."""
    return _ACTED_ON.sub(lambda match: f"{match.group()[0]}{BREAK}{match.group()[1:]}", text)


def latest_reply(posts: Sequence[Post]) -> Reply | None:
    """Return the last reply among posts; None where there is none."""
    return next((post for post in reversed(posts) if isinstance(post, Reply)), None)

"""What a person typed, read back from what Slack made of it, and words as they are for Slack; pure."""

import re
from collections.abc import Mapping

_TOKEN = re.compile(r"<(?P<kind>[@#!]?)(?P<target>[^<>|\n]{1,3000})(?:\|(?P<label>[^<>\n]{0,3000}))?>")
_USER = re.compile(r"<@(?P<id>[A-Z0-9]{1,30})(?:\|[^<>\n]{0,200})?>")
_EMOJI = re.compile(r":([a-z0-9_+'-]{1,100}):(?::(skin-tone-[2-6]):)?")


def mentioned(text: str) -> tuple[str, ...]:
    """Return the ids of the people whom a text mentions, each once, in order."""
    return tuple(dict.fromkeys(match["id"] for match in _USER.finditer(text)))


def without_mention(text: str, user: str) -> str:
    """Return the text without the mentions of one user, and without the white space behind each."""
    return re.sub(rf"<@{re.escape(user)}(?:\|[^<>\n]{{0,200}})?>\s*", "", text)


def typed(text: str, *, people: Mapping[str, str], personas: Mapping[str, str], emoji: Mapping[str, str]) -> str:
    """Return the text as it was typed: `people` are names by id, `personas` names of ours that stay mentions."""

    def plain(match: re.Match[str]) -> str:
        kind, target, label = match["kind"], match["target"], match["label"]
        if kind == "@":
            return f"@{personas[target]}" if target in personas else people.get(target, label or target)
        if kind == "#":
            return f"#{label or target}"
        if kind == "!":
            return _special(target, label)
        return _link(target, label)

    return _unescaped(_TOKEN.sub(plain, _with_emoji(text, emoji)))


def escaped(text: str) -> str:
    """Return words in which Slack finds no mention and no link."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _special(target: str, label: str | None) -> str:
    """`<!here>`, `<!subteam^S1|@ops>`, `<!date^…|tomorrow>`."""
    return label or f"@{target.partition('^')[0]}"


def _link(target: str, label: str | None) -> str:
    """Slack turns a typed `example.com` into `<http://example.com|example.com>`; another label was a link by hand."""
    if not label:
        return target
    return label if target.partition(":")[2].lstrip("/").rstrip("/") == label.rstrip("/") else f"[{label}]({target})"


def _with_emoji(text: str, emoji: Mapping[str, str]) -> str:
    if not emoji:
        return text

    def character(match: re.Match[str]) -> str:
        return emoji.get(match[1], match[0])

    return _EMOJI.sub(character, text)


def _unescaped(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")

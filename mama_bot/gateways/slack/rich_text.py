"""The words of a message that has blocks alone, in Slack's markup; pure."""

from collections.abc import Mapping, Sequence

from mama_bot.gateways.slack.markup import escaped

_DEEPEST = 4


def text_of_blocks(blocks: Sequence[object]) -> str:
    """Return what somebody reads in the blocks, a line for each; "" where there are no words."""
    return "\n".join(filter(None, map(_block, blocks)))


def _block(block: object) -> str:
    if not isinstance(block, Mapping):
        return ""
    elements = block.get("elements")
    if block.get("type") == "rich_text":
        return _lines(elements, 0)
    if block.get("type") == "context":
        return " ".join(filter(None, map(_text_of, elements))) if isinstance(elements, list) else ""
    return _text_of(block.get("text"))


def _text_of(text: object) -> str:
    """Return the words of a text object, or of a block that has a plain text instead."""
    if not isinstance(text, Mapping):
        return text if isinstance(text, str) else ""
    words = text.get("text")
    if not isinstance(words, str):
        return ""
    return words if text.get("type") == "mrkdwn" else escaped(words)


def _lines(elements: object, depth: int) -> str:
    if not isinstance(elements, list) or depth > _DEEPEST:
        return ""
    return "\n".join(_line(element, depth) for element in elements if isinstance(element, Mapping))


def _line(element: Mapping[str, object], depth: int) -> str:
    inside = element.get("elements")
    match element.get("type"):
        case "rich_text_list":
            return "\n".join(f"• {line}" for line in _lines(inside, depth + 1).splitlines())
        case "rich_text_quote":
            return "\n".join(f"&gt; {line}" for line in _inline(inside).splitlines())
        case "rich_text_preformatted":
            return f"```\n{_inline(inside)}\n```"
        case _:
            return _inline(inside)


def _inline(elements: object) -> str:
    if not isinstance(elements, list):
        return ""
    return "".join(_word(element) for element in elements if isinstance(element, Mapping))


def _word(element: Mapping[str, object]) -> str:
    def given(name: str) -> str:
        value = element.get(name)
        return value if isinstance(value, str) else ""

    match element.get("type"):
        case "user":
            return f"<@{given('user_id')}>"
        case "channel":
            return f"<#{given('channel_id')}>"
        case "usergroup":
            return f"<!subteam^{given('usergroup_id')}>"
        case "broadcast":
            return f"<!{given('range')}>"
        case "emoji":
            return f":{given('name')}:"
        case "link":
            return f"<{given('url')}|{escaped(given('text'))}>" if given("text") else f"<{given('url')}>"
        case _:
            return escaped(given("text") or given("fallback"))

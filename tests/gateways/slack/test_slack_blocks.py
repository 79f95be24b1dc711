from hypothesis import given, settings
from hypothesis import strategies as st

from mama_bot.gateways.chat.command_forms import STOP_BUTTON
from mama_bot.gateways.slack.blocks import SECTION, blocks_of
from mama_bot.gateways.slack.markup import escaped
from mama_bot.wording import Language
from tests.platforms.slack_server.workspace import check_content


def sections(text: str) -> list[str]:
    blocks = blocks_of(text, [STOP_BUTTON], Language.ENGLISH)
    check_content({"text": text, "blocks": blocks})
    return [block["text"]["text"] for block in blocks if block["type"] == "section"]


@given(st.lists(st.sampled_from(["word ", "&", "<x>", "\n", "가나다라", "long" * 50]), min_size=400, max_size=500))
@settings(max_examples=30)
def test_sections_hold_the_text_and_nothing_but_the_text(words: list[str]) -> None:
    text = escaped("".join(words))
    assert "".join(sections(text)).strip() == text.strip()
    assert all(len(section) <= SECTION for section in sections(text))


def test_an_escaped_character_stays_whole() -> None:
    first, second = sections("x" * (SECTION - 6) + "&amp;" * 9)
    assert first.count("&") == first.count(";")
    assert second.startswith("&amp;")


def test_a_fence_that_is_cut_is_closed_and_opened_again() -> None:
    first, second = sections("```\n" + "a line of code\n" * 230 + "```")
    assert (first.count("```"), second.count("```")) == (2, 2)
    assert f"{first}{second}".count("a line of code") == 230


def test_a_text_that_is_too_long_for_sections_goes_without_buttons() -> None:
    assert blocks_of("word " * 40_000, [STOP_BUTTON], Language.ENGLISH) == []

"""Whatever an agent writes: nothing is refused, lost or shown twice, and nobody is called."""

import os
import random
import re

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mama_bot.gateways.chat.markdown.inlines import InlineParser
from mama_bot.gateways.chat.markdown.packer import messages
from mama_bot.gateways.chat.markdown.parser import parse_blocks
from tests.gateways.rendering.readers import slack_shows, units
from tests.gateways.rendering.replies import PLATFORMS, SLACK, Rendering, reply

# What is drawn as nothing, what marks a line that goes on (bars of quotes), and private marks of the readers.
UNSEEN = re.compile(r"[\s\u200b-\u200f\u2060-\u206f\u202a-\u202e\ufeff\u00ad│]+")
LIMITS = {"discord": 1850, "slack": 3500, "telegram": 4000}
CALLS = re.compile(r"@(everyone|here)|<@[!&]?\w|<!(channel|here|everyone|subteam)|tg://user\S*\"", re.IGNORECASE)

EXAMPLES = int(os.environ.get("FUZZ_TEXTS", "4000")) // 33

nasty = st.lists(
    st.sampled_from("`~*_[]()<>&|#-+.!\\:/@\n\n  \t1aB\"'가나힣é")
    | st.sampled_from(["\u0301", "👩\u200d💻", "👍🏽", "🇰🇷", "ع", "א", "\u202e", "\ufe0f", "𝒳", "```", "**", "://"])
    | st.sampled_from(["\0", "\x1b", "\r", "\x85", "\u2028", "\ud83d", "\udc00", "\ufeff", "\u200b", "\U000e0041"])
    | st.characters(),
    max_size=120,
).map("".join)
words = st.lists(
    st.sampled_from(
        [
            "word",
            "단어",
            "`code`",
            "**bold**",
            "*굵게*가",
            "~~gone~~",
            "[label](https://example.com/a_(b)?c=1&d=2)",
            "snake_case",
            "@everyone",
            "<@U123>",
            "<!here>",
            "<@&12>",
            "https://example.com/x_y_z.",
            "a*b*c",
            "<b>",
            "&lt;",
            "👩‍💻",
            "![i](i.png)",
            "***x***",
            "**a*b*c**",
            "``a`b``",
            "[x](tg://user?id=1)",
            "@every**one**",
            "1.",
            "-",
            "#",
            ">",
            "|",
            "__init__.py",
            "2 * 3 * 4",
        ]
    ),
    min_size=1,
    max_size=30,
).map(" ".join)
codes = st.tuples(st.sampled_from(["", "python", "c++", "한글", "a b"]), st.lists(words, max_size=12)).map(
    lambda pair: f"````{pair[0]}\n" + "\n".join(pair[1]) + "\n````"
)
tables = st.lists(
    st.lists(words.map(lambda text: text[:30].replace("|", "")), min_size=2, max_size=2), min_size=1, max_size=6
).map(lambda rows: "| a | 나 |\n|:-:|--:|\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows))


def indented(text: str, first: str, rest: str) -> str:
    return first + text.replace("\n", f"\n{rest}")


blocks = st.recursive(
    words | codes | tables | words.map(lambda text: f"### {text}") | st.just("---"),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=4)
        .map("\n\n".join)
        .flatmap(
            lambda text: st.sampled_from(
                [
                    indented(text, "- ", "  "),
                    indented(text, "1. ", "   "),
                    indented(text, "> ", "> "),
                    indented(text, "- [x] ", "  "),
                ]
            )
        )
    ),
    max_leaves=8,
)
documents = st.lists(blocks, max_size=10).map("\n\n".join)
texts = nasty | documents | st.tuples(nasty, documents, nasty).map("\n".join)


def seen(text: str) -> str:
    return UNSEEN.sub("", text)


@pytest.mark.parametrize("platform", PLATFORMS, ids=lambda platform: platform.name)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=texts)
@example(text="")
@example(text="\0\x1b \u200b")
@example(text="@every**one** and @&#101;veryone and <!&#104;ere> and `@here` and @\u200bhere")
@example(text="[@everyone](https://example.com) [x](javascript:alert(1)) [x](data:text/html,x)")
@example(text="``` ` ```` `a` ``b`c`` `` ` ``")
def test_the_platform_takes_every_message_and_shows_its_words(platform: Rendering, text: str) -> None:
    parts = platform.parts_of(reply(text), header=True)
    assert parts
    assert [part.index for part in parts] == list(range(len(parts)))
    assert [part.last for part in parts] == [False] * (len(parts) - 1) + [True]
    for part in parts:
        if part.file is None:
            assert seen(platform.shows(part.text)) == seen(part.plain)
            assert units(part.plain) <= LIMITS[platform.name]
            assert not CALLS.search(part.text)
            assert not CALLS.search(part.plain)


@pytest.mark.parametrize("platform", PLATFORMS, ids=lambda platform: platform.name)
@settings(max_examples=EXAMPLES // 2, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=texts, limit=st.integers(300, 700))
def test_splitting_loses_and_doubles_nothing(platform: Rendering, text: str, limit: int) -> None:
    blocks = parse_blocks(text)
    whole = "".join(piece.plain for piece in messages(blocks, platform.dialect, limit=10**9))
    pieces = list(messages(blocks, platform.dialect, limit=limit))
    assert seen("".join(piece.plain for piece in pieces)) == seen(whole)
    for piece in pieces:
        assert platform.dialect.cost(piece.markup, piece.plain) <= limit
        assert seen(platform.shows(piece.markup)) == seen(piece.plain)


@settings(max_examples=EXAMPLES // 2, deadline=None)
@given(text=nasty | words)
def test_slack_takes_no_word_for_markup_even_where_a_zero_width_space_is_a_letter(text: str) -> None:
    literal = "".join(
        f"\\{character}" if character in "*_~`[]<>&" else character for character in text.replace("\\", "")
    )
    for part in SLACK.parts_of(reply(literal)):
        assert seen(slack_shows(part.text, edge=False)) == seen(part.plain)


@settings(max_examples=EXAMPLES, deadline=None)
@given(text=st.text("`` \n\\*a가_[<&", max_size=40))
@example(text="a ` b ` c `  ` d `e\nf`")
def test_simple_code_is_read_as_the_parser_reads_it(text: str) -> None:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").disable(["reference", "html_inline"])
    content = text.strip()
    by_parser = InlineParser(markdown, markdown)
    tokens = markdown.parseInline(content)[0].children or []
    if any(token.type not in {"text", "softbreak", "code_inline"} for token in tokens):
        return
    found = "".join("\n" if token.type == "softbreak" else token.content for token in tokens)
    lines = ["".join(run.text for run in line) for line in by_parser.lines(content)]
    assert [line.split() for line in lines] == [line.split() for line in found.split("\n") if line.strip()]


ATOMS = (
    *(
        "word ",
        "단어 ",
        "`code` ",
        "**b** ",
        "*i* ",
        "~~s~~ ",
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "> ",
        "# ",
        "```\n",
        "```py\n",
    ),
    *(
        "[x](https://e.org/a) ",
        "@everyone ",
        "<@U1> ",
        "&lt;",
        "https://e.org/x_y ",
        "가*나*다 ",
        "__init__ ",
        "- [ ] ",
    ),
    *("👩\u200d💻", "é", "\0", "\ud800", "\u200b", "    ", "***", "~~", "``", "\t", "<br>", "---\n", "|a|b|\n|-|-|\n"),
    *"\\*_`~[]()<>!$|",
)


@pytest.mark.parametrize("platform", PLATFORMS, ids=lambda platform: platform.name)
def test_random_replies_are_taken_and_their_words_shown(platform: Rendering) -> None:
    chance = random.Random(EXAMPLES)
    for _ in range(EXAMPLES * 2):
        text = "".join(chance.choices(ATOMS, k=chance.choice((3, 10, 30, 100, 400))))
        for part in platform.parts_of(reply(text), header=True):
            if part.file is None:
                assert seen(platform.shows(part.text)) == seen(part.plain), text
                assert not CALLS.search(part.text), text

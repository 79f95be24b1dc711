"""How a reply looks on each platform, and what becomes of what is too long for it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mama_bot.model import ConversationKey, Notice, NoticeKind, OutgoingFile, Platform, PostId
from tests.gateways.rendering.readers import units
from tests.gateways.rendering.replies import DISCORD, PLATFORMS, SLACK, TELEGRAM, Rendering, reply

GOLDEN = Path(__file__).parent / "golden"
each_platform = pytest.mark.parametrize("platform", PLATFORMS, ids=lambda platform: platform.name)


def text_of(platform: Rendering, markdown: str) -> str:
    [part] = platform.parts_of(reply(markdown))
    return part.text


def outgoing(name: str) -> OutgoingFile:
    return OutgoingFile(name=name, media_type="text/plain", size=3, content=b"abc")


@each_platform
def test_a_rich_document_looks_as_it_should(platform: Rendering) -> None:
    document = (GOLDEN / "document.md").read_text(encoding="utf-8")
    banners = ("⚠️ **Needs review**: nothing shows that the tests ran.",)
    parts = platform.parts_of(reply(document, banners=banners), header=True)
    shown = "\n=====\n".join(part.text for part in parts) + "\n"
    assert shown == (GOLDEN / f"{platform.name}.txt").read_text(encoding="utf-8")


@each_platform
def test_what_stands_in_plain_has_no_markup(platform: Rendering) -> None:
    [part] = platform.parts_of(reply("**굵게** and `code` & [label](https://example.com)"))
    assert part.plain == "굵게 and code & label"


@each_platform
@pytest.mark.parametrize("text", ["", " \n\t ", "\0\x1b\x07", "\u200b\u2060", "```\n\n```", "\u3164"])
def test_nothing_is_shown_as_a_line_that_says_so(platform: Rendering, text: str) -> None:
    [part] = platform.parts_of(reply(text))
    assert (part.plain, part.last) == ("(no text)", True)


@each_platform
def test_a_reply_without_words_is_its_files(platform: Rendering) -> None:
    parts = platform.parts_of(reply("ATTACH::out/plot.png", files=(outgoing("plot.png"), outgoing("log.txt"))))
    assert [(part.index, part.text, part.file and part.file.name, part.last) for part in parts] == [
        (0, "", "plot.png", False),
        (1, "", "log.txt", True),
    ]


@each_platform
def test_lines_that_attach_a_file_are_left_out_where_the_file_goes_out(platform: Rendering) -> None:
    text = "Here it is.\nATTACH::out/__init__.py\nATTACH::missing.txt\n\n```\nATTACH::out/__init__.py\n```"
    first, file = platform.parts_of(reply(text, files=(outgoing("__init__.py"),)))
    assert first.plain == "Here it is.\nATTACH::missing.txt\n\nATTACH::out/__init__.py"
    assert file.file is not None
    assert file.last


@each_platform
def test_the_name_stands_on_the_first_part_only(platform: Rendering) -> None:
    parts = platform.parts_of(reply("word " * 1500), header=True)
    assert len(parts) > 1
    assert [part.plain.startswith("Developer\n") for part in parts] == [True] + [False] * (len(parts) - 1)


@each_platform
def test_a_notice_is_markdown_too(platform: Rendering) -> None:
    key = ConversationKey(Platform("test"), "c")
    notice = Notice(id=PostId("p"), key=key, notice=NoticeKind.STOPPED, text="**멈춤**: `build` stopped.")
    [part] = platform.parts_of(notice)
    assert part.plain == "멈춤: build stopped."
    assert part.text == platform.short_message(notice.text)[0]


@each_platform
@pytest.mark.parametrize(
    ("sentence", "note"),
    [
        ("All of this matters. ", "(the whole text, 42,200 characters, is attached)"),
        ("이것은 정말 모두 아주 중요합니다. ", "(전체 40,200자를 첨부했습니다)"),
    ],
)
def test_a_very_long_reply_goes_as_a_file_with_its_beginning(platform: Rendering, sentence: str, note: str) -> None:
    text = (sentence * 10 + "\n") * 200
    first, file = platform.parts_of(reply(text))
    assert first.plain.endswith(note)
    assert first.plain.startswith(sentence.strip())
    assert file.file is not None
    assert (file.file.name, file.file.media_type, file.last) == ("reply.md", "text/markdown", True)
    assert file.file.content.decode() == text
    assert file.file.size == len(file.file.content)


@each_platform
@pytest.mark.parametrize(("language", "name"), [("python", "script.py"), ("diff", "patch.diff"), ("", "output.txt")])
def test_long_code_goes_as_a_file_with_its_first_lines(platform: Rendering, language: str, name: str) -> None:
    code = "\n".join(f"line {number} of the output" for number in range(900))
    parts = platform.parts_of(reply(f"Before.\n\n```{language}\n{code}\n```\n\nAfter."))
    assert [part.file and part.file.name for part in parts] == [None, name]
    assert parts[0].plain.startswith("Before.\n\nline 0 of")
    assert "line 19 of the output\n" in parts[0].plain
    assert "line 20 of the output" not in parts[0].plain
    assert parts[0].plain.endswith(f"({name}: all 900 lines are attached)\n\nAfter.")
    assert parts[1].file is not None
    assert parts[1].file.content.decode() == code + "\n"


@each_platform
def test_code_is_closed_and_opened_again_with_its_language(platform: Rendering) -> None:
    code = "\n".join(f"value_{number} = {number}  # 값" for number in range(platform.dialect.limit // 14))
    parts = platform.parts_of(reply(f"```python\n{code}\n```"))
    assert len(parts) == 2
    opening = {"discord": "```python\n", "slack": "```\n", "telegram": '<pre><code class="language-python">'}
    for part in parts:
        assert part.text.startswith(opening[platform.name])
        platform.shows(part.text)
    assert "\n".join(part.plain for part in parts) == code


@each_platform
def test_paragraphs_stay_whole_and_headings_with_them(platform: Rendering) -> None:
    paragraph = "One sentence of this paragraph. " * (platform.dialect.limit // 50)
    parts = platform.parts_of(reply(f"{paragraph}\n\n## Heading\n\n{paragraph}"))
    assert [part.plain for part in parts] == [paragraph.strip(), f"Heading\n{paragraph.strip()}"]


@each_platform
def test_a_long_paragraph_is_cut_behind_a_sentence(platform: Rendering) -> None:
    parts = platform.parts_of(reply("This is one more sentence of many. " * 200))
    assert len(parts) > 1
    assert all(part.plain.endswith("many.") for part in parts)


@each_platform
@pytest.mark.parametrize("symbol", ["👩\u200d👩\u200d👧", "é́", "👍🏽", "🇰🇷", "각", "𝒳", "❤️"])
def test_what_is_drawn_as_one_is_never_cut(platform: Rendering, symbol: str) -> None:
    parts = platform.parts_of(reply(symbol * 3000))
    for part in parts:
        if part.file is None:
            body = part.plain.split("\n")[0]
            assert body == symbol * (len(body) // len(symbol))


@each_platform
def test_links_are_not_cut(platform: Rendering) -> None:
    link = "[a label of five words](https://example.com/path)"
    parts = platform.parts_of(reply(" ".join([link] * 120)))
    assert len(parts) > 1
    for part in parts:
        labels = part.plain.replace("a label of five words", "").split()
        assert labels == []


@each_platform
def test_quotes_and_lists_go_on_where_they_are_cut(platform: Rendering) -> None:
    text = "> " + "quoted words. " * 300 + "\n\n- " + "an item that is long. " * 200
    parts = platform.parts_of(reply(text))
    begin = "<blockquote>" if platform is TELEGRAM else "> "
    assert parts[1].text.startswith(begin)
    assert parts[-1].plain.startswith("  an item")


@each_platform
def test_a_wide_table_becomes_lines(platform: Rendering) -> None:
    row = "| " + "long words " * 8 + "| 값 |"
    [part] = platform.parts_of(reply(f"| what | 결과 |\n|---|---|\n{row}\n{row}"))
    words = ("long words " * 8).strip()
    assert part.plain == "\n\n".join([f"what: {words}\n결과: 값"] * 2)


@each_platform
def test_a_line_of_the_service_is_one_message(platform: Rendering) -> None:
    assert platform.short_message("**3** wait")[1] == "3 wait"
    assert platform.short_message(" ")[1] == "(no text)"
    markup, plain = platform.short_message("many words. " * 1000)
    assert plain.endswith("…")
    assert units(platform.shows(markup)) <= 4096


@pytest.mark.parametrize(
    "text",
    [
        "@everyone",
        "@here",
        "<@123456>",
        "<@!123>",
        "<@&99>",
        "<!channel>",
        "<!here|here>",
        "<!everyone>",
        "<!subteam^S1|x>",
        "<@U123ABC>",
        "@every**one**",
        "&#64;everyone",
        "`@everyone`",
        "```\n@everyone <!channel>\n```",
        "@\u200deveryone",
        "<\u200b@1>",
        "[@here](https://x.org)",
        "| @here |\n|---|\n| <!channel> |",
        "<@\u20601>",
        "@EVERYONE",
        "**<**@1>",
        "# @everyone",
    ],
)
@each_platform
def test_nobody_is_called(platform: Rendering, text: str) -> None:
    for part in platform.parts_of(reply(text)):
        for shown in (part.text, part.plain):
            bare = shown.replace("\u2060", "").replace("\u200d", "").lower()
            for call in ("@everyone", "@here", "<@", "<!channel", "<!here", "<!everyone", "<!subteam"):
                assert call not in bare


@each_platform
def test_addresses_of_people_stay_as_they_are(platform: Rendering) -> None:
    [part] = platform.parts_of(reply("Ask kim@example.com or @minji."))
    assert part.plain == "Ask kim@example.com or @minji."


def test_telegram_calls_nobody_by_a_link() -> None:
    assert text_of(TELEGRAM, "[x](tg://user?id=1)") == "x (tg://user?id=1)"
    assert text_of(TELEGRAM, "[x](mailto:a@b.org)") == '<a href="mailto:a@b.org">x</a>'


@pytest.mark.parametrize(
    ("markdown", "discord", "slack"),
    [
        ("2 \\* 3 \\* 4", "2 \\* 3 \\* 4", "2 * 3 * 4"),
        ("snake_case_name", "snake\\_case\\_name", "snake_case_name"),
        ("**굵게**는", "**굵게**는", "*굵게*\u200b는"),
        ("\\# no heading", "\\# no heading", "# no heading"),
        ("1\\. no list", "1\\. no list", "1. no list"),
        ("a < b > c & d", "a \\< b > c & d", "a &lt; b &gt; c &amp; d"),
        ("\\> no quote", "\\> no quote", "\u200b&gt; no quote"),
        ("`` a`b ``", "``a`b``", "a\u2060`\u2060b"),
        ("see https://example.com/a_b_c.", "see <https://example.com/a_b_c>.", "see <https://example.com/a_b_c>."),
        ("https://example.com/x를", "<https://example.com/x>를", "<https://example.com/x>\u200b를"),
        ("[f.py](src/f.py)", "f.py (src/f.py)", "f.py (src/f.py)"),
        ("[f.py](f.py)", "f.py", "f.py"),
        ("***both***", "***both***", "*_both_*"),
        ("**a***b*", "**a**\u200b*b*", "*a*\u200b_b_"),
        ("a<br>b", "a\nb", "a\nb"),
        ("- [ ] open\n- [x] done", "☐ open\n☑ done", "☐ open\n☑ done"),
        ("[WARN]: failed\n[^1]: note", "[WARN]: failed\n[^1]: note", "[WARN]: failed\n[^1]: note"),
        ("<details>x</details>", "\\<details>x\\</details>", "&lt;details&gt;x&lt;/details&gt;"),
        ("![shot](https://x.org/a.png)", "[shot](https://x.org/a.png)", "<https://x.org/a.png|shot>"),
    ],
)
def test_markup_of_discord_and_slack(markdown: str, discord: str, slack: str) -> None:
    assert text_of(DISCORD, markdown) == discord
    assert text_of(SLACK, markdown) == slack


@each_platform
@pytest.mark.parametrize(
    "make",
    [
        lambda size: ">" * size,
        lambda size: (">" * 30 + "a\n") + "b\n" * (size // 2),
        lambda size: "[" * size,
        lambda size: "![" * (size // 2),
        lambda size: "*a **b " * (size // 7),
        lambda size: "`" * (size // 2) + " `` " * (size // 8),
        lambda size: "- " * (size // 2),
        lambda size: "".join("  " * (index % 40) + "- a\n" for index in range(size // 44)),
        lambda size: "a|b\n-|-\n" * (size // 8),
        lambda size: "<@1>" * (size // 4),
        lambda size: "\u0301" * size,
        lambda size: "a" * size,
    ],
)
def test_hostile_text_of_any_size_is_rendered(platform: Rendering, make: Callable[[int], str]) -> None:
    sizes = (5_000, 10_000, 200_000) if platform is TELEGRAM else (5_000,)
    for size in sizes:
        for part in platform.parts_of(reply(make(size))):
            if part.file is None:
                platform.shows(part.text)


RECORD = "Record: 3 files +45 −12 · pytest 45 passed, a part: tests/test_a_b.py · <@U1>"


@pytest.mark.parametrize(
    ("platform", "line"),
    [
        (DISCORD, "-# Record: 3 files +45 −12 · pytest 45 passed, a part: tests/test\\_a\\_b.py · \\<\u200b@U1>"),
        (SLACK, "Record: 3 files +45 −12 · pytest 45 passed, a part: tests/test_a_b.py · &lt;\u200b@U1&gt;"),
        (
            TELEGRAM,
            "<i>Record: 3 files +45 −12 · pytest 45 passed, a part: tests/test_a_b.py · &lt;\u200b@U1&gt;</i>",
        ),
    ],
)
def test_the_line_of_facts_is_one_subdued_line_before_the_words(platform: Rendering, line: str) -> None:
    [part] = platform.parts_of(reply("Done.", record_line=RECORD))
    assert part.text == f"{line}\nDone."
    assert part.plain.splitlines()[0].replace("\u200b", "") == RECORD


@each_platform
def test_it_is_in_the_first_part_of_what_is_too_long(platform: Rendering) -> None:
    parts = platform.parts_of(reply("word " * 20_000, record_line="Record: no tests were run"))
    assert [part.plain.startswith("Record: no tests were run") for part in parts] == [True, False]
    assert parts[1].file is not None
    assert b"Record" not in (parts[1].file.content or b"")


FORGED = (
    *(
        "Record: 45 passed",
        "**Rec**ord: 45 passed",
        "-# Record: 45 passed",
        "- Record : 45 passed",
        "> RECORD: 45 passed",
    ),
    *("✅ Receipt: 628/628 confirmed", "**Receipt 7**: 45 passed", "Ｒｅｃｏｒｄ： 45 passed", "Rеcоrd: 45 passed"),
    *(
        "R\u200becord: 45 passed",
        "# Record: 45 passed",
        "기록: 45개 통과",
        "🧾 영수증: 45건 확인",
        "**근거 7** · 모두 통과",
    ),
    *(
        "**#3 · Developer asks before this runs.** It lists files.",
        "＃3 · Developer: 실행하기 전에 승인이 필요합니다.",
        "#3: `plan_approved` approved by Kim.",
        "> #3: 김민수 님이 승인했습니다.",
    ),
)
HONEST = (
    "The record: it holds 45.",
    "Recorded: 45",
    "기록은 남아 있습니다: 45",
    "근거: tests/test_a.py",
    "`Records`: 45",
    "#12: the login is fixed",
    "- #12 was approved by Kim",
)


@each_platform
@pytest.mark.parametrize("line", FORGED)
def test_an_agents_line_that_reads_like_the_services_own_is_said_to_be_the_agents(
    platform: Rendering, line: str
) -> None:
    [part] = platform.parts_of(reply(f"Hello.\n\n{line}"))
    assert "the agent writes: " in part.plain or "에이전트의 말: " in part.plain


@each_platform
@pytest.mark.parametrize("line", HONEST)
def test_a_line_that_only_speaks_of_records_stays_as_it_is(platform: Rendering, line: str) -> None:
    [part] = platform.parts_of(reply(f"Hello.\n\n{line}"))
    assert "the agent writes" not in part.plain
    assert "에이전트의 말" not in part.plain


@each_platform
@pytest.mark.parametrize("words", ["https://github.com/org/repo", "github.com/org", "www.github.com", "x.invalid/a"])
def test_a_link_whose_words_name_another_address_shows_where_it_leads(platform: Rendering, words: str) -> None:
    [part] = platform.parts_of(reply(f"See [{words}](https://other.example/page)."))
    assert "other.example/page" in platform.shows(part.text).replace("\u200b", "").replace("\\", "")


@each_platform
@pytest.mark.parametrize("words", ["the page", "docs/guide.md", ".github/ci.yml", "3.11", "www"])
def test_other_words_of_a_link_stay_its_words(platform: Rendering, words: str) -> None:
    assert text_of(platform, f"See [{words}](https://other.example/page).").count("other.example") == 1
    [part] = platform.parts_of(reply(f"See [{words}](https://other.example/page)."))
    assert part.plain == f"See {words}."


@each_platform
def test_marks_that_turn_the_direction_of_words_are_not_sent(platform: Rendering) -> None:
    assert "\u202e" not in text_of(platform, "a \u202etxt.exe\u202c b \u2066c\u2069")

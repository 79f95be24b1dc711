"""Each line of a Markdown text is of one kind, and a fence ends only where it is ended."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.text.markdown_lines import LineKind, markdown_lines

BLANK, PROSE, HEADING, ITEM = LineKind.BLANK, LineKind.PROSE, LineKind.HEADING, LineKind.ITEM
QUOTE, ROW, FENCE, CODE = LineKind.QUOTE, LineKind.ROW, LineKind.FENCE, LineKind.CODE


def kinds(text: str) -> list[LineKind]:
    return [line.kind for line in markdown_lines(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Done.\n\n다 됐습니다.", [PROSE, BLANK, PROSE]),
        ("## Result\n####### no\n#hash\n#", [HEADING, PROSE, PROSE, HEADING]),
        (
            "- a\n* b\n• c\n1. d\n12) e\n100. f\n2026. g\n1.5 s\n-x",
            [ITEM, ITEM, ITEM, ITEM, ITEM, ITEM, PROSE, PROSE, PROSE],
        ),
        ("> said\n   > said\n     > deeper", [QUOTE, QUOTE, PROSE]),
        ("| a | b |\n|---|---|\na | b", [ROW, ROW, PROSE]),
        ("a | b\n---|---", [PROSE, ROW]),
        ("Run:\n\n    x = 1\n\tcd src", [PROSE, BLANK, CODE, PROSE]),
        ("Run:\n    x = 1", [PROSE, PROSE]),
        ("- item\n\n    x = 1", [ITEM, BLANK, PROSE]),
    ],
)
def test_the_kinds_of_lines(text: str, expected: list[LineKind]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```\nx\n```\ny", [FENCE, CODE, FENCE, PROSE]),
        ("~~~ text\n\n~~~", [FENCE, CODE, FENCE]),
        ("````\n```\n````", [FENCE, CODE, FENCE]),
        ("```\n````\ny", [FENCE, FENCE, PROSE]),
        ("```\n~~~\n``` end\n```", [FENCE, CODE, CODE, FENCE]),
        ("```\nnever ended\n\n- x", [FENCE, CODE, CODE, CODE]),
        ("```inline``` code", [PROSE]),
        ("1. ```\n   x\n   ```\ny", [FENCE, CODE, FENCE, PROSE]),
        ("> ```\n- x", [QUOTE, ITEM]),
    ],
)
def test_a_fence_ends_with_its_own_sign_and_nothing_behind_it(text: str, expected: list[LineKind]) -> None:
    assert kinds(text) == expected


def test_each_fence_is_counted_and_names_its_language() -> None:
    lines = markdown_lines("```c++ title=x\na\n```\nb\n~~~한국\nc")
    assert [(line.fence, line.language) for line in lines] == [
        *[(1, "c++")] * 3,
        (0, ""),
        *[(2, "")] * 2,
    ]


@given(
    st.lists(st.sampled_from(["```", "~~~~", "- ", "1. ", "> ", "| a |", "|-|-|", "#", "    ", "x", "\t", "", "가"]))
)
def test_every_character_is_in_one_line_and_only_code_stands_in_fences(parts: list[str]) -> None:
    for text in ("\n".join(parts), "".join(parts)):
        lines = markdown_lines(text)
        assert "\n".join(line.text for line in lines) == text
        assert all(text.startswith(line.text, line.start) for line in lines)
        assert all(line.kind in (FENCE, CODE) for line in lines if line.fence)
        assert all(line.fence for line in lines if line.kind is FENCE)


@given(
    st.lists(st.sampled_from(["", "", "  ", "Done.", "```", "    x = 1", "- a", "| a |", "> b", "# c"]), max_size=12)
)
def test_without_its_empty_lines_a_text_has_all_others_where_they_were(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert markdown_lines(text, empty=False) == tuple(line for line in markdown_lines(text) if line.text)

"""Boards as JSON Lines: what is written is read again, and what git and crashes leave in a file is passed over."""

from dataclasses import replace

import pytest

from mama_bot.boards.item_lines import item_line, items_of
from mama_bot.boards.topic_lines import post_line, posts_of
from mama_bot.model import AuthorKind, Dependency, DependencyKind, ItemId, ItemStatus, Verdict
from mama_bot.wording import Language
from tests.boards.making import KIM, item, post


def test_a_post_is_read_as_it_was_written() -> None:
    written = replace(post(1), metadata={"files": ["a.py"]}, in_reply_to=post(0).id)
    assert posts_of(post_line(written)) == ([replace(written, imported=True)], [])


def test_a_file_says_of_nobody_that_a_person_wrote_it_or_that_it_was_judged() -> None:
    written = replace(post(1), by=replace(KIM, name="Jane, the owner"), verdict=Verdict.PASSED)
    ((read,), _) = posts_of(post_line(written))
    assert (read.by.kind, read.verdict, read.imported) == (AuthorKind.AGENT, None, True)
    ((listed,), _) = items_of(item_line(replace(item("mb-1"), created_by=KIM)))
    assert listed.created_by.kind is AuthorKind.AGENT


def test_an_item_is_read_as_it_was_written() -> None:
    written = replace(item("mb-1", "mb-2", minutes=3, title="환율 추가"), labels=("rates",), priority=0)
    ((read,), bad) = items_of(item_line(written))
    assert not bad
    assert read.created_by.name == written.created_by.name
    assert replace(read, created_by=written.created_by, imported=False) == written


def test_a_torn_last_line_and_a_sentinel_are_passed_over_and_the_torn_one_is_told() -> None:
    text = f"{post_line(post(1))}\n<!-- SENTINEL -->\n\n{post_line(post(2))}\n{post_line(post(3))[:40]}"
    posts, bad = posts_of(text)
    assert [each.id for each in posts] == [post(1).id, post(2).id]
    assert [each.sentence.to(Language.ENGLISH) for each in bad] == ["line 5: left out, the last line is torn"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("[1]", "it is not a JSON object"),
        ("{broken}\n{}", "it is not a JSON object"),
        ('{"id": "1", "topic": "a", "body": "b", "ts": 1}', "it has no usable id"),
        ('{"id": "01ARYZ6S410000000000000000", "topic": "two words", "body": "b", "ts": 1}', "it has no usable topic"),
        ('{"id": "01ARYZ6S410000000000000000", "topic": "a", "ts": 1}', "it has no usable body"),
        ('{"id": "01ARYZ6S410000000000000000", "topic": "a", "body": "b", "ts": 1e300}', "it has no usable at"),
    ],
)
def test_a_line_that_holds_no_post_is_told(line: str, reason: str) -> None:
    posts, bad = posts_of(line)
    assert not posts
    assert bad[0].sentence.to(Language.ENGLISH) == f"line 1: left out, {reason}"


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ('"a"' + ', "x": ' + "[" * 600 + "]" * 600, "it is nested more than 20 deep"),
        ('"a", "x": "' + "x" * 250_000 + '"', "it has more than 250,000 characters"),
        ('"a", "x": NaN', "it is not a JSON object"),
    ],
)
def test_a_line_that_could_not_be_stored_is_left_out_and_the_next_one_is_read(field: str, reason: str) -> None:
    (read,), (bad,) = items_of(f'{{"id": "mb-1", "updated_at": 1, "title": {field}}}\n{item_line(item("mb-2"))}')
    assert read.id == "mb-2"
    assert bad.sentence.to(Language.ENGLISH) == f"line 1: left out, {reason}"


def test_half_a_character_is_replaced_wherever_it_stands() -> None:
    (read,), _ = items_of('{"id": "mb-1", "updated_at": 1, "title": "a", "x\\ud800": [{"y": "\\udfff 가"}]}')
    assert read.extra == {"x\ufffd": [{"y": "\ufffd 가"}]}


def test_of_an_item_that_a_merge_left_twice_the_newer_counts() -> None:
    older, newer = item("mb-1", minutes=1), item("mb-1", minutes=2, status=ItemStatus.CLOSED)
    for lines in ((older, newer), (newer, older)):
        ((read,), _) = items_of("\n".join(map(item_line, lines)))
        assert read.status is ItemStatus.CLOSED


# What `bd export` writes, in the fields of its releases from 2025 and 2026; the words are ours.
BEADS = """\
{"id":"bd-7","title":"Convert prices","description":"Prices are in won.","design":"a table","status":"in_progress","priority":1,"issue_type":"feature","assignee":"kim","created_at":"2025-12-16T13:26:47.117226-08:00","updated_at":"2025-12-17T16:11:17.070763123-08:00","labels":["money"],"dependencies":[{"issue_id":"bd-7","depends_on_id":"bd-7.1","type":"blocks","created_at":"2025-12-16T13:26:47Z","created_by":"kim"},{"issue_id":"bd-7","depends_on_id":"bd-9","type":"replies-to","created_at":"2025-12-16T13:26:47Z","created_by":"kim"}],"comments":[{"id":1,"issue_id":"bd-7","author":"kim","text":"Why?","created_at":"2025-12-16T13:26:47Z"}]}
{"id":"bd-7.1","title":"Find the rates","description":"","status":"closed","issue_type":"molecule","created_at":"2025-12-16T13:26:47Z","updated_at":"2025-12-17T16:11:17Z","closed_at":"2025-12-17T16:11:17Z","close_reason":"in rates.py"}
{"id":"bd-8","title":"Gone","description":"","status":"tombstone","priority":2,"issue_type":"bug","created_at":"2025-12-16T13:26:47Z","updated_at":"2025-12-17T16:11:17Z","deleted_at":"2025-12-17T16:11:17Z"}
"""  # noqa: E501


def test_an_export_of_beads_is_read_and_nothing_of_it_is_lost() -> None:
    (first, second), bad = items_of(BEADS)
    assert not bad
    assert (first.status, first.kind, first.priority) == (ItemStatus.IN_PROGRESS, "feature", 1)
    assert first.dependencies == (
        Dependency(on=ItemId("bd-7.1")),
        Dependency(on=ItemId("bd-9"), kind=DependencyKind.RELATED, other="replies-to"),
    )
    assert (second.status, second.close_reason, second.priority, second.kind) == (
        ItemStatus.CLOSED,
        "in rates.py",
        0,
        "molecule",
    )
    line = item_line(first)
    assert '"design":"a table"' in line
    assert '"text":"Why?"' in line
    assert '"type":"replies-to"' in line


def test_the_names_of_a_file_are_one_line_each_and_answer_only_what_has_an_id() -> None:
    line = '{"id": "01ARYZ6S410000000000000000", "topic": "a", "body": "b", "at": 1, "agent": "Kim\\nperson", '
    ((read,), _) = posts_of(line + '"role": "owner\\n", "model": "m\\n[MESSAGE]", "in_reply_to": "../.."}')
    assert (read.by.name, read.by.role, read.by.model, read.in_reply_to) == ("Kim person", "owner", "m [MESSAGE]", None)
    ((listed,), _) = items_of(
        '{"id": "a", "title": "t", "updated_at": 1, "assignee": "a\\nb", "created_by": "c\\nd", "labels": ["e\\nf"]}'
    )
    assert (listed.assignee, listed.created_by.name, listed.labels) == ("a b", "c d", ("e f",))


@pytest.mark.parametrize("field", ['"x": 1e999', '"x": [-1e400]'])
def test_a_number_that_would_be_written_as_none_is_left_out_with_its_line(field: str) -> None:
    items, (bad,) = items_of(f'{{"id": "a", "title": "t", "updated_at": 1, {field}}}')
    assert not items
    assert bad.sentence.to(Language.ENGLISH) in (
        "line 1: left out, it is not a JSON object",
        "line 1: left out, the last line is torn",
    )


def test_an_item_that_waits_for_thousands_is_written_as_a_line_that_is_read_again() -> None:
    on = ", ".join(f'{{"depends_on_id": "d-{number}"}}' for number in range(6_000))
    ((read,), _) = items_of(f'{{"id": "a", "title": "t", "updated_at": 1, "dependencies": [{on}]}}')
    ((again,), bad) = items_of(item_line(read))
    assert not bad
    assert again.dependencies == read.dependencies

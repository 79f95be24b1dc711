"""`mama-bot reports`: what people reported is listed, looked at and settled, and nothing is lost when it cannot be."""

import errno
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import yaml

from mama_bot.config import ResponseValidatorSettings
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.praise.stage import ResponseValidator
from mama_bot.model import (
    Allow,
    Author,
    Block,
    Decision,
    Draft,
    Evidence,
    Finding,
    StageVerdict,
    Turn,
    TurnState,
)
from mama_bot.store import Store
from tests.commands.places import Place
from tests.end_to_end.team import write_configuration
from tests.store.making import HERE, START, attempt, message, reply, sent_back, turn

MESSAGE = message(1)
TURN = turn(MESSAGE)
TEXT = "What an **excellent** question! `a.py` has 3 functions (f, g, h). \x1b[31m정말 훌륭합니다!"
PRAISE = tuple(
    Finding(kind="praise", text=found, start=0, end=0)
    for found in ("What an **excellent** question!", "정말  훌륭합니다!")
)
ENTRIES = [r"What\s+an\s+\**excellent\**\s+question", r"정말\s+훌륭합니다"]


def praise(*findings: Finding) -> Block:
    return Block(
        rule="praise_share",
        reason="62 % is praise",
        feedback="again",
        evidence=Evidence(findings=findings),
    )


def held(stage: str = "response_validator", decision: Decision | None = None) -> StageVerdict:
    return StageVerdict(stage=stage, decision=decision or praise(*PRAISE))


def approval(text: str, found: str, *further: Finding) -> Block:
    """What the gate holds against a text."""
    start = text.index(found)
    return praise(Finding(kind="approval", text=found, start=start, end=start + len(found)), *further)


def reported(
    place: Place, *stages: Sequence[StageVerdict], note: str = "A quotation", text: str = TEXT, turn: Turn = TURN
) -> None:
    """One report for each attempt, with what the stages held against it."""

    async def work(store: Store) -> None:
        await store.inbox.accept(MESSAGE)
        await store.turns.add_turns([turn])
        for number, verdicts in enumerate(stages or ([held()],)):
            plain = attempt(turn, number, text, sent_back())
            judged = replace(plain, judgement=replace(plain.judgement, stages=tuple(verdicts)))
            await store.turns.add_attempt(judged)
            await store.reports.report_attempt(HERE, turn.id, number, reporter=Author(id="k", name="Kim"), note=note)

    place.left_behind(work)


def whitelist(place: Place, stage: str = "response_validator") -> list[str]:
    entries = yaml.safe_load(place.accepted.read_text(encoding="utf-8"))[stage]
    assert isinstance(entries, list)
    return entries


def written(place: Place) -> tuple[bytes, bytes | None]:
    """Return the text of the configuration, and of what was accepted; None: nothing yet."""
    return place.file.read_bytes(), place.accepted.read_bytes() if place.accepted.is_file() else None


def states(place: Place) -> list[str]:
    return [report["state"] for report in json.loads(place.run("reports", "--all", "--json").output)]


def test_open_reports_are_listed_and_shown_with_the_text_that_was_judged(place: Place) -> None:
    reported(place)
    listed = place.run("reports")
    assert listed.status == 0
    for words in ("#1", "lead, attempt 1, sent back", "response_validator/praise_share: 62 % is praise", "A quotation"):
        assert words in listed.output
    assert "has 3 functions" not in listed.output
    shown = place.run("reports", "show", "1")
    assert "`a.py` has 3 functions (f, g, h)." in shown.output
    assert "\x1b" not in shown.output
    (as_json,) = json.loads(place.run("reports", "--json").output)
    assert (as_json["number"], as_json["text"], as_json["state"]) == (1, TEXT, "open")


def missed(place: Place, note: str = "No test ran") -> None:
    """A report of a reply that passed."""

    async def work(store: Store) -> None:
        await store.inbox.accept(MESSAGE)
        await store.turns.add_turns([TURN])
        passed = attempt(TURN, 0, TEXT)
        await store.turns.finish(TURN, TurnState.ANSWERED, attempt=passed, posts=[reply(TURN, TEXT)])
        kim = Author(id="k", name="Kim")
        await store.reports.report_post(HERE, reply(TURN).id, reporter=kim, note=note)
        await store.reports.report_post(HERE, reply(TURN).id, reporter=kim, note="Nor did it build")

    place.left_behind(work)


def test_a_reply_that_passed_is_listed_as_missed_and_accepted_without_a_change_of_settings(place: Place) -> None:
    missed(place)
    listed = place.run("reports").output
    for words in ("posted", "missed: it passed, and should not have", "No test ran", "Kim added: Nor did it build"):
        assert words in listed
    assert "The record (1 calls" in place.run("reports", "show", "1").output
    as_json = json.loads(place.run("reports", "show", "1", "--json").output)
    assert (as_json["missed"], as_json["record"]["runs"][0]["tool"]) == (True, "Bash")
    before = written(place)
    assert "nothing to whitelist" in place.run("reports", "accept", "1", "--phrase", "excellent").complaint
    assert "this was a dry run" in place.run("reports", "accept", "1", "--dry-run").output
    assert states(place) == ["open"]
    accepted = place.run("reports", "accept", "1")
    assert (accepted.status, "No setting was changed" in accepted.output) == (0, True)
    assert (states(place), written(place)) == (["accepted"], before)
    days = str((datetime.now(UTC) - START).days + 2)
    assert "missed        1 of those that passed" in place.run("metrics", "--days", days).output


def test_accepting_writes_the_found_phrases_and_leaves_the_configuration_alone(place: Place) -> None:
    reported(place)
    before = place.file.read_text(encoding="utf-8") + "# the last word\n"
    place.file.write_text(before, encoding="utf-8")
    place.file.chmod(0o640)
    accepted = place.run("reports", "accept", "1")
    assert (accepted.status, accepted.complaint) == (0, "")
    for words in (*ENTRIES, "enforcement.response_validator.whitelist", "started again", "passes response_validator"):
        assert words in accepted.output
    assert place.file.read_text(encoding="utf-8") == before
    assert whitelist(place) == ENTRIES
    assert (place.file.stat().st_mode & 0o777, place.accepted.stat().st_mode & 0o777) == (0o640, 0o644)
    assert states(place) == ["accepted"]
    beside = {path.name for path in place.accepted.parent.iterdir()}
    assert beside == {"accepted.yaml", "scripted"}


async def test_the_whitelisted_text_passes_however_its_white_space_falls(place: Place) -> None:
    settings = ResponseValidatorSettings(whitelist=tuple(ENTRIES), person_threshold=0)
    english = ("What an **excellent** question!", "What an excellent question!", "what  an   excellent question.")
    for text in (*english, "정말 훌륭합니다."):
        decision = await ResponseValidator(settings=settings).judge(
            Case(Draft(turn_id=TURN.id, attempt=0, text=text), TURN)
        )
        assert isinstance(decision, Allow), text


def test_a_phrase_may_be_named_instead_and_is_taken_literally(place: Place) -> None:
    reported(place)
    accepted = place.run("reports", "accept", "1", "--phrase", "3 functions (f, g, h)", "--phrase", "excellent")
    assert accepted.status == 0
    assert whitelist(place) == [r"3\s+functions\s+\(f,\s+g,\s+h\)", "excellent"]


CUSTOMER = "I approve this on behalf of the old customer"


def test_the_approval_of_a_review_is_whitelisted_and_not_what_speaks_against_it(place: Place) -> None:
    text = f"{CUSTOMER}. 2 failed."
    against = Finding(kind="contradiction", text="2 failed", start=46, end=54)
    reported(place, [held("review_gate", approval(text, f"{CUSTOMER}.", against))], text=text)
    told = place.run("reports", "accept", "1")
    assert (told.status, told.complaint) == (0, "")
    assert "CAUTION" not in told.output
    assert whitelist(place, "review_gate") == [CUSTOMER.replace(" ", r"\s+")]


def test_a_bare_approval_gives_its_line_to_the_whitelist(place: Place) -> None:
    text = "Hello.\n- Approved. So the old customer wrote to us.\nNothing was run."
    reported(place, [held("review_gate", approval(text, "Approved."))], text=text)
    assert place.run("reports", "accept", "1").status == 0
    assert whitelist(place, "review_gate") == [r"-\s+Approved\.\s+So\s+the\s+old\s+customer\s+wrote\s+to\s+us"]


@pytest.mark.parametrize("bare", ["LGTM", "Approved.", "승인합니다."])
def test_a_bare_approval_is_whitelisted_only_when_it_is_asked_for_and_with_a_warning(place: Place, bare: str) -> None:
    text = f"{bare}\nNothing was run."
    reported(place, [held("review_gate", approval(text, bare))], text=text)
    content = written(place)
    told = place.run("reports", "accept", "1")
    assert (told.status, "nothing but an approval" in told.complaint, told.output) == (2, True, "")
    assert (written(place), states(place)) == (content, ["open"])
    told = place.run("reports", "accept", "1", "--phrase", bare)
    assert (told.status, told.complaint) == (0, "")
    assert "this lets every approval worded so pass" in told.output
    assert whitelist(place, "review_gate") == [bare.rstrip(".")]


def test_what_is_there_already_is_not_added_twice(place: Place) -> None:
    reported(place, [held()], [held()])
    assert place.run("reports", "accept", "1").status == 0
    content = written(place)
    again = place.run("reports", "accept", "2")
    assert (again.status, "was there already" in again.output) == (0, True)
    assert written(place) == content
    assert states(place) == ["accepted", "accepted"]


def test_dismissing_changes_nothing_but_the_report(place: Place) -> None:
    reported(place)
    content = written(place)
    assert place.run("reports", "dismiss", "1").status == 0
    assert written(place) == content
    assert "There are no open reports." in place.run("reports").output
    assert "dismissed" in place.run("reports", "--all").output


def test_a_report_is_settled_once(place: Place) -> None:
    reported(place)
    assert place.run("reports", "dismiss", "1").status == 0
    for action in ("accept", "dismiss"):
        told = place.run("reports", action, "1")
        assert (told.status, "dismissed already" in told.complaint) == (2, True)


@pytest.mark.parametrize("action", ["show", "accept", "dismiss"])
def test_an_unknown_number_is_refused_with_a_sentence(place: Place, action: str) -> None:
    reported(place)
    told = place.run("reports", action, "99")
    assert (told.status, told.output) == (2, "")
    assert "There is no report 99." in told.complaint
    assert "Traceback" not in told.complaint


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("accept",), "the number of a report"),
        (("list", "3"), "no number"),
        (("accept", "one"), "The number of a report is expected"),
        (("acept", "1"), "Did you mean `accept`?"),
        (("dismiss", "1", "--phrase", "x"), "--phrase, --stage and --dry-run belong to"),
        (("accept", "1", "--phrase", " "), "A phrase needs words"),
        (("accept", "1", "--phrase", "x" * 301), "does not occur"),
        (("accept", "1", "--phrase", "f,"), "is too short"),
        (("accept", "1", "--phrase", "답"), "is too short"),
        (("dismiss", "1", "--dry-run"), "belong to `mama-bot reports accept N`"),
        (("7",), "`mama-bot reports show 7`"),
        (("accept", "1", "--stage", "scope_guard"), "did not object"),
        (("show", "9" * 30), "The number of a report is expected"),
    ],
)
def test_bad_arguments_are_refused_and_nothing_changes(place: Place, arguments: tuple[str, ...], words: str) -> None:
    reported(place)
    content = written(place)
    told = place.run("reports", *arguments)
    assert (told.status, "Traceback" in told.complaint) == (2, False)
    assert words in told.complaint
    assert written(place) == content
    assert states(place) == ["open"]


def test_a_stage_without_a_whitelist_says_what_to_do_instead(place: Place) -> None:
    reported(place, [held("scope_guard")], [held("todo_tracker")], [held("delegation_check")])
    for number, words in enumerate(("always_expected", "reminder", "enforcement.delegation_check"), start=1):
        told = place.run("reports", "accept", str(number))
        assert told.status == 2
        assert "has no whitelist" in told.complaint
        assert words in told.complaint


def test_with_several_stages_all_found_phrases_are_added_and_a_phrase_needs_its_stage(place: Place) -> None:
    text = f"{TEXT}\n{CUSTOMER}"
    both = [held(), held("review_gate", approval(text, CUSTOMER)), held("scope_guard")]
    reported(place, both, both, text=text)
    told = place.run("reports", "accept", "1", "--phrase", CUSTOMER)
    assert (told.status, "--stage" in told.complaint) == (2, True)
    assert place.run("reports", "accept", "1", "--phrase", CUSTOMER, "--stage", "review_gate").status == 0
    assert place.run("reports", "accept", "2").status == 0
    assert (whitelist(place), whitelist(place, "review_gate")) == (ENTRIES, [CUSTOMER.replace(" ", r"\s+")])


def test_a_verdict_without_a_phrase_asks_for_one(place: Place) -> None:
    reported(place, [held(decision=praise())])
    told = place.run("reports", "accept", "1")
    assert (told.status, "--phrase 'TEXT'" in told.complaint) == (2, True)
    assert states(place) == ["open"]


def refused_with_the_lines(place: Place, reason: str) -> None:
    content = written(place)
    told = place.run("reports", "accept", "1")
    assert (told.status, "accepted" in told.output, "Traceback" in told.complaint) == (2, False, False)
    for words in (reason, "stays open", "enforcement:\n  response_validator:\n    whitelist:", *ENTRIES):
        assert words in told.complaint
    assert written(place) == content
    assert states(place) == ["open"]


def test_where_nothing_can_be_written_the_lines_to_add_are_said(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    reported(place)
    monkeypatch.setattr(tempfile, "mkstemp", full)
    refused_with_the_lines(place, "No space left on device")


def test_a_read_only_configuration_is_no_hindrance(place: Place) -> None:
    reported(place)
    place.file.chmod(0o444)
    assert place.run("reports", "accept", "1").status == 0
    assert whitelist(place) == ENTRIES


def test_what_is_accepted_stands_beside_what_the_file_and_the_environment_list(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported(place, [held()], [held()])
    write_configuration(place.file.parent, enforcement={"response_validator": {"whitelist": [ENTRIES[0]]}})
    assert place.run("reports", "accept", "1").status == 0
    assert whitelist(place) == ENTRIES[1:]  # an entry of before, in the configuration, is valid and not written again
    monkeypatch.setenv("MAMA_ENFORCEMENT__RESPONSE_VALIDATOR__WHITELIST", '["perfect hash"]')
    told = place.run("reports", "accept", "2")
    assert (told.status, "passes response_validator" in told.output) == (0, True)
    assert whitelist(place) == [ENTRIES[1], ENTRIES[0]]


def test_a_second_report_adds_to_what_was_accepted(place: Place) -> None:
    reported(place, [held()], [held()])
    assert place.run("reports", "accept", "1", "--phrase", "excellent").status == 0
    assert place.run("reports", "accept", "2", "--phrase", "훌륭합니다").status == 0
    assert whitelist(place) == ["excellent", "훌륭합니다"]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("response_validator:\n  - fine\n  - '('\n", 3, "response_validator.1: '(' is not an RE2 expression"),
        ("review_gate:\n  - 3\n", 2, "review_gate.0: expected text, got 3."),
        ("review_gate: LGTM\n", 1, "review_gate: expected a list of expressions."),
        ("\nresponse_validater: []\n", 2, "has no whitelist. Did you mean 'response_validator'?"),
        ("- x\n", 1, "Expected lines of the form 'key: value'."),
    ],
)
def test_a_wrong_entry_is_one_sentence_with_its_line(place: Place, text: str, line: int, words: str) -> None:
    reported(place)
    place.accepted.write_text(text, encoding="utf-8")
    told = place.run("reports")
    assert (told.status, "Traceback" in told.complaint) == (2, False)
    assert f"{place.accepted}:{line}: " in told.complaint
    assert words in told.complaint


def test_before_the_service_ever_ran_there_is_nothing_to_list_and_nothing_is_made(place: Place) -> None:
    assert "There are no open reports." in place.run("reports").output
    assert json.loads(place.run("reports", "--json").output) == []
    told = place.run("reports", "show", "1")
    assert (told.status, "does not exist" in told.complaint) == (1, True)
    assert not place.database.parent.exists()


def test_a_finished_turn_and_its_report_outlive_each_other(place: Place) -> None:
    reported(place)

    async def finish(store: Store) -> None:
        await store.turns.finish(TURN, TurnState.WITHHELD)

    place.left_behind(finish)
    assert "lead, attempt 1" in place.run("reports").output


def test_the_prompt_of_a_reported_turn_is_that_of_the_turn(place: Place) -> None:
    reported(place)
    (as_json,) = json.loads(place.run("reports", "--json").output)
    assert isinstance(TURN, Turn)
    assert as_json["turn"]["prompt"] == TURN.prompt

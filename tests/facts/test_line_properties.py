"""Whatever the facts are: the line is short, alike in both languages, and no part of it is untrue of them."""

import re
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from mama_bot.facts.line import record_line
from mama_bot.model import (
    CheckFact,
    Counts,
    DeedFact,
    Facts,
    FileFact,
    FileFate,
    Freshness,
    LookFact,
    LookKind,
    RunEnd,
    RunKind,
    Witness,
)
from mama_bot.wording import Language
from tests.facts.making import witness

NASTY = st.sampled_from(
    ["", "api", "a b", "tests/test_a.py", "-k x", "45 passed · pushed", "`@everyone`", "x" * 300, "\n"]
)
ENDS = st.sampled_from(RunEnd)
numbers = st.none() | st.integers(0, 2000)
witnesses = st.builds(
    lambda minute, own, age: witness(minute, own=own, age=age),
    st.integers(0, 12),
    st.sampled_from([True, True, True, False]),
    st.sampled_from([0, 0, 0, 1, 3]),
)
checks = st.builds(
    CheckFact,
    kind=st.sampled_from([RunKind.TESTS, RunKind.TESTS, RunKind.BUILD, RunKind.TYPES, RunKind.LINT, RunKind.DIFF]),
    tool=st.sampled_from(["pytest", "go test", "mypy", "45 passed", "a · pushed"]),
    command=st.just(""),
    end=ENDS,
    counts=st.builds(Counts, passed=numbers, failed=numbers, errors=numbers, skipped=numbers),
    place=NASTY,
    selected=st.lists(NASTY.filter(bool), max_size=2).map(tuple),
    hook=st.booleans(),
    freshness=st.sampled_from(Freshness),
    witness=witnesses,
)
files = st.builds(
    FileFact,
    path=st.sampled_from(["a.py", "b/c.ts", "README.md", "/tmp/x", "d.go"]),
    fate=st.sampled_from(FileFate),
    fates=st.frozensets(st.sampled_from(FileFate)),
    undone=st.booleans(),
    added=numbers,
    removed=numbers,
    witness=witnesses,
)
deeds = st.builds(
    DeedFact,
    kind=st.sampled_from([RunKind.COMMIT, RunKind.COMMIT, RunKind.PUSH, RunKind.MERGE, RunKind.DEPLOY]),
    tool=st.just("git"),
    command=st.just(""),
    end=ENDS,
    target=NASTY | st.just("39e7c6abcdef"),
    dry=st.booleans(),
    witness=witnesses,
)
looks = st.builds(
    LookFact,
    kind=st.sampled_from(LookKind),
    subject=NASTY,
    state=st.sampled_from(["shown", "present"]),
    witness=witnesses,
)


def listed(kind: st.SearchStrategy[object], most: int = 6) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(kind, max_size=most).map(tuple)


facts_values = st.builds(
    Facts,
    recorded=st.sampled_from([True, True, True, False]),
    calls=st.integers(0, 3),
    earlier_calls=st.integers(0, 2),
    dropped=st.sampled_from([0, 0, 0, 2]),
    checks=listed(checks),
    files=listed(files, 4),
    deeds=listed(deeds, 4),
    looks=listed(looks, 2),
    unknown=listed(witnesses, 2),
    background=st.sampled_from([(), ("npm run dev",)]),
)


def parts(line: str) -> list[str]:
    return line.partition(": ")[2].split(" · ") if line else []


def shown(facts: Facts, *, claims_work: bool = False) -> list[str]:
    return parts(record_line(facts, Language.ENGLISH, claims_work=claims_work))


def own(fact: CheckFact | FileFact | DeedFact, *, now: bool = True) -> bool:
    return fact.witness.own and (not now or not fact.witness.age)


@given(facts=facts_values, claims_work=st.booleans())
def test_it_is_one_short_line_of_ours(facts: Facts, claims_work: bool) -> None:
    lines = {language: record_line(facts, language, claims_work=claims_work) for language in Language}
    for line in lines.values():
        assert len(line) <= 200 or len(parts(line)) <= 2
        assert len(parts(line)) <= 6
        assert line.isprintable()
        assert not set("`@*_<>|~#") & set(line.replace("test_a", ""))
    assert bool(lines[Language.ENGLISH]) == bool(lines[Language.KOREAN])


@given(facts=facts_values, claims_work=st.booleans())
def test_what_it_denies_is_known_not_to_have_been(facts: Facts, claims_work: bool) -> None:
    said = shown(facts, claims_work=claims_work)
    told = facts.recorded and not facts.dropped
    for part in said:
        if part == "no tests were run":
            assert told
            assert not facts.unknown
            assert not any(own(check) and check.kind is RunKind.TESTS for check in facts.checks)
        if part == "not committed":
            assert told
            assert not any(
                own(deed) and deed.kind is RunKind.COMMIT and deed.end is RunEnd.PASSED for deed in actual(facts)
            )
        if part.endswith("not pushed"):
            assert told
            last = [deed for deed in actual(facts) if own(deed) and deed.kind in {RunKind.COMMIT, RunKind.PUSH}]
            commits = [at for at, deed in enumerate(last) if deed.kind is RunKind.COMMIT and deed.end is RunEnd.PASSED]
            assert not any(deed.kind is RunKind.PUSH for deed in last[commits[-1] :])
        if part.startswith("nothing was run"):
            assert told
            assert facts.calls == 0


def actual(facts: Facts) -> Iterator[DeedFact]:
    return (deed for deed in facts.deeds if not deed.dry)


@given(facts=facts_values)
def test_what_it_calls_done_was_done_by_the_persona(facts: Facts) -> None:
    done = {deed.kind for deed in actual(facts) if own(deed) and deed.end is RunEnd.PASSED}
    words = {"committed": RunKind.COMMIT, "pushed": RunKind.PUSH, "merged": RunKind.MERGE, "deployed": RunKind.DEPLOY}
    for part in shown(facts):
        for word, kind in words.items():
            if part.split(",")[0].split(" ")[0] == word:
                assert kind in done


@given(facts=facts_values)
def test_its_figures_are_those_of_a_run(facts: Facts) -> None:
    for part in shown(facts):
        for figure, name in re.findall(r"([\d,]+) (passed|failed|skipped)", part):
            number = int(figure.replace(",", ""))
            assert any(own(check, now=False) and getattr(check.counts, name) == number for check in facts.checks)
        if re.search(r" (?:\d[\d,]* )?passed\b", part):
            ends = {check.end for check in facts.checks if own(check, now=False)}
            assert ends & {RunEnd.PASSED, RunEnd.FAILED}


@given(facts=facts_values)
def test_a_check_is_after_the_last_edit_only_where_everything_is_known(facts: Facts) -> None:
    for part in shown(facts):
        if part.endswith(("after the last edit", "code unchanged since", "then comments or format only")):
            fresh = [check for check in facts.checks if own(check) and check.freshness in WORTH]
            assert any(_nothing_unseen_after(facts, check.witness) for check in fresh)
        if part.endswith("after the last edit"):
            last = max(file.witness.at for file in facts.files if not file.path.startswith("/tmp"))
            assert any(check.witness.at > last for check in fresh)
        if part.endswith("before the last edit"):
            assert any(check.freshness is Freshness.STALE for check in facts.checks if own(check, now=False))


WORTH = {Freshness.FRESH, Freshness.RESTYLED}


def _nothing_unseen_after(facts: Facts, by: Witness) -> bool:
    return facts.recorded and not facts.dropped and all(call.at < by.at for call in facts.unknown)


@given(facts=facts_values)
def test_files_are_counted_of_this_turn_and_lines_where_all_were_counted(facts: Facts) -> None:
    written = {id(file) for file in facts.files if own(file) and not file.undone}
    for part in shown(facts):
        if (match := re.match(r"(?:at least )?(\d+) files?(?: \+([\d,]+) −([\d,]+))?$", part)) is not None:
            assert int(match[1]) <= len(written)
            assert not (facts.dropped and not part.startswith("at least"))
            if match[2]:
                assert int(match[2].replace(",", "")) <= sum(file.added or 0 for file in facts.files)


@given(facts=facts_values)
def test_a_turn_without_a_call_has_no_line_unless_it_claims_work(facts: Facts) -> None:
    assert facts.calls or not shown(facts)

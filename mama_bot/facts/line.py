"""The line of facts of a reply: what the record shows of the work, in one short line that is never wrong."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mama_bot.facts import sentences as says
from mama_bot.facts.check_words import told_checks
from mama_bot.facts.ci_words import ci_words
from mama_bot.facts.command_words import only_looked, told_commands
from mama_bot.facts.places import is_scratch
from mama_bot.model import CheckFact, CheckState, DeedFact, Facts, FileFact, FileFate, LookKind, RunEnd, RunKind
from mama_bot.wording import Language, Said

MOST_PARTS = 5
MOST_CHARACTERS = 200
BETWEEN = " · "
LEFT_OUT = "…"
SHORT_HASH = 7
FAILING, FIRST, FURTHER = 0, 1, 2
HASH = frozenset("0123456789abcdef")


class LinePart(NamedTuple):
    """A part of the line, and how soon it is left out where there is no room: the greatest `rank` first."""

    text: str
    rank: int


def record_line(
    facts: Facts, language: Language, *, claims_work: bool = False, attempts: str = "", fallback: str = ""
) -> str:
    """Return the line of facts of a turn, "" where there is nothing to say.

    `claims_work` says that the reply calls something done: then it is also said that nothing was run. `attempts` says
    how many attempts it took, where it was not the first, `fallback` what worked in place of what is set.
    """
    parts = [*_parts(facts, language, claims_work=claims_work)]
    if attempts:
        parts.append(LinePart(attempts, FIRST))
    if fallback:
        parts.append(LinePart(says.FALLBACK.to(language, name=fallback), FIRST))
    return _line(parts, language) if parts else ""


def _line(parts: Sequence[LinePart], language: Language) -> str:
    """Return the parts in their order, without the least of them where they are too many or too long."""
    kept = list(parts)
    while True:
        texts = [part.text for part in kept] + [LEFT_OUT] * (len(kept) < len(parts))
        line = says.RECORD.to(language, parts=BETWEEN.join(texts))
        if len(kept) == 1 or (len(kept) <= MOST_PARTS and len(line) <= MOST_CHARACTERS):
            return line
        worst = max(part.rank for part in kept)
        kept.pop(max(index for index, part in enumerate(kept) if part.rank == worst))


def _parts(facts: Facts, language: Language, *, claims_work: bool) -> Iterator[LinePart]:
    if not facts.calls:
        if claims_work and not facts.dropped:
            yield LinePart(_nothing(facts).to(language), FIRST)
            yield from _tests(facts, language, asked=False)
        return
    files = files_of_turn(facts)
    worked = bool(files) or any(_deeds(facts, kind) for kind in (RunKind.COMMIT, *says.DONE))
    parts = [
        *_files(facts, files, language),
        *_tests(facts, language, asked=bool(files), worked=worked),
        *_checks(facts, language),
        *_rules(facts, language),
        *_commits(facts, files, language),
        *_other_deeds(facts, language),
        *_ci(facts, language),
        *(LinePart(told.text, FAILING if told.failed else FURTHER) for told in told_commands(facts, language)),
        *_unfinished(facts, language),
    ]
    yield from parts
    if not parts:
        yield from _looks(facts, language)
        if not claims_work and only_looked(facts):
            yield LinePart(says.ONLY_LOOKED.to(language), FIRST)
        if claims_work and _wrote_nothing(facts):
            yield LinePart(says.NO_FILES.to(language), FIRST)
        if claims_work:
            yield from _tests(facts, language, asked=True)
        if claims_work and not facts.recorded:
            yield LinePart(says.NOT_REPORTED.to(language), FIRST)


def _wrote_nothing(facts: Facts) -> bool:
    """Return whether it is sure that the turn wrote no file."""
    told = (
        facts.wrote
        or facts.dropped
        or facts.unknown
        or facts.opaque
        or any(not file.witness.age for file in facts.files)
    )
    return facts.recorded and not told


def _nothing(facts: Facts) -> Said:
    if not facts.recorded:
        return says.NOT_REPORTED
    if facts.earlier_calls or not facts.from_beginning:
        return says.NOTHING_IN_THIS_TURN
    return says.NOTHING_WAS_RUN


# --- files ----------------------------------------------------------------------------------------------


def files_of_turn(facts: Facts) -> tuple[FileFact, ...]:
    """Return the files that this turn wrote or removed and left so, notes outside the workspace aside."""
    return tuple(
        file
        for file in facts.files
        if file.witness.own and not file.witness.age and not (file.undone or is_scratch(file.path) or _is_gone(file))
    )


def _is_gone(file: FileFact) -> bool:
    """Return whether the turn made the file itself, and removed it again."""
    return file.fate is FileFate.DELETED and FileFate.CREATED in file.fates


def _files(facts: Facts, files: Sequence[FileFact], language: Language) -> Iterator[LinePart]:
    if not files:
        return
    counted = says.AT_LEAST_FILES if facts.dropped or _strange(facts) else says.FILES
    words = counted.to(language, count=len(files))
    added, removed = [file.added for file in files], [file.removed for file in files]
    if None not in added and None not in removed:
        words += f" +{sum(filter(None, added)):,} −{sum(filter(None, removed)):,}"
    yield LinePart(words, FIRST)


def _strange(facts: Facts) -> bool:
    """Return whether a call of the turn may have written or committed anything: builds alone do not."""
    builds = {check.witness.call_id for check in facts.checks}
    return any(witness.call_id not in builds for witness in facts.unknown)


# --- checks ---------------------------------------------------------------------------------------------


def _tests(facts: Facts, language: Language, *, asked: bool, worked: bool = True) -> Iterator[LinePart]:
    """Yield what the tests say: those of this turn, else of the last one that ran any; `asked` says that none ran."""
    tests = [*told_checks(facts, (RunKind.TESTS,), language)]
    if not tests and worked:
        tests = [*told_checks(facts, (RunKind.TESTS,), language, earlier=True)]
    for told in tests:
        yield LinePart(told.text, FAILING if told.failed else FIRST)
    if tests or not asked or not facts.recorded:
        return
    sure = not (facts.dropped or facts.unknown)
    yield LinePart((says.NO_TESTS if sure else says.TESTS_NOT_KNOWN).to(language), FIRST)


def _checks(facts: Facts, language: Language) -> Iterator[LinePart]:
    kinds = (RunKind.BUILD, RunKind.TYPES, RunKind.LINT, RunKind.FORMAT)
    for told in told_checks(facts, kinds, language):
        yield LinePart(told.text, FAILING if told.failed else FURTHER)


def _rules(facts: Facts, language: Language) -> Iterator[LinePart]:
    """Yield what the turn changed of how git looks at the repository, which no commit and no diff shows."""
    if facts.rules:
        named = ", ".join(says.RULES[rule].to(language) for rule in facts.rules)
        yield LinePart(says.RULES_CHANGED.to(language, rules=named), FAILING)


def _unfinished(facts: Facts, language: Language) -> Iterator[LinePart]:
    """Yield how many commands were left running, where no check or deed tells."""
    told: tuple[CheckFact | DeedFact, ...] = (*facts.checks, *facts.deeds)
    if facts.background and not any(fact.end is RunEnd.OPEN and not fact.witness.age for fact in told):
        yield LinePart(says.LEFT_RUNNING.to(language, count=len(facts.background)), FURTHER)


# --- commits and what goes out --------------------------------------------------------------------------


def _deeds(facts: Facts, kind: RunKind) -> list[DeedFact]:
    return [deed for deed in facts.deeds_of(kind) if not deed.witness.age]


def _commits(facts: Facts, files: Sequence[FileFact], language: Language) -> Iterator[LinePart]:
    commits, pushes = _deeds(facts, RunKind.COMMIT), _deeds(facts, RunKind.PUSH)
    sure = facts.recorded and not facts.dropped and not _strange(facts)
    done = next((deed for deed in reversed(commits) if deed.end is RunEnd.PASSED), None)
    if done is not None:
        words = [_commit(done).to(language)]
        if any(file.witness.at > done.witness.at for file in files):
            words.append(says.EDITED_SINCE.to(language))
        later = [push for push in pushes if _follows(facts, push, done)]
        if not later and sure:
            words.append(says.NOT_PUSHED.to(language))
        pushes = later
        yield LinePart(", ".join(words), FIRST)
    if commits and commits[-1].end is not RunEnd.PASSED:
        yield _deed(commits[-1], language)
    elif files and done is None and sure:
        yield LinePart(says.NOT_COMMITTED.to(language), FIRST)
    if pushes:
        yield _deed(pushes[-1], language)


def _ci(facts: Facts, language: Language) -> Iterator[LinePart]:
    """Yield what the forge says of the pull request; the commit that it speaks of is named."""
    if facts.ci is not None and (words := ci_words(facts.ci, language)):
        yield LinePart(words, FAILING if facts.ci.whole is CheckState.FAILED else FURTHER)


def _commit(deed: DeedFact) -> Said:
    commit = deed.target[:SHORT_HASH]
    return says.COMMITTED_AS.of(commit=commit) if commit and HASH.issuperset(commit) else says.COMMITTED


def _follows(facts: Facts, deed: DeedFact, other: DeedFact) -> bool:
    order = [id(known) for known in facts.deeds]
    return order.index(id(deed)) > order.index(id(other))


def _other_deeds(facts: Facts, language: Language) -> Iterator[LinePart]:
    for kind in (RunKind.MERGE, RunKind.PUBLISH, RunKind.DEPLOY):
        if deeds := _deeds(facts, kind):
            yield _deed(deeds[-1], language)
        elif any(deed.dry and deed.kind is kind and deed.witness.own and not deed.witness.age for deed in facts.deeds):
            yield LinePart(says.REHEARSED.to(language, deed=says.DEEDS[kind]), FIRST)


def _deed(deed: DeedFact, language: Language) -> LinePart:
    """Return what came of a deed."""
    if deed.end is RunEnd.PASSED:
        return LinePart(says.DONE[deed.kind].to(language), FIRST)
    words = says.DEED_ENDS[deed.end].to(language, deed=says.DEEDS[deed.kind])
    return LinePart(words, FAILING if deed.end is RunEnd.FAILED else FIRST)


# --- looks ----------------------------------------------------------------------------------------------


def _looks(facts: Facts, language: Language) -> Iterator[LinePart]:
    read = {
        look.subject
        for look in facts.looks
        if look.kind is LookKind.FILE and look.state == "shown" and look.witness.own and not look.witness.age
    }
    if read:
        yield LinePart(says.FILES_READ.to(language, count=len(read)), FIRST)

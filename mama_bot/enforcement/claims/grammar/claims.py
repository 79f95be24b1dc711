"""What a text claims: what its speaker asserts, here and now, that a record of tool calls could show."""

from collections.abc import Iterator
from dataclasses import replace

from mama_bot.enforcement.claims.grammar.deeds import deeds, of_item
from mama_bot.enforcement.claims.grammar.figures import figures_in
from mama_bot.enforcement.claims.grammar.fragments import NOUNS, PREDICATES, TOOLS, Fragment, fragments
from mama_bot.enforcement.claims.grammar.named import FILE, TEST_FILE, Marked, marked
from mama_bot.enforcement.claims.grammar.outcomes import Said, outcomes, spoken_of
from mama_bot.enforcement.claims.grammar.passages import Passage, Place, Section, passages
from mama_bot.enforcement.claims.grammar.printed import Pasted
from mama_bot.enforcement.claims.grammar.vocabulary import Term, vocabulary
from mama_bot.enforcement.stage_lexicon import lexicon
from mama_bot.model.claims import Claim, ClaimKind
from mama_bot.model.runs import NO_COUNTS
from mama_bot.text.lexicon import Lexicon
from mama_bot.text.normalise import Normalised
from mama_bot.text.patterns import compiled
from mama_bot.text.sentences import pieces, reading_of

MOST_CLAIMS = 200
MOST_LINES = 1500
# "1." stands as a sentence of its own.
SHORTEST_ITEM = 4
FILE_FIRST = compiled(rf"^[\s\d\p{{P}}]*[{FILE}{TEST_FILE}]")
CHECKS = frozenset((ClaimKind.TESTS, ClaimKind.BUILD, ClaimKind.TYPES, ClaimKind.LINT, ClaimKind.FORMAT))
# A deed that only leads to what it showed: "ran pytest: 45 passed", "verified that the build passes".
LEADING = frozenset((ClaimKind.RAN, ClaimKind.CHECKED))
# What a record can only fail to show.
TOLD = frozenset((ClaimKind.RAN, ClaimKind.CHECKED, ClaimKind.REPRODUCED, ClaimKind.ONLY_THESE))
NOUN_OF = {
    ClaimKind.TESTS: Term.TESTS,
    ClaimKind.BUILD: Term.BUILD,
    ClaimKind.TYPES: Term.TYPES,
    ClaimKind.LINT: Term.LINT,
    ClaimKind.FORMAT: Term.FORMAT,
}
AGAIN = compiled(r"\bre-?(?:ran|run)\b|\bthe second (?:run|time)\b|\bran (?:it|them) again\b|재실행|다시 ?돌")
# What the next sentence says of the run just told: that it was of an earlier state, which is honest and no claim.
TAKEN_BACK = compiled(
    r"^\W*(?:but |note:? |though )?(?:that|this|these|those|the|both|all)(?: \w+)? ?(?:runs?|results?|figures?|"
    r"numbers?|counts?|"
    r"output)? (?:was|were|is|are|predates?|comes?|came|happened)(?: \w+)? ?(?:from |taken |done |"
    r"all )*(?:before|prior to) |"
    r"\b(?:came|was made|were made|went in|happened) (?:only )?(?:after|later than) (?:that|it|the run|this)\b|"
    r"\bpredates?\b.{0,40}(?:edit|change|commit|fix|rename|bump|format|version)|"
    r"\b(?:not|n't|never) (?:re-?run|re-?ran|re-?tested|re-?check(?:ed)?|repeated?|run (?:it|them|that|"
    r"the \w+) again)\b|"
    r"\bno (?:re-?run|second run|run since|run after)\b|"
    r"(?:그|이|위|해당|이건|그건|위의) ?(?:실행|결과|수치|숫자|테스트|건)?(?:은|는|도|"
    r"가)? [^.]{0,40}전(?:의)? ?(?:것|결과|실행|상태|수치|값|코드 ?기준|기준)?"
    r"(?:입니다|이에요|예요|임|이고|이라|이며)|"
    r"(?:다시|재)[ -]?(?:돌리|실행하|확인하|검증하|실행은|검증은)[^.]{0,8}(?:않|못|안)|(?:다시|재실행|"
    r"재검증)[^.]{0,6} ?(?:안 ?(?:돌|했|함|해)|못 ?(?:돌|했|함))"
)
CAME_AFTER = compiled(
    r"\b(?:came|was made|were made|went in) (?:only )?(?:after|later than) (?:that|it|the run|this)\b"
)
NO_TERMS: frozenset[Term] = frozenset()
# Without one of these nothing is claimed, but by labels such as "Commit: 3fa2c1d" and "42/42".
NAMING = NOUNS | TOOLS
TELLING = PREDICATES | {Term.MEASURE}
LABEL = compiled(
    r"commit|push|커밋|푸시|\d ?/ ?\d|^\W*\d+ (?:out )?of \d|\d tests?\b|\b(?:is|as|in) [0-9a-f]{7}|\(new|: new\b|"
    r"신규|\((?:deleted|removed)"
)


def claims_in(text: str, *, words: Lexicon | None = None) -> tuple[Claim, ...]:
    """What a text claims, in order, at most 200; spans point into the text itself, and never raises.

    Of a text of more than 1,500 lines the first and the last 750 are read.
    A claim of a failure that a later success of the same check overtakes is left out: it tells how the work went.
    """
    plain = reading_of(text).plain
    if not may_claim(plain.text):
        return ()
    found = list(all_in(plain, words or lexicon()))
    if len(found) > MOST_CLAIMS:  # first those that a record can contradict
        found = sorted(found, key=lambda claim: claim.kind in TOLD)[:MOST_CLAIMS]
    return tuple(final(sorted(found, key=lambda claim: claim.start)))


def may_claim(text: str) -> bool:
    """Whether a text holds anything that a claim could be made of."""
    words = vocabulary()
    if not words.said_in(text).isdisjoint(TELLING) or LABEL.search(text) is not None or "```" in text:
        return True
    return words[Term.FILE_SECTION].search(text) is not None


def all_in(plain: Normalised, words: Lexicon) -> Iterator[Claim]:
    """Every claim of a text, in order."""
    about: frozenset[Term] = NO_TERMS
    pasted = Pasted()
    lead: ClaimKind | None = None
    held: list[Claim] = []
    listed = list(passages(plain.text, words))
    if len(listed) > MOST_LINES:
        listed = listed[: MOST_LINES // 2] + listed[-MOST_LINES // 2 :]
    for passage in listed:
        if passage.place is Place.OUTPUT:
            yield from held
            held = []
            yield from (claim_of(plain, start, said) for start, said in pasted.takes(passage))
            continue
        yield from (claim_of(plain, start, said) for start, said in pasted.ends())
        lead = lead if passage.item else None
        below = lead
        for start, sentence in sentences(passage):
            said_here, about = of_sentence(sentence, passage, about, words, lead=below)
            below = below if len(sentence.strip()) <= SHORTEST_ITEM else None
            if held and TAKEN_BACK.search(sentence) is not None:
                held = [one for one in held if one.kind not in CHECKS or one.fails]
            yield from held
            held = [claim_of(plain, start, said) for said in said_here]
            if CAME_AFTER.search(sentence) is not None:
                held = [one for one in held if one.kind not in CHECKS]
            if not passage.item and passage.place is not Place.ROW and not passage.text.startswith("#"):
                lead = lead_of(said_here)
    yield from held
    yield from (claim_of(plain, start, said) for start, said in pasted.ends())


def lead_of(said: list[Said]) -> ClaimKind | None:
    """What a sentence that names no file says of those listed below it: "Two files are new." leads to their names."""
    if said and said[-1].kind in (ClaimKind.CREATED, ClaimKind.DELETED) and not said[-1].subjects:
        return said[-1].kind
    return None


def sentences(passage: Passage) -> Iterator[tuple[int, str]]:
    """The sentences of a line, a row of a table being one."""
    start = passage.start
    if passage.place is Place.ROW:
        yield start, passage.text
        return
    waiting = ""
    for piece in pieces(passage.text):
        part = waiting + piece
        waiting = part if part.rstrip(" ").endswith("...") and part.count("`") % 2 else ""
        if not waiting:
            yield start, part
            start += len(part)
    if waiting:
        yield start, waiting


def of_sentence(
    sentence: str, passage: Passage, about: frozenset[Term], words: Lexicon, *, lead: ClaimKind | None = None
) -> tuple[list[Said], frozenset[Term]]:
    """What a sentence claims, and the checks that it speaks of."""
    with_signs = marked(sentence)
    text = with_signs.text
    if passage.place is Place.ROW:
        text = text.replace("|", " ")
    if passage.ticked:
        text = text.replace("[x]", "✓  ", 1).replace("[X]", "✓  ", 1)
    listed = None
    if with_signs.named and (passage.item or passage.place is Place.ROW):
        listed = of_item(text, with_signs, passage.heading, under=passage.section is Section.FILES)
        if listed is None and lead is not None and FILE_FIRST.match(text) is not None:
            listed = of_item(text, with_signs, "", under=True)
            listed = replace(listed, kind=lead) if listed is not None else None
    terms = vocabulary().said_in(text)
    if terms.isdisjoint(TELLING) and LABEL.search(text) is None:
        return [listed] if listed is not None else [], terms & NAMING or (about if passage.item else NO_TERMS)
    terms |= vocabulary().taken_back_in(text)
    row = passage.place is Place.ROW
    found, spoken = asserted(fragments(text, terms, words), with_signs, NO_TERMS if row else about)
    if listed is not None and not any(
        one.kind in (ClaimKind.CREATED, ClaimKind.CHANGED, ClaimKind.DELETED) for one in found
    ):
        found.append(listed)
    return found, spoken or (about if passage.item else NO_TERMS)


def asserted(parts: list[Fragment], with_signs: Marked, about: frozenset[Term]) -> tuple[list[Said], frozenset[Term]]:
    """What the fragments of a sentence claim together, and the checks that they speak of."""
    found: list[Said] = []
    spoken: frozenset[Term] = NO_TERMS
    ran: Fragment | None = None
    for fragment in parts:
        here = spoken_of(fragment)
        if fragment.asserted:
            checks = list(outcomes(fragment, with_signs, spoken, spoken or about))
            here |= {NOUN_OF[one.kind] for one in checks}
            if AGAIN.search(fragment.text) is not None:
                found = without_older(found, checks)
            if ran is not None:
                checks = [of_run(one, ran) for one in checks]
            ran = fragment if not checks and Term.RAN in fragment.terms else None
            done = list(deeds(fragment, with_signs))
            if checks:
                done = [one for one in done if one.kind not in LEADING and one.kind is not ClaimKind.BENCHMARK]
            found = joined(found, checks + done)
        spoken |= here
    return [with_files(one, with_signs) for one in found], spoken


def joined(found: list[Said], further: list[Said]) -> list[Said]:
    """Claims with further ones of the same sentence: one that only adds figures to another is the same claim."""
    result = list(found)
    for one in further:
        before = next((index for index, other in enumerate(result) if same(other, one)), None)
        if before is None:
            if one.kind in CHECKS:
                result = [other for other in result if other.kind not in LEADING or not leads(other, one)]
            result.append(one)
            continue
        other = result[before]
        result[before] = replace(
            other,
            end=max(other.end, one.end),
            counts=one.counts if other.counts == NO_COUNTS else other.counts,
            total=other.total if other.total is not None else one.total,
            fails=other.fails or one.fails,
            subjects=tuple(dict.fromkeys(other.subjects + one.subjects)),
            tool=other.tool or one.tool,
            whole=other.whole or one.whole,
        )
    return result


def with_files(said: Said, sentence: Marked) -> Said:
    """A claim that no more was touched, with every file that its sentence names."""
    if said.kind is not ClaimKind.ONLY_THESE:
        return said
    return replace(said, subjects=sentence.within(0, len(sentence.text), FILE + TEST_FILE))


def of_run(said: Said, ran: Fragment) -> Said:
    """An outcome of tests with what the fragment before it says was run: how many, and whether all of them."""
    if said.kind is not ClaimKind.TESTS:
        return said
    said = replace(said, whole=said.whole or Term.WHOLE in ran.terms)
    total = figures_in(ran.text, of_tests=True).total
    if total is None or said.fails or said.counts != NO_COUNTS or said.total is not None:
        return said
    return replace(said, counts=replace(NO_COUNTS, passed=total), total=total)


def without_older(found: list[Said], checks: list[Said]) -> list[Said]:
    """Claims without those of tests that a later run in the same sentence replaces: "64 passed, the rerun shows 65"."""
    newer = [one for one in checks if one.kind is ClaimKind.TESTS and one.counts.passed is not None]
    if not newer:
        return found
    return [one for one in found if one.kind is not ClaimKind.TESTS or (one.counts == NO_COUNTS and one.total is None)]


def same(one: Said, other: Said) -> bool:
    """Whether two claims of one sentence are one: the same check, and not two figures or two tools."""
    if one.kind is not other.kind or one.kind not in CHECKS:
        return False
    if one.tool and other.tool and one.tool != other.tool:
        return False
    if None not in (one.total, other.counts.passed) and one.total != other.counts.passed and one.counts == NO_COUNTS:
        return False
    return one.counts == NO_COUNTS or other.counts == NO_COUNTS or one.counts == other.counts


def leads(deed: Said, check: Said) -> bool:
    """Whether a deed is only how the outcome after it was found."""
    if deed.kind is ClaimKind.CHECKED and deed.subjects:
        return False
    return not deed.tool or not check.tool or deed.tool == check.tool


def claim_of(plain: Normalised, start: int, said: Said) -> Claim:
    """A claim with its span in the original text."""
    begin, end = plain.original_span(start + said.start, start + max(said.end, said.start + 1))
    return Claim(
        kind=said.kind,
        text=plain.original[begin:end],
        start=begin,
        end=end,
        counts=said.counts,
        total=said.total,
        fails=said.fails,
        subjects=said.subjects,
        tool=said.tool,
        whole=said.whole,
    )


def final(found: list[Claim]) -> list[Claim]:
    """Claims without failures that a later success of the same check overtakes."""
    kept: list[Claim] = []
    passed: list[tuple[ClaimKind, str]] = []
    for claim in reversed(found):
        if claim.kind in CHECKS and not claim.fails:
            passed.append((claim.kind, claim.tool))
        elif claim.kind in CHECKS and any(
            kind is claim.kind and (tool == claim.tool or not tool or not claim.tool) for kind, tool in passed
        ):
            continue
        kept.append(claim)
    return kept[::-1]

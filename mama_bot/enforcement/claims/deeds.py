"""Deeds with their objects: "pushed to main", "| push | done |", "`a.py`를 추가했습니다"."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from mama_bot.enforcement.claims.clauses import ClaimClause
from mama_bot.enforcement.claims.sentence_tokens import SIGNS, SentenceToken, in_lists
from mama_bot.enforcement.claims.vocabulary import Term, Vocabulary
from mama_bot.model import TEST_FILES, Claim, ClaimKind, words

FATES = frozenset((ClaimKind.CREATED, ClaimKind.CHANGED, ClaimKind.DELETED))
LOOKED = frozenset((ClaimKind.CHECKED, ClaimKind.RAN, ClaimKind.REPRODUCED))
SPEAKERS = frozenset(("i", "we", "i've", "we've", "i have", "we have"))
BEING = frozenset(words("it's they're that's is are been was were be got has have"))
BEFORE_DEED = frozenset(words("then also finally now just successfully already both all done since subsequently"))
OBJECT_WORDS = 4
MOST_SUBJECTS = 20
NO_OBJECT = frozenset(
    words("to in into for from with that so by on at of via using about where which as if when and , ; : .")
)
VERBAL = frozenset(words("the this it all everything pr both successfully # my our"))
# Behind 커밋: what may stand there before the verb, and what makes it a description.
DESCRIBING = ("한", "된", "하는", "되는", "할", "될", "하기", "율", "용", "형", "기능", "메시지", "여부", "시")
AFTERWARDS = ("뒤", "후", "다음")
PARTICLES = ("을", "를", "도", "까지", "까지도", "은", "는", "")
# How a deed is said to be done: 커밋했습니다, 푸시까지 마쳤습니다, 반영해 두었습니다.
DONE_VERBS = (
    *(
        "했",
        "하였",
        "됐",
        "되었",
        "완료",
        "마쳤",
        "마친",
        "끝냈",
        "끝났",
        "끝낸",
        "해두",
        "해뒀",
        "해놓",
        "해 두",
        "해 놓",
    ),
    *("올렸", "올라갔", "들어갔", "나갔", "두었", "뒀", "합니다", "됩니다", "마무리"),
)
DONE_NOUNS = frozenset(words("함 됨 끝 마침 완료 했고 끝남"))
PENDING = ("하고", "해서", "하며", "하여", "하고서", "과", "와")
NEAR = 4
TEST_WORDS = frozenset(words("test tests specs spec 테스트 테스트도 단위"))
OF_TESTS = ("테스트용", "테스트에", "테스트를 위")
LISTING = frozenset((",", "and", "&", "+", "(", ")"))
# "changed no file", "committed nothing", "no file was changed": said not to have been done.
NONE_OF = frozenset(words("no nothing none neither zero"))


class DeedReader:
    """Reads the deeds of a sentence, clause by clause."""

    def __init__(self, words: Vocabulary, *, is_row: bool) -> None:
        self._words = words
        self._is_row = is_row
        self._has_done = False
        self._pending: list[Claim] = []  # 커밋하고 …: done when what follows is
        self._label: Claim | None = None  # "push" of "| push | done |"

    def read(self, clause: ClaimClause, *, plain: bool) -> list[Claim]:
        """Return the deeds that a clause tells."""
        asserted: list[Claim] = []
        tokens = clause.tokens
        if self._label is not None and self._is_done_label(clause):
            asserted.append(self._label)
        self._label = None
        for place, token in enumerate(tokens):
            kind = self._words.deeds.get(token.word)
            if kind is not None and not token.code:
                asserted += self._participle(clause, place, kind, plain=plain)
                continue
            kind = self._words.nouns.get(token.stem)
            if kind is not None and not token.code:
                asserted += self._noun(clause, place, kind, plain=plain)
                continue
            kind = self._words.places.get(token.word)
            if kind is not None:
                asserted.append(self._assertion(kind, token, token.end, (), plain=False))
        if asserted and clause.is_real:
            self._has_done = True
        return asserted if clause.is_real else []

    def _assertion(
        self, kind: ClaimKind, token: SentenceToken, end: int, names: tuple[str, ...], *, plain: bool
    ) -> Claim:
        return Claim(kind=kind, start=token.start, end=end, subjects=names[:MOST_SUBJECTS], plain=plain)

    # --- "pushed to main" -------------------------------------------------------------------------------

    def _participle(self, clause: ClaimClause, place: int, kind: ClaimKind, *, plain: bool) -> Iterator[Claim]:
        tokens = clause.tokens
        token = tokens[place]
        before = [other for other in tokens[:place] if other.word not in SIGNS]
        speaks = any(other.word in SPEAKERS for other in before)
        is_passive = any(other.word in BEING for other in before[-2:]) and not speaks
        begins = all(other.word in BEFORE_DEED for other in before)
        is_passive = is_passive or (bool(before) and all(other.code for other in before))  # "`icn` merged into main"
        behind = tokens[place + 1 :]
        if (behind and behind[0].word in NONE_OF) or (is_passive and before[0].word in NONE_OF):
            return
        if (behind and behind[0].word == "by") or (clause.opening in ("(", "→") and not behind):
            return  # "`settings.json` (committed)": how it is kept
        if kind in FATES:
            if begins or speaks or is_passive or all(other.file for other in before):
                files = [*self._fate(clause, place, kind, plain=plain and (speaks or begins))]
                if not files and kind is ClaimKind.CREATED and _writes_tests(tokens[place + 1 : place + 1 + NEAR]):
                    files = [self._assertion(kind, token, token.end, (TEST_FILES,), plain=False)]
                # What was changed is not named: work all the same.
                yield from files or [self._assertion(ClaimKind.RAN, token, token.end, (), plain=False)]
            return
        if not (begins or speaks or is_passive) or (is_passive and kind in LOOKED):
            return
        if behind and not is_passive and not self._is_done(kind, behind[0]):
            return
        names = self._names(clause, place)
        whole = any(in_lists(other, Term.WHOLE) for other in behind[:3])
        sure = plain and not is_passive and (clause.is_first or speaks or self._has_done)
        end = behind[-1].end if behind else token.end
        yield replace(self._assertion(kind, token, end, names, plain=sure), whole=whole)

    def _names(self, clause: ClaimClause, place: int) -> tuple[str, ...]:
        """Return the commits, branches, files and commands that stand after a deed, up to another sentence part."""
        names: list[str] = []
        for token in clause.sentence[clause.at + place + 1 :]:
            if token.word in (";", "—", ".", "but", "|"):
                break
            if token.name:
                names.append(token.name)
        return tuple(names)

    def _is_done(self, kind: ClaimKind, behind: SentenceToken) -> bool:
        """Return whether a participle is a verb here, and no adjective: "Merged cells", "published docs"."""
        word = behind.word
        if kind in LOOKED:
            return word not in SIGNS
        if behind.commit or behind.code or behind.file or word[0].isdigit():
            return True
        return word in NO_OBJECT or word in SIGNS or word in VERBAL

    def _fate(self, clause: ClaimClause, place: int, kind: ClaimKind, *, plain: bool) -> Iterator[Claim]:
        """Yield the files that a deed has as its objects; those beside it ("added to `a.py`") are not asked for."""
        tokens = clause.tokens
        token = tokens[place]
        names, end = self._objects(clause.sentence, clause.at + place)
        if names:
            yield self._assertion(kind, token, end, names, plain=plain and (clause.is_first or self._has_done))
            return
        behind = tokens[place + 1 :]
        beside = [other for at, other in enumerate(behind) if other.file and at and behind[at - 1].word in ("to", "in")]
        if beside:
            changed = ClaimKind.CHANGED if kind is ClaimKind.CREATED else kind
            if changed is not ClaimKind.DELETED:
                names = tuple(other.file for other in beside)
                yield self._assertion(changed, token, beside[-1].end, names, plain=False)
            return
        before = [other for other in tokens[:place] if other.file]
        if before and all(
            other.file or other.word in BEING or other.word in ("and", "both", ",") for other in tokens[:place]
        ):
            yield replace(
                self._assertion(kind, before[0], token.end, tuple(other.file for other in before), plain=False)
            )

    def _objects(self, tokens: Sequence[SentenceToken], place: int) -> tuple[tuple[str, ...], int]:
        """Return the files that a deed has as its direct objects, and where they end."""
        names: list[str] = []
        end = tokens[place].end
        gap = 0
        for token in tokens[place + 1 :]:
            name = token.file
            if name:
                names.append(name)
                end, gap = token.end, 0
            elif names and token.word in LISTING:
                continue
            elif not names and token.word not in NO_OBJECT and token.word not in SIGNS and gap < OBJECT_WORDS:
                gap += 1
            else:
                break
        return tuple(names), end

    # --- nouns: 커밋했습니다, "| push | done |" -----------------------------------------------------------

    def _noun(self, clause: ClaimClause, place: int, kind: ClaimKind, *, plain: bool) -> Iterator[Claim]:
        tokens = clause.tokens
        token = tokens[place]
        if token.word.isascii():
            behind = [other for other in tokens[place + 1 :] if other.word not in SIGNS]
            if not behind and place == 0:
                self._label = self._assertion(kind, token, token.end, (), plain=False)
                return
            if not behind or behind[0].word[0] < "가":
                return
        if not self._was_done(tokens, place):
            if self._is_pending(tokens, place):
                self._pending += self._of_noun(clause, place, kind, plain=plain)
            return
        if clause.is_real:
            yield from self._pending
        self._pending = []
        yield from self._of_noun(clause, place, kind, plain=plain)

    def _is_pending(self, tokens: Sequence[SentenceToken], place: int) -> bool:
        """Return whether a deed is done when the next is: "커밋하고 푸시했습니다", "커밋한 뒤 푸시했습니다"."""
        ending, behind = tokens[place].ending, tokens[place + 1 : place + 3]
        if ending.startswith(PENDING) or (not ending and (not behind or behind[0].word in ("및", "/", "·"))):
            return True
        afterwards = any(other.word.startswith(AFTERWARDS) for other in behind)
        return afterwards and (ending in ("", "까지") or ending.startswith(("한", "된")))

    def _was_done(self, tokens: Sequence[SentenceToken], place: int) -> bool:
        """Return whether the verb behind a noun says that it was done: "커밋했고", "main에 push까지 마쳤습니다"."""
        token = tokens[place]
        behind = tokens[place + 1 : place + 1 + NEAR]
        ending = token.ending
        if ending.startswith(DESCRIBING):
            return False
        if token.stem[-1:] and token.is_past and not ending.startswith(("하려", "되지", "하지")):
            verb = next((ending[len(p) :] for p in PARTICLES if p and ending.startswith(p)), ending)
            return verb.startswith(DONE_VERBS) or not verb or _is_past_stem(token.stem)
        if ending in DONE_NOUNS:
            return True
        if ending not in PARTICLES:
            return False
        for other in behind:
            if other.word.startswith(DONE_VERBS) or other.word in DONE_NOUNS:
                return True
            if other.is_past or self._words.nouns.get(other.stem) is not None:
                return False
            if other.kind is not None:
                return False
        return False

    def _of_noun(self, clause: ClaimClause, place: int, kind: ClaimKind, *, plain: bool) -> Iterator[Claim]:
        tokens = clause.tokens
        token = tokens[place]
        if kind in FATES:
            files = self._files_before(clause, place)
            if files:
                names = tuple(other.file for other in files)
                yield self._assertion(kind, files[0], token.end, names, plain=plain)
            elif kind is not ClaimKind.DELETED and _writes_tests(tokens[max(0, place - NEAR) : place]):
                yield self._assertion(kind, token, token.end, (TEST_FILES,), plain=False)
            else:
                yield self._assertion(ClaimKind.RAN, token, token.end, (), plain=False)
            return
        names = tuple(other.name for other in tokens if other.name)
        yield self._assertion(kind, token, token.end, names, plain=plain)

    def _files_before(self, clause: ClaimClause, place: int) -> list[SentenceToken]:
        """Return the files that stand before a Korean verb, back to the deed before it."""
        files: list[SentenceToken] = []
        for token in reversed(clause.sentence[: clause.at + place]):
            if token.file:
                files.append(token)
            elif token.connects or token.is_past or token.word in (".", ";", "|", ":", "—", "→"):
                break
        return files[::-1]

    def _is_done_label(self, clause: ClaimClause) -> bool:
        if clause.opening not in ("|", ":", "—", "–", "-", "→"):
            return False
        first = next(iter(clause.tokens), None)
        return first is not None and (in_lists(first, Term.DONE) or bool(first.commit))


def _writes_tests(tokens: Sequence[SentenceToken]) -> bool:
    """Return whether what was written are tests: "added two tests for it", "테스트도 같이 작성했습니다"."""
    objects = [*takewhile(lambda token: token.word not in NO_OBJECT, tokens)]
    if any(token.is_past or token.word.startswith(OF_TESTS) for token in objects):
        return False
    return any(token.stem in TEST_WORDS and not token.code for token in objects)


def _is_past_stem(stem: str) -> bool:
    """Return whether a listed word is a verb in the past already: 만들었."""
    return SentenceToken(word=stem, stem=stem, start=0, end=len(stem)).is_past

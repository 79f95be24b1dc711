"""Whether a draft says what a check of the work could refute: that it is done, approved, or that checks pass."""

from mama_bot.config import EvidenceStrength
from mama_bot.enforcement.case import Case
from mama_bot.model import Finding
from mama_bot.text.patterns import compiled

# "All tests pass" beside a figure that says otherwise is a claim all the same; "not all", "once all" is none.
ALL_PASS = compiled(
    r"\b(?:all|every)\b[^.!?\n]{0,40}\b(?:pass(?:ed|es|ing)?|green|succeed(?:ed|s)?)\b"
    r"|(?:모든|모두|전체|전부|다) [^.!?\n]{0,30}?"
    r"(?:통과(?:했|합|함|됐|됩|됨|입|\b)|성공(?:했|합|함|입|\b))",
    groups=False,
)
NOT_ALL = compiled(
    r"\b(?:not|n't|never|if|when|until|once|before|after|unless|were|should|will)\b[^.!?\n]{0,12}\b(?:all|every)\b",
    groups=False,
)
# What a run of tests, a build, types or a linter leaves; a measured time or size is evidence of something else.
OF_A_CHECK = compiled(
    r"test|spec\b|suite|pass|build|compil|lint|\bci\b|types?\b|mypy|pyright|\btsc\b|ruff|flake8|clippy|green|jest|mocha"
    r"|cargo|gradle|mvn|maven|\b(?:no|0|zero) (?:\w+ )?(?:issues|errors|warnings|problems)"
    r"|테스트|시험|빌드|컴파일|린트|타입|통과|유닛|회귀|(?:오류|에러|경고) ?(?:0|없)",
    groups=False,
)
# Who turns work down tells what is wrong with it, and what of it is done; that claims nothing. What a program turns
# down ("rejects empty input") and what needs no change is none of it.
TURNS_DOWN = compiled(
    r"\b(?:request(?:ing)? changes|changes requested"
    r"|(?:verdict|decision|result)\W{1,6}(?:reject|declin|changes|fail)\w*"
    r"|i (?:reject|decline)|reject(?:ing|ed)? (?:this|the (?:pr|patch|change|approval))"
    r"|(?:can ?not|can't|won't|not|don't) (?:yet )?(?:approv\w+|sign (?:off|this|it)|merge this|be merged)"
    r"|sign (?:this|it) off as|withh(?:old|eld)\w* (?:my |the )?(?:approval|verdict)|no verdict|holding off"
    r"|(?:problems|issues|findings|things) before (?:this|it) can"
    r"|before (?:this|it) can (?:go|merge|ship|land|be merged)"
    r"|(?:will|i'll|to) approve (?:once|when|as soon|after))"
    r"|반려(?:합|하겠|드립|할게|입니)|(?:승인|판정|병합|머지)\S{0,2} ?보류|보류(?:합|하겠|할게)"
    r"|(?:변경|수정) ?요청(?:합|드립|입)|수정이? ?필요(?:합|함|해|한 (?:부분|곳)|,? ?\d)"
    r"|고칠 (?:부분|것|점)이 ?(?:있|두|세|네|\d)"
    r"|승인(?:은|을|할)? ?(?:할 )?(?:수 없|불가|어렵|하지 않|못)",
    groups=False,
)


def asserts_success(case: Case) -> bool:
    """Return whether a draft approves, calls its work done, or says that tests, build, types or a linter pass.

    Whoever reports that a check fails does not, unless it approves or says that all pass all the same; nor who turns
    work down, asks how to go on with the rest, or plans.
    """
    if case.approves:
        return True
    plain = case.reading.plain.text
    if case.grounds.contradictions:
        return ALL_PASS.search(NOT_ALL.sub(" ", plain)) is not None
    if any(says_passed(strength, finding) for strength, finding in case.grounds.pieces):
        return True
    if TURNS_DOWN.search(plain) is not None or not case.says_done:
        return False
    return not case.is_asking or case.says_all_done


def says_passed(strength: EvidenceStrength, finding: Finding) -> bool:
    """Return whether a piece of evidence is that tests, a build, types or a linter passed."""
    return strength is not EvidenceStrength.WORD and OF_A_CHECK.search(finding.text) is not None

"""That no other file was touched: "`a.py` is the only file I touched", "그 밖의 파일은 건드리지 않았습니다"."""

from collections.abc import Iterator, Sequence

from mama_bot.enforcement.claims.sentence_tokens import SentenceToken
from mama_bot.model import Claim, ClaimKind
from mama_bot.text.paths import file_names
from mama_bot.text.patterns import compiled

ONLY = compiled(
    r"no other files? (?:was|were|is|are|has been|have been)? ?(?:touched|changed|modified|edited)"
    r"|(?:did not|didn't) (?:touch|change|modify|edit) (?:any other files?|any other|anything else)"
    r"|(?:is|are) the only files? (?:that )?i (?:touched|changed|modified|edited)"
    r"|nothing else (?:was|is|has been) (?:touched|changed|modified|edited)"  # nothing else was touched
    r"|(?:그 밖의|그 외|다른|나머지) 파일[은도]? ?(?:일절 |전혀 |아무것도 )?(?:건드리지|수정하지|변경하지|바꾸지) 않"
    r"|외에 ?(?:는 )?(?:수정한|변경한|건드린|바꾼|다른) 파일(?:은|이)? ?(?:없|건드리지|수정하지|변경하지)"
    r"|만 (?:수정|변경)했고",  # `a.py`만 수정했고
    groups=False,
)


def only_these(tokens: Sequence[SentenceToken], masked: str, text: str) -> Iterator[Claim]:
    """Yield the claim that only some files were touched: those that the sentence names, else all that the text does."""
    match = ONLY.search(masked)
    if match is None:
        return
    named = tuple(token.file for token in tokens if token.file)
    yield Claim(
        kind=ClaimKind.ONLY_THESE,
        start=match.start(),
        end=match.end(),
        subjects=named or file_names(text),
        plain=False,
    )

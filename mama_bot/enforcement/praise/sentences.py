"""What is said of a reply with too much praise, to its author and to people."""

from mama_bot.wording import Said

REASON = Said(
    "{share} of the reply is praise, filler or empty confirmation (allowed: {threshold}).",
    "답변의 {share}가 칭찬, 빈말 또는 빈 확인입니다(허용: {threshold}).",
)
FEEDBACK = Said(
    "Your reply was rejected: {share} of it is praise, filler or empty confirmation "
    "(at most {threshold} may be). Found: {quotes}. "
    "Restate with results only: what you changed, what you ran, what came out.",
    "답변이 반려되었습니다. {share}가 칭찬, 빈말 또는 빈 확인입니다(최대 {threshold}). "
    "발견된 표현: {quotes}. "
    "결과만 다시 쓰세요: 무엇을 바꿨는지, 무엇을 실행했는지, 어떤 결과가 나왔는지.",
)
THROUGHOUT = Said(
    "By its words as a whole the reply is praise or filler, and nothing was done in this turn.",
    "전체 내용이 칭찬이나 빈말이고, 이번 턴에 한 일이 없습니다.",
)
THROUGHOUT_FEEDBACK = Said(
    "Your reply was rejected: by its words as a whole it is praise or filler, and you ran nothing in this turn. "
    "Restate with results only: what you changed, what you ran, what came out; or say what you need.",
    "답변이 반려되었습니다. 전체 내용이 칭찬이나 빈말이고, 이번 턴에 실행한 것이 없습니다. "
    "결과만 다시 쓰세요: 무엇을 바꿨는지, 무엇을 실행했는지, 어떤 결과가 나왔는지. 또는 무엇이 필요한지 쓰세요.",
)
THROUGHOUT_BANNER = Said("This reply is praise or filler.", "이 답변은 칭찬이나 빈말입니다.")
BANNER = Said("{share} of this reply is praise or filler.", "이 답변의 {share}는 칭찬이나 빈말입니다.")

"""What it costs to compare a reply with a checklist, in microseconds of one call, and on hostile texts.

Run: python -m benchmarks.todo_tracker
"""

import sys
import timeit

from mama_bot.enforcement.completion.checklist import checklist
from mama_bot.enforcement.completion.completions import completion

ROUNDS, REPEATS = 300, 7
ITEMS = "- Create src/auth.py\n- Write tests for the session\n- Run npm test\n- Update the changelog"
KOREAN_ITEMS = "- 버그 수정\n- 문서 갱신\n- 테스트 작성\n- 배포 스크립트 정리"
LINE = "The function in src/auth.py compares tokens with hmac.compare_digest and returns early, see line 42.\n"
KOREAN_LINE = "src/auth.py의 함수가 토큰을 비교하는 방식을 확인해 보면 42행에서 바로 반환합니다.\n"
CLAIMS = "Created src/auth.py.\nTests for the session written.\nRan npm test: 12 passed.\nUpdated the changelog.\n"
KOREAN_CLAIMS = "버그를 고쳤습니다.\n문서는 아직입니다.\n테스트를 추가했습니다.\n배포 스크립트 정리 완료.\n"
TEXTS = {
    "2 KB, nothing claimed, 4 items": (LINE * 20, ITEMS),
    "2 KB, four claims, 4 items": (LINE * 18 + CLAIMS, ITEMS),
    "2 KB, Korean, four claims, 4 items": (KOREAN_LINE * 22 + KOREAN_CLAIMS, KOREAN_ITEMS),
    "20 KB, four claims, 4 items": (LINE * 196 + CLAIMS, ITEMS),
    "200 KB, four claims, 4 items": (LINE * 1980 + CLAIMS, ITEMS),
    "200 KB of '- item done' against 200 KB of it": ("- item done\n" * 17_000, "- item done\n" * 17_000),
    "10,000 different ticked bullets in 200 KB, 4 items": (
        "".join(f"- [x] thing {n} it is\n" for n in range(10_000)),
        ITEMS,
    ),
    "10,000 different items, empty reply": ("-", "".join(f"- thing {n} it is so\n" for n in range(10_000))),
}


def main() -> None:
    """Print the best of several runs, since whatever else runs only adds."""
    for label, (reply, asked) in TEXTS.items():
        rounds = ROUNDS if len(reply) + len(asked) < 30_000 else 5

        def once(reply: str = reply, asked: str = asked, cold: bool = rounds == 5) -> None:
            if cold:
                checklist.cache_clear()
            completion(reply, asked)

        best = min(timeit.repeat(once, number=rounds, repeat=REPEATS)) / rounds
        sys.stdout.write(f"{label:<60} {best * 1e6:9.1f} us\n")


if __name__ == "__main__":
    main()

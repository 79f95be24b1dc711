"""Which part of a conversation an agent that knows nothing of it is shown: pure, and stable at its beginning.

What a model was told before it reads cheaply again only as far as the beginning is the same, so a window that is full
does not move with every turn: it moves by half of its size at once, and what it leaves is told in a line each.
"""

from collections.abc import Sequence
from itertools import accumulate

BYTES_OF_TOKEN = 3  # of English about four, of Korean, whose letters have three, about one letter and a half
SUMMARY_CHARACTERS = 160
SUMMARY_SHARE = 4
STEPS = 2


def tokens_in_bytes(size: int) -> int:
    """Return about how many tokens so many bytes of text are, and what stands around an entry."""
    return size // BYTES_OF_TOKEN + 8


def longest_entry(max_tokens: int) -> int:
    """Return how many tokens a single entry may have: of a longer one the middle is left out."""
    return max(1, max_tokens // STEPS)


def first_of_window(sizes: Sequence[int], max_tokens: int) -> int:
    """Return which entry a window begins with, by the tokens of all entries since the beginning, oldest first.

    As the conversation grows it stays the same until half a window came to it; the window never has more than
    `max_tokens`, and holds the last entry.
    """
    longest = longest_entry(max_tokens)
    sizes = [min(size, longest) for size in sizes]
    beyond = sum(sizes) - max_tokens
    if beyond <= 0:
        return 0
    left_out = -(-beyond // longest) * longest
    starts = accumulate(sizes, initial=0)
    return next(index for index, start in enumerate(starts) if start >= left_out)


def first_of_summary(sizes: Sequence[int], max_tokens: int) -> int:
    """Return which of the entries before a window is the first that is told in a line."""
    return first_of_window(sizes, max(1, max_tokens // SUMMARY_SHARE))

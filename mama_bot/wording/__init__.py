"""What the service says itself: sentences in English and Korean, and which of the two a person writes.

The sentences of a room stand in its `sentences.py`, as values of `Said`; whoever says one passes the `Language` of the
message or turn that it answers. A third language is a member of `Language`, how it is told from the others, and its
sentences.
"""

from mama_bot.wording.language import HANGUL_BYTES, Language, is_korean, language_of
from mama_bot.wording.lines import one_line, plain_name, printable
from mama_bot.wording.particles import with_particle
from mama_bot.wording.said import Said

__all__ = [
    "HANGUL_BYTES",
    "Language",
    "Said",
    "is_korean",
    "language_of",
    "one_line",
    "plain_name",
    "printable",
    "with_particle",
]

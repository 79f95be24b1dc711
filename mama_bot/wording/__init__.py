"""What the service says itself: sentences in English and Korean, and which of the two a person writes.

The sentences of a room stand in its `sentences.py`, as values of `Said`; whoever says one passes the `Language` of the
message or turn that it answers. A third language is one module in `further/`.
"""

from mama_bot.wording.catalogues import Catalogue, english_name, language_of, language_of_locale, spoken_too
from mama_bot.wording.language import Language, has_hangul
from mama_bot.wording.lines import one_line, plain_name, printable, quotable
from mama_bot.wording.particles import with_particle
from mama_bot.wording.program import as_typed, program_name
from mama_bot.wording.sentence import Said, as_written

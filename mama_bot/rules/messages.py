"""What a rule says: a text with expressions in braces."""

from collections.abc import Iterator

from mama_bot.rules.condition_mistakes import Misexpressed
from mama_bot.rules.conditions import Bound, Condition, ConditionFailed, misexpressed
from mama_bot.rules.sentences import UNDER
from mama_bot.text.patterns import compiled

EXPRESSION = compiled(r"\{([^{}\n]{1,300})\}", ignore_case=False)  # {tool}, {commands[0].program}
LONGEST_VALUE = 200


class Message:
    """A text in which `{expression}` stands for a value of the moment; one that has none there is left out."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._expressions = {match.group(1): Condition(match.group(1)) for match in EXPRESSION.finditer(text)}

    def problems(self) -> Iterator[Misexpressed]:
        """Yield what is wrong with its expressions."""
        for expression in self._expressions:
            wrong = misexpressed(expression, "STRING")
            if wrong is not None:
                yield Misexpressed(problem=UNDER.of(place=f"{{{expression}}}", problem=wrong.problem), line=1)

    def filled(self, bound: Bound) -> str:
        """Return the text with the values of a moment."""
        text = self.text
        for expression, condition in self._expressions.items():
            try:
                value = str(condition.value(bound))
            except ConditionFailed:
                value = "…"
            text = text.replace(f"{{{expression}}}", value[:LONGEST_VALUE])
        return text

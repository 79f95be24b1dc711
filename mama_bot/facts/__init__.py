"""Facts: what the record of a conversation shows of the work, without a word of any reply."""

from mama_bot.facts.conversation import for_next_turn, own_facts
from mama_bot.facts.enquiry import enquiry_of, is_looked_up, with_standing
from mama_bot.facts.recorded import facts_of, facts_of_turn

__all__ = ["enquiry_of", "facts_of", "facts_of_turn", "for_next_turn", "is_looked_up", "own_facts", "with_standing"]

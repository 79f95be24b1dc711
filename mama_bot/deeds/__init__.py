"""What people do with the work of a conversation: each deed is asked, stored, done once, and told in the thread.

Like `checkouts`, this room knows nothing of gateways: a deed is a value (`model.Deed`), and so is what came of it.
"""

from mama_bot.deeds.deed_runner import Deeds, DoneDeed
from mama_bot.deeds.rights import may

__all__ = ["Deeds", "DoneDeed", "may"]

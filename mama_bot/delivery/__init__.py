"""How posts leave: what the outbox holds is posted by its gateway, in order. The one way out.

`delivery` knows which conversation is posted when, `post_sender` how often one post is tried and what becomes of it,
`part_sender` calls the platform, and `departures` says what goes in the place of a post that does not pass.
"""

from mama_bot.delivery.delivery import Delivery

__all__ = ["Delivery"]

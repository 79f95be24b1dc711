"""The keys with which reviewers of held sessions show that they are who they say: a name alone is nobody's."""

import hashlib
import hmac

from mama_bot.app.configuration import Configuration
from mama_bot.app.page_key import kept_key

KEY_VARIABLE = "REVIEWER_KEY"
ROOT_NAME = "reviewers.key"
CHARACTERS = 43


def reviewer_key(configuration: Configuration, agent: str) -> str:
    """Return the key of whoever reviews under a name, or under that of a subagent of it; the same at every call.

    Raises ConfigurationError where the secret that it is made of cannot be kept in the data directory.
    """
    root = kept_key(configuration.settings.data_directory, ROOT_NAME)
    name = agent.partition("/")[0].strip().casefold()
    return hmac.new(root.encode(), f"reviewer {name}".encode(), hashlib.sha256).hexdigest()[:CHARACTERS]


def shows_key(configuration: Configuration, agent: str, given: str) -> bool:
    """Return whether a key is that of a reviewer."""
    return hmac.compare_digest(given.strip().encode(), reviewer_key(configuration, agent).encode())

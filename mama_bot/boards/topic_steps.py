"""What may be posted to a topic."""

import re

from mama_bot.boards import sentences as says
from mama_bot.errors import BoardRefused
from mama_bot.model import NewTopicPost
from mama_bot.wording import one_line

MOST_NAME = 100
MOST_POST = 16_000
# `review:shop/rates`, `배포`
_NAME = re.compile(r"\w[\w.:/-]*")


def refuse_unusable(post: NewTopicPost) -> None:
    """Raise BoardRefused for a post without words, with too many, or to a topic that cannot be named so."""
    refuse_name(post.topic)
    if not post.text.strip():
        raise BoardRefused(says.NO_TEXT)
    if len(post.text) > MOST_POST:
        raise BoardRefused(says.TOO_LONG.of(most=MOST_POST))


def refuse_name(topic: str) -> None:
    """Raise BoardRefused for what cannot be the name of a topic."""
    if len(topic) > MOST_NAME or _NAME.fullmatch(topic) is None:
        raise BoardRefused(says.NO_TOPIC.of(most=MOST_NAME, topic=one_line(topic, 60) or '""'))

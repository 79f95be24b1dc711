"""What follows from the end of a turn as far as reviews are concerned: values that the store keeps."""

from dataclasses import dataclass, replace

from mama_bot.model import Post, ReviewMove, ReviewStatus, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """What a finished turn means for reviews: further turns, steps of a review, lines to the person.

    `banner` stands before a worker's reply whose review has not spoken ("": nothing is to be waited for).
    """

    turns: tuple[Turn, ...] = ()
    moves: tuple[ReviewMove, ...] = ()
    posts: tuple[Post, ...] = ()
    banner: str = ""


NOTHING = FollowUp()


def name_at_work(review: Turn) -> str:
    """Return the name under which a review is at work: the reviewer's, or that of all who review at once."""
    return review.persona if review.panel is None else review.panel.name


def step_of(work: Turn, to: ReviewStatus, agent: str) -> ReviewMove:
    """Return the step of the review of a piece of work to a status."""
    return ReviewMove(session_id=work.id, to=to, agent=agent)


def panel_steps(work: Turn, to: ReviewStatus, names: str, issues: tuple[str, ...] = ()) -> tuple[ReviewMove, ...]:
    """Return the steps with which those of a panel settle a review who decided it."""
    return step_of(work, ReviewStatus.IN_REVIEW, names), replace(step_of(work, to, names), issues=issues)

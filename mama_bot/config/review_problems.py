"""What is wrong about the settings of reviews: who cannot review, and a quorum that nobody could reach."""

from collections.abc import Collection, Iterator

from mama_bot.config.document import KeyPath, nearest
from mama_bot.config.settings import ConsensusSettings, ReviewSettings


def problems_of_reviews(reviews: ReviewSettings, personas: Collection[str]) -> Iterator[tuple[KeyPath, str]]:
    """Yield names that are no personas, reviewers of their own work, and a quorum that cannot be."""
    consensus = reviews.consensus
    if reviews.require_review_for and not consensus.reviewers and reviews.reviewer not in personas:
        yield ("reviews", "reviewer"), f"{reviews.reviewer!r} is no persona. {nearest(reviews.reviewer, personas)}"
    yield from _problems_of_consensus(consensus, personas)
    setting = "reviews.consensus.reviewers" if consensus.reviewers else "reviews.reviewer"
    for index, requirement in enumerate(reviews.require_review_for):
        path = ("reviews", "require_review_for", str(index), "personas")
        for name in requirement.personas:
            if name not in personas:
                yield path, f"{name!r} is no persona. {nearest(name, personas)}"
            elif name in reviews.reviewers:
                problem = (
                    f"{name!r} is {'a' if consensus.reviewers else 'the'} reviewer ({setting}) and cannot review its "
                    "own work. Leave it out here, or name another reviewer."
                )
                yield path, problem


def _problems_of_consensus(consensus: ConsensusSettings, personas: Collection[str]) -> Iterator[tuple[KeyPath, str]]:
    names, path = consensus.reviewers, ("reviews", "consensus", "reviewers")
    for name in names:
        if name not in personas:
            yield path, f"{name!r} is no persona. {nearest(name, personas)}"
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield path, f"{name!r} stands here twice, and has one say. Name each reviewer once."
    if names and consensus.quorum > len(names):
        problem = (
            f"{consensus.quorum} can never agree where there are {len(names)} reviewers. "
            f"Set it from 1 to {len(names)}, or name more reviewers."
        )
        yield ("reviews", "consensus", "quorum"), problem

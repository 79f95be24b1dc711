"""How alike two texts are, by their characters: the one that is there without anything else."""

GRAM = 4
MOST_CHARACTERS = 20_000


def character_likeness(text: str, other: str) -> float:
    """Return from 0 to 1 how many runs of four characters two texts share; numbers, case and signs do not count."""
    mine, theirs = _grams(text), _grams(other)
    if not mine or not theirs:
        return float(_plain(text) == _plain(other))
    return len(mine & theirs) / len(mine | theirs)


def _grams(text: str) -> frozenset[str]:
    plain = _plain(text)
    return frozenset(plain[start : start + GRAM] for start in range(len(plain) - GRAM + 1))


def _plain(text: str) -> str:
    kept = (sign if sign.isalpha() else "0" if sign.isdecimal() else " " for sign in text[:MOST_CHARACTERS].lower())
    words = "".join(kept).split()
    return " ".join("0" if word.strip("0") == "" else word for word in words)

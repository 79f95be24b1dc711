"""Values that stand after the name of a secret: `password=…`, `"api_key": "…"`, `--token=…`."""

import re

REDACTED = "[redacted]"
MINIMUM_SECRET = 6  # shorter values are ordinary words

# A name that ends like that of a secret, and what stands after it: environment, flags, JSON, YAML, INI.
ASSIGNED = r"(?i:key|token|secret|passw(?:or)?d)(?:\\?[\"'])?[ \t]{0,3}(?::=|=>|[:=])"
NAMED = re.compile(
    r"(?P<word>(?i:key|token|secret|passw(?:or)?d))(?:\\?[\"'])?(?P<space>[ \t]{0,3})(?P<sign>:=|=>|[:=])[ \t]{0,3}"
    r"(?:\\?(?P<quote>[\"'])(?P<quoted>[^\s\"'\\]{6,4000})|(?P<bare>[A-Za-z0-9_+/.~!@#%^*=:?$-]{6,4000}))"
)
_NAME_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_NAME_LENGTH = 60
_KEYS = ("api", "access", "account", "auth", "encryption", "master", "private", "secret", "service", "signing")
_PATH = re.compile(r"[~.]{0,2}(?:/[\w.@-]{1,30}){1,40}/?")
_RANDOM = 16  # no variable has so long a name with capitals and digits


def without_value(match: re.Match[str]) -> str:
    """Return a named value, redacted where it is a secret rather than code or prose."""
    group = "bare" if match["quoted"] is None else "quoted"
    whole, value = match[0], match[group]
    if not _names_secret(match) or value[0] in "$%<{[*" or _PATH.fullmatch(value):
        return whole
    if not (_is_bare_secret(match, value) if group == "bare" else _is_closed(match)):
        return whole
    return f"{whole[: match.start(group) - match.start()]}{REDACTED}"


def _names_secret(match: re.Match[str]) -> bool:
    """Whether the whole name is that of a secret: any key is too much (`key=len`, `sort_key: name`)."""
    if match["word"].lower() != "key":
        return True
    prefix = _prefix(match)
    if match["word"].isupper() and prefix.endswith("_"):
        return True
    return prefix.rstrip("_-").lower().endswith(_KEYS)


def _prefix(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - _NAME_LENGTH) : match.start()]
    return before[len(before.rstrip(_NAME_CHARACTERS)) :]


def _is_closed(match: re.Match[str]) -> bool:
    """Whether the quotes hold one word that is no name; a text that was cut off in it counts."""
    value = match["quoted"]
    if value.isidentifier() and value.isupper() and "_" in value:
        return False
    after = match.string[match.end() : match.end() + 2]
    return not after or after.lstrip("\\").startswith(match["quote"])


def _is_bare_secret(match: re.Match[str], value: str) -> bool:
    """Whether a value without quotes is a value at all, and no call, attribute, variable, type, number or word."""
    after = match.string[match.end() : match.end() + 1]
    plain = value.rstrip(".:!?")
    parts = plain.split(".")
    if (
        len(plain) < MINIMUM_SECRET
        or (after and after in "([{")
        or (len(parts) > 1 and all(map(str.isidentifier, parts)))
    ):
        return False
    password = match["word"].lower().startswith("pass")
    if plain.replace(".", "").isdigit():
        return password
    spaced = bool(match["space"]) and match["sign"] == "="
    if f"{_prefix(match)}{match['word']}".isupper() and match["sign"] == "=" and not spaced:
        return True  # an environment variable
    if not any(character.isdigit() for character in plain):
        return False
    if not plain.isidentifier():
        return True
    if after in {")", ","} or "_" in plain:
        return len(plain) >= _RANDOM and not plain.islower()
    return not spaced or password or (len(plain) >= _RANDOM and not plain.islower())

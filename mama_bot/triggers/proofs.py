"""Whether a delivery comes from somebody who knows the secret of its hook: each comparison takes the same time."""

import hmac
from collections.abc import Mapping
from hashlib import sha256

from mama_bot.config import HookKind, HookProof, WebhookSettings

_BEARER = "bearer "
_SHA = "sha256="


def proof_in(settings: WebhookSettings, headers: Mapping[str, str]) -> str:
    """Return what a delivery brings to prove itself; "" where it brings nothing."""
    match settings.kind:
        case HookKind.GITHUB:
            return headers.get("x-hub-signature-256", "")
        case HookKind.GITLAB:
            return headers.get("x-gitlab-token", "")
        case HookKind.JSON if settings.proof is HookProof.HMAC:
            return headers.get(settings.signature_header.lower(), "")
        case HookKind.JSON:
            given = headers.get("authorization", "")
            return given[len(_BEARER) :].strip() if given[: len(_BEARER)].lower() == _BEARER else ""


def is_signed(settings: WebhookSettings) -> bool:
    """Return whether the proof covers the body, so that nobody who overheard it can change a delivery."""
    return settings.kind is HookKind.GITHUB or (settings.kind is HookKind.JSON and settings.proof is HookProof.HMAC)


def is_proven(settings: WebhookSettings, headers: Mapping[str, str], body: bytes) -> bool:
    """Return whether a delivery is from somebody who knows the secret."""
    if settings.secret is None:
        return False
    secret = _bytes(settings.secret.get_secret_value().strip())
    if not secret:  # nothing would prove itself by nothing
        return False
    given = proof_in(settings, headers)
    if not is_signed(settings):
        return hmac.compare_digest(secret, _bytes(given))
    expected = hmac.new(secret, body, sha256).hexdigest()
    return hmac.compare_digest(_bytes(expected), _bytes(given.strip().lower().removeprefix(_SHA)))


def identity_of(settings: WebhookSettings, headers: Mapping[str, str], body: bytes) -> str:
    """Return what tells a delivery from all others of its hook: what comes twice is a repetition.

    Of a signed delivery that is its body: an id in a header could be changed by whoever sends it once more.
    """
    given = ""
    if settings.kind is HookKind.GITLAB:
        given = headers.get("idempotency-key", "")
    elif settings.delivery_header and not is_signed(settings):
        given = headers.get(settings.delivery_header.lower(), "")
    known = b"id " + _bytes(given) if given else b"body " + body
    return sha256(known).hexdigest()[:32]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")

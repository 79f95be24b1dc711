"""Deliveries of GitHub, GitLab and of anybody, as they come over the network."""

import hmac
import json
from collections.abc import Mapping
from hashlib import sha256

from mama_bot.config import WebhookSettings

SECRET = "correct horse battery staple"
PUSH = {"ref": "refs/heads/main", "commits": [{"message": "Fix the sum"}], "sender": {"login": "kim"}}


def hook(kind: str = "github", prompt: str = "Look at {{ commits.0.message }}.", **settings: object) -> WebhookSettings:
    channel = settings.pop("channel", "slack/C1")
    given = {"kind": kind, "channel": channel, "prompt": prompt, "secret": SECRET, **settings}
    return WebhookSettings.model_validate(given)


def body_of(document: object) -> bytes:
    return json.dumps(document).encode()


def signature(body: bytes, secret: str = SECRET) -> str:
    return f"sha256={hmac.new(secret.encode(), body, sha256).hexdigest()}"


def github(body: bytes, event: str = "push", *, secret: str = SECRET, delivery: str = "d-1") -> Mapping[str, str]:
    return {
        "content-type": "application/json",
        "x-github-event": event,
        "x-github-delivery": delivery,
        "x-hub-signature-256": signature(body, secret),
    }


def gitlab(token: str = SECRET, delivery: str = "") -> Mapping[str, str]:
    once = {"idempotency-key": delivery} if delivery else {}
    return {"content-type": "application/json", "x-gitlab-event": "Push Hook", "x-gitlab-token": token, **once}


def bearer(token: str = SECRET, **headers: str) -> Mapping[str, str]:
    return {"content-type": "application/json", "authorization": f"Bearer {token}", **headers}

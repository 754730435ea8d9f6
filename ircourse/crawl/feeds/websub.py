"""Push beside pull: WebSub, by which a hub tells of a feed's news at once (notes, "push and pull").

topic       URL of the feed; callback: URL at which the subscriber listens, a new one for each topic
hub         knows who wants what: is told by the publisher, tells the subscribers
intent      before it believes a request, the hub asks the callback whether it made it: anybody could
            otherwise have a stranger flooded. The answer has to be the random challenge
signature   HMAC of the body under a secret that hub and subscriber share: the callback's address is no
            secret for ever, and whoever knows it could send news of their own

`Hub` and `Subscriber` do no input or output: requests in, answers out. What the hub has to send is done by a
function that it is given, so the same code runs in a test without a network and, by `serve_push`, over HTTP.

Differs from the standard: intent is verified before the answer to a request and not after, so a refusal is
told at once; a secret is required; the hub delivers once, without trying again.
Source: W3C, "WebSub", sections 5 to 8.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias
from urllib.parse import parse_qs, urlencode, urlsplit

from ircourse.crawl.urls import canonical_url
from ircourse.types import Clock

__all__ = ["Answer", "Hub", "Send", "Subscriber", "sign", "signature_holds"]

MAX_FORM = 10_000  # bytes of a request to the hub
MAX_NEWS = 1_000_000  # bytes of a delivery
MAX_SECRET = 199  # bytes: the standard's limit is below 200
MAX_SUBSCRIPTIONS = 10_000
LEASE = 864_000  # seconds: ten days, the standard's proposal and here the most
ALGORITHMS = ("sha256", "sha384", "sha512")


class Answer(NamedTuple):
    """What is answered to a request: a status and a body."""

    status: int
    body: bytes = b""


Send: TypeAlias = Callable[[str, str, bytes, Mapping[str, str]], Answer]
"""Sends a request (method, URL, body, headers) and returns the answer; raises OSError where none comes."""


def sign(secret: bytes, body: bytes) -> str:
    """Return the value of X-Hub-Signature for a body.

    >>> sign(b"tide", b"news")[:19]
    'sha256=9b7fab14ca5a'
    """
    return "sha256=" + hmac.digest(secret, body, "sha256").hex()


def signature_holds(secret: bytes, body: bytes, signature: str) -> bool:
    """Return whether ``signature`` is that of ``body``, by an algorithm that counts as safe.

    SHA-1 is none.

    >>> signature_holds(b"tide", b"news", sign(b"tide", b"news")), signature_holds(b"", b"x", "sha1=00")
    (True, False)
    """
    algorithm, _, digest = signature.partition("=")
    if algorithm not in ALGORITHMS or not digest.isascii():
        return False
    return hmac.compare_digest(hmac.digest(secret, body, algorithm).hex(), digest.lower())


@dataclass
class _Subscription:
    secret: bytes
    until: float


class Hub:
    """A hub: takes subscriptions, and delivers a topic's body to its subscribers when told that it changed.

    clock      by which leases end
    send       sends the hub's own requests
    challenge  returns an unguessable text, a new one at each call

    The hub sends to the callbacks that it is given. One on the open Web has to refuse those that resolve to
    private addresses; this one is for loopback.
    """

    def __init__(self, url: str, clock: Clock, send: Send, challenge: Callable[[], str]) -> None:
        self.url = url
        self._clock, self._send, self._challenge = clock, send, challenge
        self._subscriptions: dict[tuple[str, str], _Subscription] = {}

    def subscribers(self, topic: str) -> list[str]:
        """Return the callbacks whose lease for a topic has not ended, in the order of their coming."""
        now = self._clock.now()
        self._subscriptions = {key: kept for key, kept in self._subscriptions.items() if kept.until > now}
        return [callback for of, callback in self._subscriptions if of == topic]

    def receive(self, method: str, target: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Answer a request: 202 for what was done, 4xx with a sentence for what was not."""
        if method != "POST":
            return Answer(405, b"a hub takes POST")
        if len(body) > MAX_FORM:
            return Answer(413, b"a longer form than a hub reads")
        form = _form(body)
        mode, topic = form.get("hub.mode", ""), canonical_url(form.get("hub.topic", form.get("hub.url", "")))
        if topic is None:
            return Answer(400, b"hub.topic is no http or https URL")
        if mode == "publish":
            return self._publish(topic)
        if mode not in ("subscribe", "unsubscribe"):
            return Answer(400, b"hub.mode is subscribe, unsubscribe or publish")
        return self._subscribe(mode, topic, form)

    def _subscribe(self, mode: str, topic: str, form: Mapping[str, str]) -> Answer:
        """Do as the form asks, once the callback has confirmed that it is meant."""
        callback, secret = canonical_url(form.get("hub.callback", "")), form.get("hub.secret", "").encode()
        lease = form.get("hub.lease_seconds", str(LEASE))
        if callback is None:
            return Answer(400, b"hub.callback is no http or https URL")
        if mode == "subscribe" and not 1 <= len(secret) <= MAX_SECRET:
            return Answer(400, b"hub.secret is 1 to 199 bytes")
        if not (lease.isascii() and lease.isdigit() and len(lease) < 10 and int(lease)):
            return Answer(400, b"hub.lease_seconds is a number of seconds above 0")
        seconds = min(int(lease), LEASE)
        if not self._is_meant(mode, topic, callback, seconds):
            return Answer(409, b"the callback did not confirm")
        self.subscribers(topic)
        key = topic, callback
        if mode == "unsubscribe":
            self._subscriptions.pop(key, None)
        elif key not in self._subscriptions and len(self._subscriptions) >= MAX_SUBSCRIPTIONS:
            return Answer(503, b"the hub is full")
        else:
            self._subscriptions[key] = _Subscription(secret, self._clock.now() + seconds)
        return Answer(202)

    def _is_meant(self, mode: str, topic: str, callback: str, seconds: int) -> bool:
        """Return whether the callback answers the challenge: verification of intent."""
        challenge = self._challenge()
        asked = {"hub.mode": mode, "hub.topic": topic, "hub.challenge": challenge}
        asked |= {"hub.lease_seconds": str(seconds)} if mode == "subscribe" else {}
        joint = "&" if urlsplit(callback).query else "?"
        try:
            answer = self._send("GET", callback + joint + urlencode(asked), b"", {})
        except OSError:
            return False
        return 200 <= answer.status < 300 and hmac.compare_digest(answer.body, challenge.encode())

    def _publish(self, topic: str) -> Answer:
        """Fetch a topic that somebody wants and deliver it; a subscriber that is gone (410) is forgotten."""
        secrets = {
            callback: self._subscriptions[topic, callback].secret for callback in self.subscribers(topic)
        }
        if not secrets:
            return Answer(202)
        try:
            news = self._send("GET", topic, b"", {})
        except OSError:
            news = Answer(502)
        if news.status != 200 or len(news.body) > MAX_NEWS:
            return Answer(502, b"the topic cannot be fetched")
        links = f'<{self.url}>; rel="hub", <{topic}>; rel="self"'
        for callback, secret in secrets.items():
            signature = sign(secret, news.body)
            try:
                answer = self._send(
                    "POST", callback, news.body, {"Link": links, "X-Hub-Signature": signature}
                )
            except OSError:
                continue
            if answer.status == 410:
                self._subscriptions.pop((topic, callback), None)
        return Answer(202)


@dataclass
class Subscriber:
    """A subscriber to one topic: confirms what it asked for and nothing else, and believes what is signed.

    news     the bodies that came, in order; refused: why others did not count, at most the last 100
    pending  what it has asked the hub for and not yet confirmed, "subscribe", "unsubscribe" or ""
    """

    topic: str
    secret: bytes
    news: list[bytes] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    pending: str = ""
    subscribed: bool = False

    def request(self, mode: str, callback: str, lease: int = LEASE) -> bytes:
        """Return the form to POST to the hub, and expect to be asked about it."""
        if mode not in ("subscribe", "unsubscribe"):
            raise ValueError(f"{mode!r} is no mode: give 'subscribe' or 'unsubscribe'")
        self.pending = mode
        asked = {"hub.mode": mode, "hub.topic": self.topic, "hub.callback": callback}
        more = {"hub.secret": self.secret.decode(), "hub.lease_seconds": str(lease)}
        return urlencode(asked | (more if mode == "subscribe" else {})).encode()

    def receive(self, method: str, target: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Answer the hub: a challenge with itself, news with 204, what was not asked for with 404.

        News whose signature is wrong is answered like any other, as the standard has it, and not believed:
        a forger learns nothing from the answer.
        """
        if method == "GET":
            return self._confirm(_form(urlsplit(target).query.encode()))
        if method != "POST":
            return self._refuse(405, f"a request by {method:.20}")
        if not self.subscribed:
            return self._refuse(404, "news that was not asked for")
        if len(body) > MAX_NEWS:
            return self._refuse(413, f"news of over {MAX_NEWS:,} bytes")
        given = {name.lower(): value for name, value in headers.items()}
        if not signature_holds(self.secret, body, given.get("x-hub-signature", "")):
            return self._refuse(204, "news with a wrong signature")
        self.news.append(body)
        return Answer(204)

    def _confirm(self, asked: Mapping[str, str]) -> Answer:
        """Answer a challenge."""
        if asked.get("hub.topic") != self.topic:
            return self._refuse(404, f"a question about another topic: {asked.get('hub.topic', '')!r:.100}")
        if not self.pending or asked.get("hub.mode") != self.pending:
            return self._refuse(404, f"a question about {asked.get('hub.mode', '')!r:.30}, never asked for")
        self.subscribed, self.pending = self.pending == "subscribe", ""
        return Answer(200, asked.get("hub.challenge", "").encode())

    def _refuse(self, status: int, why: str) -> Answer:
        self.refused = [*self.refused[-99:], why]
        return Answer(status)


def _form(text: bytes) -> dict[str, str]:
    """Return the fields of a form or a query, the first of each name; none where there are too many."""
    try:
        fields = parse_qs(text.decode("ascii", "replace"), keep_blank_values=True, max_num_fields=50)
    except ValueError:
        return {}
    return {name: values[0] for name, values in fields.items()}

import http.client
import itertools
from urllib.parse import urlencode

import pytest

from ircourse.crawl import parse_feed
from ircourse.crawl.feeds import websub
from ircourse.crawl.feeds.push import send, serve_push
from ircourse.crawl.feeds.websub import Answer, Hub, Subscriber, sign, signature_holds
from ircourse.types import SystemClock, VirtualClock

TOPIC, HUB, CALLBACK = "http://a.example/rss", "http://hub.example/", "http://reader.example/push"
NEWS = b"<rss version='2.0'><channel><item><link>http://a.example/1</link></item></channel></rss>"


class Net:
    """Hub, publisher and subscriber without a network: what is sent to a URL reaches its receiver."""

    def __init__(self, secret=b"tide"):
        self.sent, self.clock = [], VirtualClock()
        numbers = itertools.count()
        self.hub = Hub(HUB, self.clock, self.send, lambda: f"challenge-{next(numbers)}")
        self.reader = Subscriber(TOPIC, secret)
        self.at = {TOPIC: lambda *request: Answer(200, NEWS), CALLBACK: self.reader.receive}

    def send(self, method, url, body, headers):
        self.sent.append((method, url, body, headers))
        receive = self.at.get(url.partition("?")[0])
        if receive is None:
            raise OSError("nobody there")
        return receive(method, url, body, headers)

    def ask(self, form=None, **fields):
        body = urlencode({f"hub.{name}": value for name, value in fields.items()}).encode()
        return self.hub.receive("POST", "/", form or body, {}).status

    def subscribe(self, mode="subscribe", **options):
        return self.ask(self.reader.request(mode, CALLBACK, **options))

    def publish(self):
        return self.ask(mode="publish", url=TOPIC)


def test_subscribe_deliver_unsubscribe():
    net = Net()
    assert net.subscribe() == 202 and net.reader.subscribed
    assert net.hub.subscribers(TOPIC) == [CALLBACK]
    assert net.publish() == 202 and net.reader.news == [NEWS]
    assert net.sent[-1][3]["Link"] == f'<{HUB}>; rel="hub", <{TOPIC}>; rel="self"'
    assert net.subscribe("unsubscribe") == 202 and not net.reader.subscribed
    assert net.publish() == 202 and net.reader.news == [NEWS] and net.reader.refused == []


def test_a_lease_ends():
    net = Net()
    net.subscribe(lease=100)
    net.clock.wait(99)
    assert net.hub.subscribers(TOPIC) == [CALLBACK]
    net.clock.wait(1)
    assert net.hub.subscribers(TOPIC) == [] and net.publish() == 202 and net.reader.news == []
    net.subscribe(lease=10**9)
    net.clock.wait(websub.LEASE)
    assert net.hub.subscribers(TOPIC) == []


def test_nobody_is_subscribed_who_does_not_confirm():
    net = Net()
    fields = {"mode": "subscribe", "topic": TOPIC, "secret": "tide"}
    assert net.ask(callback=CALLBACK, **fields) == 409  # the reader asked for nothing
    assert net.ask(callback="http://nobody.example/", **fields) == 409
    for answer in (Answer(200, b"challenge"), Answer(404, b"challenge-3"), Answer(200), Answer(302)):
        net.at["http://victim.example/"] = lambda *request, answer=answer: answer
        assert net.ask(callback="http://victim.example/?q=1", **fields) == 409
    assert net.hub.subscribers(TOPIC) == [] and len(net.reader.refused) == 1


def test_a_subscriber_confirms_its_own_topic_and_mode_alone():
    net = Net()
    net.reader.request("subscribe", CALLBACK)
    fields = {"secret": "tide", "callback": CALLBACK}
    assert net.ask(mode="subscribe", topic="http://b.example/rss", **fields) == 409
    assert net.ask(mode="unsubscribe", topic=TOPIC, **fields) == 409
    assert net.ask(mode="subscribe", topic=TOPIC, **fields) == 202
    assert net.ask(mode="unsubscribe", topic=TOPIC, **fields) == 409  # a stranger's wish
    assert net.hub.subscribers(TOPIC) == [CALLBACK]


SECRET_AND = {"mode": "subscribe", "topic": TOPIC, "callback": CALLBACK, "secret": "tide"}


@pytest.mark.parametrize(
    "change",
    [
        {"mode": "shout"},
        {"mode": ""},
        {"topic": "mailto:x@a.example"},
        {"topic": ""},
        {"callback": "file:///etc/passwd"},
        {"callback": "/push"},
        {"secret": ""},
        {"secret": "x" * 200},
        {"lease_seconds": "0"},
        {"lease_seconds": "-5"},
        {"lease_seconds": "9" * 30},
        {"lease_seconds": "²"},
    ],
)
def test_a_form_that_is_wrong(change):
    net = Net()
    assert net.ask(**{**SECRET_AND, **change}) == 400
    assert net.sent == []


def test_requests_that_are_no_forms():
    hub = Net().hub
    assert hub.receive("GET", "/", b"", {}).status == 405
    assert hub.receive("POST", "/", b"x" * 20_000, {}).status == 413
    for body in (b"", b"\xff\xfe", b"&" * 9000, b"hub.mode=publish&" * 500, b"%zz=%"):
        assert hub.receive("POST", "/", body, {}).status == 400


def test_a_hub_that_is_full(monkeypatch):
    monkeypatch.setattr(websub, "MAX_SUBSCRIPTIONS", 0)
    assert Net().subscribe() == 503


def test_a_topic_that_cannot_be_fetched_and_subscribers_that_are_gone():
    net = Net()
    net.subscribe()
    for topic in (Answer(404), Answer(200, b"x" * 1_000_001)):
        net.at[TOPIC] = lambda *request, topic=topic: topic
        assert net.publish() == 502
    del net.at[TOPIC]
    assert net.publish() == 502
    net.at[TOPIC] = lambda *request: Answer(200, NEWS)
    del net.at[CALLBACK]
    assert net.publish() == 202 and net.hub.subscribers(TOPIC) == [CALLBACK]  # it may come back
    net.at[CALLBACK] = lambda *request: Answer(410)
    assert net.publish() == 202 and net.hub.subscribers(TOPIC) == []
    before = len(net.sent)
    assert net.publish() == 202 and len(net.sent) == before  # nobody wants it, so it is not fetched


FORGED = [
    "",
    "sha256=",
    "sha256=00",
    "sha1=" + "0" * 40,
    sign(b"other", NEWS),
    sign(b"tide", NEWS + b" "),
    "sha256=é",
]


@pytest.mark.parametrize("signature", FORGED)
def test_news_that_is_not_signed_is_not_believed(signature):
    net = Net()
    net.subscribe()
    headers = {"X-Hub-Signature": signature}
    assert net.reader.receive("POST", "/push", NEWS, headers).status == 204
    assert net.reader.receive("POST", "/push", NEWS, {}).status == 204
    assert net.reader.news == [] and net.reader.refused == ["news with a wrong signature"] * 2


def test_signatures_against_a_known_value_and_other_algorithms():
    # RFC 4231, test case 2
    digest = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    text = b"what do ya want for nothing?"
    assert sign(b"Jefe", text) == "sha256=" + digest and signature_holds(
        b"Jefe", text, "sha256=" + digest.upper()
    )
    sha512 = (
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
    )
    assert signature_holds(b"Jefe", text, "sha512=" + sha512) and not signature_holds(b"Jefe", text, "md5=0")


def test_news_that_nobody_asked_for_or_that_is_too_long():
    reader = Subscriber(TOPIC, b"tide")
    signed = {"x-hub-signature": sign(b"tide", NEWS)}
    assert reader.receive("POST", "/", NEWS, signed).status == 404
    reader.subscribed = True
    assert reader.receive("POST", "/", NEWS, signed).status == 204 and reader.news == [NEWS]
    assert reader.receive("POST", "/", b"x" * 1_000_001, {}).status == 413
    assert reader.receive("DELETE", "/", b"", {}).status == 405
    for _ in range(300):
        reader.receive("GET", "/?hub.topic=" + "x" * 5000, b"", {})
    assert len(reader.refused) == 100 and len(reader.refused[-1]) < 200
    with pytest.raises(ValueError, match="'shout' is no mode"):
        reader.request("shout", CALLBACK)


def test_over_real_http():
    feed = [NEWS]
    with serve_push(lambda method, target, body, headers: Answer(200, feed[0])) as topic:
        numbers = itertools.count()
        reader = Subscriber(topic, b"tide")
        hub = Hub(HUB, SystemClock(), send, lambda: f"challenge-{next(numbers)}")
        with serve_push(hub.receive) as at_hub, serve_push(reader.receive) as callback:
            assert send("POST", at_hub, reader.request("subscribe", callback + "c1"), {}).status == 202
            publish = urlencode({"hub.mode": "publish", "hub.url": topic}).encode()
            assert send("POST", at_hub, publish, {}).status == 202
            feed[0] = NEWS.replace(b"/1", b"/2")
            assert send("POST", at_hub, publish, {}).status == 202
            links = [parse_feed(news).entries[0].url for news in reader.news]
            assert links == ["http://a.example/1", "http://a.example/2"]
            forged = {"X-Hub-Signature": sign(b"guess", NEWS)}
            assert send("POST", callback, NEWS, forged).status == 204 and len(reader.news) == 2
            assert send("POST", at_hub, reader.request("unsubscribe", callback + "c1"), {}).status == 202
            assert hub.subscribers(topic) == []


@pytest.mark.parametrize(
    "length, status", [("2000000", 413), ("-1", 411), ("x", 411), (None, 411), ("9" * 40, 411)]
)
def test_a_body_of_no_length_or_too_much_is_not_read(length, status):
    def never(*request):
        raise AssertionError("reached")

    with serve_push(never) as url:
        connection = http.client.HTTPConnection(url[7:-1], timeout=5)
        connection.putrequest("POST", "/")
        if length is not None:
            connection.putheader("Content-Length", length)
        connection.endheaders()
        assert connection.getresponse().status == status
        connection.close()


@pytest.mark.parametrize(
    "url",
    [
        "http://192.0.2.1/",
        "https://127.0.0.1/",
        "http://a.example/",
        "file:///x",
        "http://127.0.0.1:x/",
        "http://[",
        "",
    ],
)
def test_nothing_is_sent_anywhere_but_to_loopback(url):
    with pytest.raises(OSError, match="is not sent to"):
        send("GET", url, b"", {})


def test_a_server_that_is_gone_or_talks_nonsense():
    with serve_push(lambda *request: Answer(200)) as url:
        with pytest.raises(OSError):
            send("GET\r\n", url, b"", {})
        with pytest.raises(OSError):
            send("GET", url, b"", {"X": "a\r\nb"})
    with pytest.raises(OSError):
        send("GET", url, b"", {})

"""Names to addresses: the state machine by its times, and the ways to look up."""

import itertools
import math
import socket
import threading
from queue import Queue

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.crawl.net import dns as dns_file
from ircourse.crawl.net.dns import (
    LIFETIME,
    LONGEST,
    RETRY,
    SHORTEST,
    TIMEOUTS,
    Failed,
    Known,
    Pending,
    Query,
    Resolver,
)
from ircourse.crawl.net.lookups import (
    Found,
    Lookups,
    dnspython_look_up,
    served_look_up,
    simulated,
    system_look_up,
)
from ircourse.web import Web, serve

A, B = "a.example", "b.example"
ADDRESSES = ("192.0.2.1", "2001:db8::1")


def test_a_host_is_asked_about_once_while_it_is_pending():
    resolver = Resolver()
    assert resolver.ask(A, 0.0) == resolver.ask(A, 0.5) == Pending(0, 0.0)
    assert resolver.next_time == 0.0 and resolver.tick(0.5) == [Query(A, 1.0)]
    assert resolver.ask(A, 0.6) == Pending(1, 1.5)
    assert resolver.tick(0.6) == [] and resolver.next_time == 1.5
    resolver.answered(A, ADDRESSES, 0.7)
    assert resolver.ask(A, 0.8) == Known(ADDRESSES, 0.7 + LIFETIME)
    assert resolver.next_time == math.inf and resolver.tick(9.0) == []


def test_queries_of_several_hosts_go_out_together():
    resolver = Resolver()
    resolver.ask(B, 0.0)
    resolver.ask(A, 0.0)
    assert resolver.tick(0.0) == [Query(A, 1.0), Query(B, 1.0)]


def test_five_time_outs_grow_and_then_the_look_up_has_failed():
    resolver, sent, now = Resolver(), [], 0.0
    resolver.ask(A, now)
    while now < math.inf:
        sent += [(round(now, 2), query.timeout) for query in resolver.tick(now)]
        now = resolver.next_time
    assert [timeout for _, timeout in sent] == list(TIMEOUTS)
    assert [start for start, _ in sent] == [0.0, 1.0, 4.08, 13.57, 42.79]
    assert resolver.ask(A, 133.0).kind == "dns timeout"


def test_an_answer_may_come_late():
    resolver = Resolver()
    resolver.ask(A, 0.0)
    for now in (0.0, 1.0, 5.0, 20.0, 60.0, 200.0):
        resolver.tick(now)
    assert isinstance(resolver.ask(A, 200.0), Failed)
    resolver.answered(A, ADDRESSES, 201.0)
    assert resolver.ask(A, 202.0).addresses == ADDRESSES


def test_failures_are_asked_again():
    resolver = Resolver()
    resolver.ask(A, 0.0)
    resolver.tick(0.0)
    resolver.answered(A, [], 0.5)
    assert resolver.ask(A, 1.0) == Failed("dns", 0.5 + RETRY)
    assert resolver.tick(1.0) == []
    assert resolver.ask(A, 0.5 + RETRY) == Pending(0, 0.5 + RETRY)
    assert resolver.tick(0.5 + RETRY) == [Query(A, 1.0)]


@pytest.mark.parametrize(
    ("said", "holds"), [(None, LIFETIME), (0, SHORTEST), (-5, SHORTEST), (300, 300), (1e9, LONGEST)]
)
def test_answers_hold_as_long_as_they_say_within_bounds(said, holds):
    resolver = Resolver()
    resolver.ask(A, 0.0)
    resolver.answered(A, ADDRESSES, 1.0, said)
    assert isinstance(resolver.ask(A, 0.9 + holds), Known)
    assert isinstance(resolver.ask(A, 1.0 + holds), Pending)


def test_an_address_is_its_own():
    resolver = Resolver()
    for host, address in (("192.0.2.1", "192.0.2.1"), ("[2001:db8::1]", "2001:db8::1")):
        assert resolver.ask(host, 5.0) == Known((address,), math.inf)
    assert resolver.tick(5.0) == []


def test_what_nobody_asked_for_is_ignored():
    resolver = Resolver()
    resolver.answered(A, ADDRESSES, 0.0)
    assert isinstance(resolver.ask(A, 0.0), Pending)


def test_bad_input_is_told():
    resolver = Resolver()
    with pytest.raises(ValueError, match="empty"):
        resolver.ask("", 0.0)
    with pytest.raises(TypeError, match="bytes"):
        resolver.ask(b"a.example", 0.0)
    resolver.ask(A, 0.0)
    with pytest.raises(TypeError, match="not one str"):
        resolver.answered(A, "192.0.2.1", 0.0)


def test_the_oldest_answers_make_room(monkeypatch):
    monkeypatch.setattr(dns_file, "KEPT", 10)
    resolver = Resolver()
    resolver.ask(A, 0.0)  # stays pending
    for i in range(50):
        resolver.ask(f"{i}.example", 0.0)
        resolver.answered(f"{i}.example", ADDRESSES, 0.0)
    assert len(resolver._answers) <= 11
    assert isinstance(resolver.ask(A, 0.1), Pending) and isinstance(resolver.ask("49.example", 0.1), Known)


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["ask", "answer", "no such host", "tick"]),
        st.sampled_from([A, B]),
        st.floats(0, 200) | st.just(0.0),
    ),
    max_size=40,
)


@given(events=EVENTS)
def test_whatever_happens_queries_follow_the_time_outs(events):
    resolver, now, sent = Resolver(), 0.0, {A: [], B: []}
    for what, host, later in events:
        now += later
        if what == "ask":
            answer = resolver.ask(host, now)
            assert isinstance(answer, Pending) or now < answer.until
        elif what == "tick":
            for query in resolver.tick(now):
                sent[query.host].append((now, query.timeout))
            assert resolver.next_time > now
        else:
            resolver.answered(host, ADDRESSES if what == "answer" else (), now)
    for queries in sent.values():
        for (start, timeout), (again, following) in itertools.pairwise(queries):
            in_order = following == TIMEOUTS[0] or TIMEOUTS.index(following) == TIMEOUTS.index(timeout) + 1
            assert in_order and (following == TIMEOUTS[0] or again >= start + timeout - 1e-9)


@given(
    seconds=st.dictionaries(st.text("abc", min_size=1, max_size=3), st.none() | st.floats(0, 300), max_size=6)
)
def test_one_look_up_at_a_time_takes_the_sum_and_all_at_once_the_longest(seconds):
    alone = {host: simulated({host: taken})[host][0] for host, taken in seconds.items()}
    assert all(
        end == pytest.approx(min(math.inf if s is None else s, sum(TIMEOUTS)))
        for end, s in zip(alone.values(), seconds.values(), strict=True)
    )
    together, one_by_one = simulated(seconds), simulated(seconds, 1)
    assert {host: end for host, (end, _) in together.items()} == pytest.approx(alone)
    assert max((end for end, _ in one_by_one.values()), default=0) == pytest.approx(sum(alone.values()))


def test_a_hanging_host_holds_up_no_other():
    hang, answers = threading.Event(), Queue()

    def look_up(host):
        if host == "hangs.example":
            hang.wait(60)
            raise TimeoutError("no answer")
        if host == "nowhere.example":
            return Found(())
        return Found(ADDRESSES, 60.0)

    lookups = Lookups(look_up, lambda host, found: answers.put((host, found)), threads=2)
    for host in ("hangs.example", "hangs.example", A, "nowhere.example", B):
        lookups.start(host)
    got = [answers.get(timeout=60) for _ in range(3)]
    assert got == [(A, Found(ADDRESSES, 60.0)), ("nowhere.example", Found(())), (B, Found(ADDRESSES, 60.0))]
    hang.set()
    lookups.close()
    with pytest.raises(ValueError, match="at least 1"):
        Lookups(look_up, print, threads=0)


def test_a_host_whose_look_up_failed_can_be_started_again():
    tries, answers = [], Queue()

    def look_up(host):
        tries.append(host)
        if len(tries) == 1:
            raise TimeoutError("no answer")
        return Found(ADDRESSES)

    lookups = Lookups(look_up, lambda host, found: answers.put(found), threads=1)
    lookups.start(A)
    lookups.start(B)  # on the one thread, after the first
    assert answers.get(timeout=60) == Found(ADDRESSES)
    lookups.start(A)
    assert answers.get(timeout=60) == Found(ADDRESSES)
    assert tries == [A, B, A]
    lookups.close()


def test_the_system_is_asked(monkeypatch):
    def answers(entries):
        def getaddrinfo(host, port, type):
            if isinstance(entries, Exception):
                raise entries
            return [(0, type, 6, "", (address, 0)) for address in entries]

        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
        return system_look_up(A)

    assert answers(["192.0.2.1", "192.0.2.1", "2001:db8::1"]) == Found(ADDRESSES)
    assert answers(socket.gaierror(socket.EAI_NONAME, "no such host")) == Found(())
    assert answers(UnicodeError("label too long")) == Found(())
    with pytest.raises(OSError):
        answers(socket.gaierror(socket.EAI_AGAIN, "try again"))


def test_a_served_web_is_asked():
    with serve(Web.from_pages({"http://harbour.example/": []})) as server:
        look_up = served_look_up(server.resolve)
        assert look_up("harbour.example") == Found(("127.0.0.1",))
        assert look_up("nowhere.example") == Found(())


def name_server(sock):
    """Answer DNS queries until one for stop.example comes; silent.example gets none."""
    import dns.flags
    import dns.message
    import dns.rcode
    import dns.rrset

    records = {
        (A, "A"): (300, ["192.0.2.1"]),
        (A, "AAAA"): (90, ["2001:db8::1"]),
        (B, "A"): (7, ["192.0.2.3"]),
    }
    while True:
        data, client = sock.recvfrom(4096)
        query = dns.message.from_wire(data)
        host = query.question[0].name.to_text().removesuffix(".")
        kind = dns.rdatatype.to_text(query.question[0].rdtype)
        if host == "stop.example":
            return
        if host == "silent.example":
            continue
        answer = dns.message.make_response(query)
        answer.flags |= dns.flags.RA
        if (host, kind) in records:
            ttl, found = records[host, kind]
            answer.answer.append(dns.rrset.from_text(query.question[0].name, ttl, "IN", kind, *found))
        elif host == "broken.example":
            answer.set_rcode(dns.rcode.SERVFAIL)
        elif host != B:
            answer.set_rcode(dns.rcode.NXDOMAIN)
        sock.sendto(answer.to_wire(), client)


def test_dnspython_is_asked():
    resolver_file = pytest.importorskip("dns.resolver")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=name_server, args=[sock], daemon=True)
        thread.start()
        asked = resolver_file.Resolver(configure=False)
        asked.nameservers, asked.port, asked.lifetime = ["127.0.0.1"], sock.getsockname()[1], 60.0
        look_up = dnspython_look_up(asked)
        assert look_up(A) == Found(("192.0.2.1", "2001:db8::1"), 90)
        assert look_up(B) == Found(("192.0.2.3",), 7)
        assert look_up("nowhere.example") == Found(())
        assert look_up("a..example") == look_up("x" * 64 + ".example") == Found(())
        with pytest.raises(OSError, match="broken"):
            look_up("broken.example")
        asked.lifetime = 0.2
        with pytest.raises(OSError, match="silent"):
            look_up("silent.example")
        with pytest.raises(OSError, match="stop"):
            look_up("stop.example")
        thread.join(60)

"""Content-seen by fingerprint, on all nodes together, beside a model that knows everything."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.dedup import fingerprint
from ircourse.distribute import ConsistentHashRing, DistributedContentSeen, HostSplitter, missed_copies

RING = ConsistentHashRing(["ada", "bob", "cleo"], 20)
URLS = st.sampled_from([f"http://site{i}.example/" for i in range(6)])
TEXTS = st.sampled_from(["ferry late", "ferry on time", "no ferry", "", " \n"])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(URLS, TEXTS | st.none()), max_size=40))
def test_a_page_is_a_copy_of_the_first_that_has_its_text_now(steps):
    seen = DistributedContentSeen(HostSplitter(RING), RING)
    has = {}  # from URL to text, in the order in which they came to have it
    for url, text in steps:
        if text is None:
            seen.withdraw(url)
            has.pop(url, None)
            continue
        if has.get(url) != text:
            has.pop(url, None)
        if text.strip():
            has.setdefault(url, text)
        first = next((u for u, t in has.items() if t == text), url)
        assert seen.look(url, text) == (None if first == url else first)
    assert seen.in_frontier == {url: fingerprint(text) for url, text in has.items()}
    held = {}
    for node, prints in seen.held.items():
        for number, urls in prints.items():
            assert RING.node_for(number) == node and urls
            held |= dict.fromkeys(urls, number)
    assert held == seen.in_frontier


def test_messages_go_to_other_nodes_only():
    alone = DistributedContentSeen(HostSplitter(1), ConsistentHashRing([0]))
    alone.look("http://a.example/", "ferry")
    assert alone.messages == 0
    seen, split = DistributedContentSeen(HostSplitter(RING), RING), HostSplitter(RING)
    urls = [f"http://site{i}.example/" for i in range(90)]
    for url in urls:
        seen.look(url, f"the page {url}")
    assert seen.messages == sum(
        split.node_for(url) != RING.node_for(fingerprint(f"the page {url}")) for url in urls
    )
    assert 45 < seen.messages < 75  # two in three, on average
    before = seen.messages
    assert seen.look(urls[0], f"the page {urls[0]}") is None
    assert seen.messages - before <= 1
    seen.look(urls[0], "the page changed")  # one message to withdraw the old, one for the new
    assert seen.messages - before <= 3


def test_copies_missed_are_those_that_no_node_has_twice():
    split = HostSplitter(RING)
    of = split.split(f"http://site{i}.example/" for i in range(60))
    a, b = of["ada"], of["bob"]
    assert missed_copies({a[0]: "x", a[1]: "x", b[0]: "x", b[1]: "x", b[2]: "y"}, split) == (3, 1)
    assert missed_copies({a[0]: "x", b[0]: "x", a[1]: b"x"}, split) == (2, 1)
    assert missed_copies({a[0]: "", b[0]: " ", b[1]: ""}, split) == missed_copies({}, split) == (0, 0)

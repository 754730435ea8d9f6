"""Splitters: one node a host however its URLs are written, and by URL for comparison."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ircourse.crawl import canonical_url
from ircourse.distribute import ConsistentHashRing, HostSplitter, ModHashing, UrlSplitter, contacts
from ircourse.distribute.splitter import host_key

RING = ConsistentHashRing(["ada", "bob", "cleo", "dan"], 50)
SAME = [
    "http://example.org/",
    "HTTP://EXAMPLE.org:80/a?b#c",
    "https://example.org/a",
    "http://example.org:8080/",
    "http://user:word@example.org/",
    "http://example.org./",
    r"http:\\example.org\a",
    "http://ex%61mple.org/",
]


def test_a_host_has_one_node_however_its_urls_are_written():
    for assignment in (RING, 7, ModHashing(7)):
        split = HostSplitter(assignment)
        assert {split.node_for(url) for url in SAME} == {split.assignment.node_for("example.org")}
    assert {host_key(url) for url in SAME} == {"example.org"}
    assert host_key("http://[2001:DB8::1]:8080/") == "[2001:db8::1]"
    assert host_key("http://BÜCHER.example/") == "xn--bcher-kva.example"


@settings(max_examples=100, deadline=None)
@given(st.text("ab./:@[]\\#?%0 é", max_size=20))
def test_every_url_that_can_be_crawled_has_a_node(rest):
    url = canonical_url("http://" + rest)
    for split in (HostSplitter(RING), UrlSplitter(RING)):
        if url is None:
            with pytest.raises(ValueError, match="cannot be crawled"):
                split.node_for("http://" + rest)
        else:
            assert split.node_for("http://" + rest) == split.node_for(url) in RING.nodes


def test_split_keeps_order_and_names_every_node():
    urls = [f"http://site{i % 9}.example/{i}" for i in range(100)]
    for split in (HostSplitter(RING), UrlSplitter(RING)):
        parts = split.split(urls)
        assert tuple(parts) == split.nodes == RING.nodes
        assert all(
            part == [url for url in urls if split.node_for(url) == node] for node, part in parts.items()
        )
    assert HostSplitter(3).split([]) == {0: [], 1: [], 2: []}


def test_contacts_counts_the_nodes_that_ask_a_host():
    urls = [f"http://{host}.example/{i}" for host in "ab" for i in range(50)] + ["https://a.example:99/"]
    assert contacts(HostSplitter(RING), urls) == {"a.example": 1, "b.example": 1}
    assert contacts(UrlSplitter(RING), urls) == {"a.example": 4, "b.example": 4}


def test_a_splitter_without_a_node_leaves_the_hosts_of_the_others():
    split = HostSplitter(RING)
    left = split.without("bob")
    hosts = [f"http://site{i}.example/" for i in range(300)]
    assert type(left) is HostSplitter and left.nodes == ("ada", "cleo", "dan") and "bob" in RING
    assert all(split.node_for(url) in (left.node_for(url), "bob") for url in hosts)
    more = split.joined_by("eve")
    assert all(more.node_for(url) in (split.node_for(url), "eve") for url in hosts) and "eve" not in RING
    for change in (HostSplitter(4).without, HostSplitter(4).joined_by):
        with pytest.raises(ValueError, match="ModHashing cannot do with or without 2"):
            change(2)
    with pytest.raises(ValueError, match="'eve' is no node"):
        split.without("eve")


def test_no_nodes_one_node_and_what_is_no_url():
    with pytest.raises(ValueError, match="0 nodes"):
        HostSplitter(0)
    assert HostSplitter(1).split(SAME) == {0: SAME}
    with pytest.raises(ValueError, match=r"'mailto:a@b\.example' cannot be crawled"):
        HostSplitter(3).split(["http://a.example/", "mailto:a@b.example"])
    with pytest.raises(TypeError, match="must be a str"):
        HostSplitter(3).node_for(b"http://a.example/")

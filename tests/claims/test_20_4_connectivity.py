"""Claim C62: links in and out by gaps and reference, in fewer bits than a page's number takes."""

from math import ceil, log2

import pytest

from ircourse.graphs import ConnectivityServer, erdos_renyi, host_graph
from ircourse.web import random_web

N = 20_000


def addresses(n):
    return [f"http://host{i // 100:04}.example/{i % 100:02}.html" for i in range(n)]


def communities():
    return addresses(N), host_graph(N // 100, N, 1, links=9)


def generated():
    web = random_web(N, 1)
    return [web.url(i) for i in range(N)], web.graph


@pytest.mark.parametrize("make", [communities, generated])
def test_c62_links_take_fewer_bits_than_the_number_of_a_page(make):
    urls, graph = make()
    server = ConnectivityServer(urls, graph)
    assert server.bits_per_link < ceil(log2(N))  # both directions, with all that finds a row
    back = graph.reverse()
    for i, url in enumerate(urls):
        assert server.out_links(url) == sorted(urls[j] for j in graph.links(i))
        assert server.in_links(url) == sorted(urls[j] for j in back.links(i))


def test_c62_how_few_depends_on_the_web():
    urls, graph = communities()
    assert ConnectivityServer(urls, graph).bits_per_link == pytest.approx(8.6, abs=0.3)
    # In a web of hosts most links are near; links to anywhere have nothing that a code could use, and with
    # what it takes to find a row they need more than the number of a page has.
    links = erdos_renyi(N, 9, 1)
    assert ceil(log2(N)) < ConnectivityServer(urls, links).bits_per_link < 1.25 * ceil(log2(N))

"""The book's and the slides' own figures, as the planner counts them (claims C13, C41, C47; slides-C)."""

import pytest

from ircourse.distribute.planner import MONTH_WEEKS, Constants, cycles, limits, line_pages_a_day, plan


def test_c13_fifty_billion_pages_of_ten_links_each():
    web = plan(50 * 10**9)
    assert web.links == 500 * 10**9 == web.part("graph").amount
    assert web.graph_bytes["matrix"] == 312.5e18
    assert web.graph_bytes["lists"] == pytest.approx(4.4e12)
    assert web.graph_bytes["coded"] == 187.5e9  # at the book's 3 bits a link
    assert plan(50 * 10**9, constants=Constants(link_bits=6)).graph_bytes["coded"] == 375e9


def test_c41_a_billion_pages_a_month_is_386_a_second():
    assert round(plan(10**9, MONTH_WEEKS).pages_per_second) == 386


def test_c47_twenty_million_pages_200_million_urls_20_gb_or_240_mb():
    crawl = plan(20 * 10**6)
    assert crawl.urls == 200 * 10**6
    assert crawl.part("URL-seen, exact").memory == 20e9
    assert crawl.part("URL-seen, Bloom").memory == pytest.approx(240e6, rel=0.002)
    # That is more than the memory of a machine, as it stands, and a filter is far less.
    assert limits(crawl)[0].name == "URLs in memory" and limits(crawl)[0].load > 1 > limits(crawl)[1].load


def test_the_book_s_four_billion_pages_of_ten_links():
    """Section 20.4: 4 billion pages with 10 links each, 8 bytes a link in pairs of numbers."""
    assert plan(4 * 10**9).links * 8 == 3.2e11


def test_a_t3_line():
    """44.7 Mbit/s are 483 GB a day: 78 million pages of 1998, not 22 million of ten years later."""
    then = Constants(page_bytes=147.8e9 / 24e6)
    assert line_pages_a_day(then) / 1e6 == pytest.approx(78.4, abs=0.05)
    assert line_pages_a_day() / 1e6 == pytest.approx(21.7, abs=0.05)
    assert plan(line_pages_a_day(then) * 7, 1, then).bits == pytest.approx(44.7e6)
    # In 1998 one such line brought a billion pages in two weeks, not in one.
    assert [each.lines for each in cycles(10**9, (1, 2, 4), then)] == [2, 1, 1]


def test_google_of_1998_from_its_own_constants():
    """24 million pages: 147.8 GB stored in 53.5 GB, 37.2 GB of index."""
    google = plan(24e6, constants=Constants(page_bytes=147.8e9 / 24e6))
    assert google.part("page store").disk == pytest.approx(53.5e9, rel=0.001)
    assert google.part("index").disk == pytest.approx(37.2e9, rel=0.002)


def test_irlbot_from_its_own_constants():
    """6.3 billion pages in 41 days: 1,789 pages a second, 319 Mbit/s, 117 million hosts."""
    irlbot = plan(6.3e9, 41 / 7)
    assert irlbot.pages_per_second == pytest.approx(1_789, rel=0.01)
    assert irlbot.bits == pytest.approx(319e6, rel=0.01)
    assert irlbot.hosts == pytest.approx(117e6, rel=0.01)
    # It found 41 billion pages, 6.5 for each that it fetched; the slides' 10 are on the safe side.
    assert irlbot.urls > 41e9

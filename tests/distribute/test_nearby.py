"""Nodes near their sites: regions, the nearest with a node, and a node's death."""

import pytest

from ircourse.distribute import ByRegion, CrawlCosts, HostSplitter, simulated_crawl

REGIONS = ("north", "east", "south")
PLACES = {"ada": "north", "bob": "north", "cleo": "east", "dan": "south"}
HOSTS = [f"site{i}.{REGIONS[i % 3]}.example" for i in range(90)]


def region_of(host):
    return host.split(".")[-2]


def round_trip(a, b):
    return 0.02 if a == b else 0.1 if "south" not in (a, b) else 0.3


def test_a_host_goes_to_a_node_of_its_region_or_of_the_nearest():
    by_region = ByRegion(PLACES, region_of, round_trip)
    assert set(by_region.nodes) == set(PLACES)
    assert {node: {region_of(h) for h in HOSTS if by_region.node_for(h) == node} for node in PLACES} == {
        "ada": {"north"},
        "bob": {"north"},
        "cleo": {"east"},
        "dan": {"south"},
    }
    assert all(by_region.seconds(by_region.node_for(host), host) == 0.02 for host in HOSTS)
    left = by_region.without("cleo")
    assert {left.node_for(host) for host in HOSTS if region_of(host) == "east"} == {"ada", "bob"}
    assert all(left.node_for(h) == by_region.node_for(h) for h in HOSTS if region_of(h) != "east")
    assert all(by_region.without("ada").node_for(h) == "bob" for h in HOSTS if region_of(h) == "north")


def test_a_crawl_by_region_survives_the_death_of_a_regions_only_node():
    pages = {f"http://{host}/{i}": [] for host in HOSTS for i in range(3)}
    front = {f"http://{host}/": [f"http://{HOSTS[(j + 1) % 90]}/", *[f"http://{host}/{i}" for i in range(3)]]
             for j, host in enumerate(HOSTS)}  # fmt: skip
    by_region = ByRegion(PLACES, region_of, round_trip)
    costs = CrawlCosts(fetch=by_region.seconds, gap=0.5, notice=1.0)
    killed = simulated_crawl(
        pages | front, HostSplitter(by_region), seeds=list(front)[:1], costs=costs, kill=("dan", 4.0)
    )
    assert set(killed.pages) == set(pages | front)
    assert killed.moved and {heir for _, heir in killed.moved.values()} <= {"ada", "bob", "cleo"}


def test_what_is_no_assignment_is_refused():
    with pytest.raises(ValueError, match="places is empty"):
        ByRegion({}, region_of, round_trip)
    with pytest.raises(ValueError, match="'eve' is no node here"):
        ByRegion(PLACES, region_of, round_trip).without("eve")
    with pytest.raises(ValueError, match="places is empty"):
        ByRegion({"ada": "north"}, region_of, round_trip).without("ada")

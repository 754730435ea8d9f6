"""Distribution (section 20.3): consistent hashing, a crawl over several nodes, indexes in parts."""

from ircourse.distribute.content import DistributedContentSeen, MissedCopies, missed_copies
from ircourse.distribute.machines import CrawlCosts, Fetched
from ircourse.distribute.mod_hashing import ModHashing, mod_moved, mod_node
from ircourse.distribute.moving import Moves, PeakLoad, imbalance, moves, peak_load
from ircourse.distribute.nearby import ByRegion
from ircourse.distribute.partitions import BROKER, Answer, Cost, Partitioned, Step
from ircourse.distribute.partitions_document import DocumentPartitioned
from ircourse.distribute.partitions_load import Load, TopChanges, query_load, top_changes, zipf_log
from ircourse.distribute.partitions_term import TermPartitioned
from ircourse.distribute.ring import ConsistentHashRing
from ircourse.distribute.simulated import SimulatedCrawl, coordinated_crawl, simulated_crawl
from ircourse.distribute.simulation import CrawlEvent, CrawlHeld
from ircourse.distribute.splitter import HostSplitter, UrlSplitter, contacts
from ircourse.distribute.static import exchange, firewall, independent
from ircourse.distribute.tablets import ServerView, Tablets, TabletView
from ircourse.distribute.tablets_cells import row_key, url_of
from ircourse.distribute.tablets_pages import load_pages
from ircourse.distribute.tablets_server import Event

__all__ = [
    "BROKER",
    "Answer",
    "ByRegion",
    "ConsistentHashRing",
    "Cost",
    "CrawlCosts",
    "CrawlEvent",
    "CrawlHeld",
    "DistributedContentSeen",
    "DocumentPartitioned",
    "Event",
    "Fetched",
    "HostSplitter",
    "Load",
    "MissedCopies",
    "ModHashing",
    "Moves",
    "Partitioned",
    "PeakLoad",
    "ServerView",
    "SimulatedCrawl",
    "Step",
    "TabletView",
    "Tablets",
    "TermPartitioned",
    "TopChanges",
    "UrlSplitter",
    "contacts",
    "coordinated_crawl",
    "exchange",
    "firewall",
    "imbalance",
    "independent",
    "load_pages",
    "missed_copies",
    "mod_moved",
    "mod_node",
    "moves",
    "peak_load",
    "query_load",
    "row_key",
    "simulated_crawl",
    "top_changes",
    "url_of",
    "zipf_log",
]

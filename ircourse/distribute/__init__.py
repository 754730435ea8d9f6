"""Distribution (section 20.3): consistent hashing, a crawl over several nodes, indexes in parts."""

from ircourse.distribute.content import DistributedContentSeen, MissedCopies, missed_copies
from ircourse.distribute.jobs.cluster import connect, local_cluster
from ircourse.distribute.jobs.crawl import ClusterCrawl, CrawledNode, crawl
from ircourse.distribute.jobs.crawl_placing import NodeMoved
from ircourse.distribute.jobs.crawl_served import served_at
from ircourse.distribute.jobs.cutting import edge_parts, file_parts, line_parts, warc_parts
from ircourse.distribute.jobs.dedup import near_duplicates, sketch_texts, text_names
from ircourse.distribute.jobs.errors import ClusterError
from ircourse.distribute.jobs.latent import lsi, random_projection
from ircourse.distribute.jobs.links import hits, pagerank
from ircourse.distribute.jobs.parts import Edges, Files, Lines, TextPart, Warc
from ircourse.distribute.jobs.recording import TaskEvent, record_tasks
from ircourse.distribute.jobs.terms import TermBlocks, term_documents
from ircourse.distribute.machines import CrawlCosts, Fetched
from ircourse.distribute.mod_hashing import ModHashing, mod_moved, mod_node
from ircourse.distribute.moving import Moves, PeakLoad, imbalance, moves, peak_load
from ircourse.distribute.nearby import ByRegion
from ircourse.distribute.partitions import BROKER, Partitioned, QueryAnswer, QueryCost, QueryStep
from ircourse.distribute.partitions_document import DocumentPartitioned
from ircourse.distribute.partitions_load import QueryLoad, TopChanges, query_load, top_changes, zipf_log
from ircourse.distribute.partitions_term import TermPartitioned
from ircourse.distribute.ring import ConsistentHashRing
from ircourse.distribute.simulated import SimulatedCrawl, coordinated_crawl, simulated_crawl
from ircourse.distribute.simulation import CrawlEvent, CrawlHeld
from ircourse.distribute.splitter import HostSplitter, UrlSplitter, contacts
from ircourse.distribute.static import exchange, firewall, independent
from ircourse.distribute.tablets import ServerView, Tablets, TabletView
from ircourse.distribute.tablets_cells import row_key, url_of
from ircourse.distribute.tablets_pages import load_pages
from ircourse.distribute.tablets_server import TabletEvent

__all__ = [
    "BROKER",
    "ByRegion",
    "ClusterCrawl",
    "ClusterError",
    "ConsistentHashRing",
    "CrawlCosts",
    "CrawlEvent",
    "CrawlHeld",
    "CrawledNode",
    "DistributedContentSeen",
    "DocumentPartitioned",
    "Edges",
    "Fetched",
    "Files",
    "HostSplitter",
    "Lines",
    "MissedCopies",
    "ModHashing",
    "Moves",
    "NodeMoved",
    "Partitioned",
    "PeakLoad",
    "QueryAnswer",
    "QueryCost",
    "QueryLoad",
    "QueryStep",
    "ServerView",
    "SimulatedCrawl",
    "TabletEvent",
    "TabletView",
    "Tablets",
    "TaskEvent",
    "TermBlocks",
    "TermPartitioned",
    "TextPart",
    "TopChanges",
    "UrlSplitter",
    "Warc",
    "connect",
    "contacts",
    "coordinated_crawl",
    "crawl",
    "edge_parts",
    "exchange",
    "file_parts",
    "firewall",
    "hits",
    "imbalance",
    "independent",
    "line_parts",
    "load_pages",
    "local_cluster",
    "lsi",
    "missed_copies",
    "mod_moved",
    "mod_node",
    "moves",
    "near_duplicates",
    "pagerank",
    "peak_load",
    "query_load",
    "random_projection",
    "record_tasks",
    "row_key",
    "served_at",
    "simulated_crawl",
    "sketch_texts",
    "term_documents",
    "text_names",
    "top_changes",
    "url_of",
    "warc_parts",
    "zipf_log",
]

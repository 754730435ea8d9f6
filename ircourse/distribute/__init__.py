"""Distribution (section 20.3): consistent hashing, a crawl over several nodes, indexes in parts."""

from ircourse.distribute.mod_hashing import ModHashing, mod_moved, mod_node
from ircourse.distribute.partitions import BROKER, Answer, Cost, Partitioned, Step
from ircourse.distribute.partitions_document import DocumentPartitioned
from ircourse.distribute.partitions_load import Load, TopChanges, query_load, top_changes, zipf_log
from ircourse.distribute.partitions_term import TermPartitioned
from ircourse.distribute.ring import ConsistentHashRing

__all__ = [
    "BROKER",
    "Answer",
    "ConsistentHashRing",
    "Cost",
    "DocumentPartitioned",
    "Load",
    "ModHashing",
    "Partitioned",
    "Step",
    "TermPartitioned",
    "TopChanges",
    "mod_moved",
    "mod_node",
    "query_load",
    "top_changes",
    "zipf_log",
]

"""Distribution (section 20.3): consistent hashing, a crawl over several nodes, indexes in parts."""

from ircourse.distribute.mod_hashing import ModHashing, mod_moved, mod_node
from ircourse.distribute.ring import ConsistentHashRing

__all__ = [
    "ConsistentHashRing",
    "ModHashing",
    "mod_moved",
    "mod_node",
]

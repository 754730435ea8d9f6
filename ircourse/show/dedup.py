"""What chapter 19.6 shows of near-duplicates, in one place."""

from ircourse.show.bands import s_curve
from ircourse.show.min_hash import watch_min_hash
from ircourse.show.near_copies import show_clusters, show_differences
from ircourse.show.orders import agree_by_order
from ircourse.show.simhash import watch_simhash

__all__ = [
    "agree_by_order",
    "s_curve",
    "show_clusters",
    "show_differences",
    "watch_min_hash",
    "watch_simhash",
]

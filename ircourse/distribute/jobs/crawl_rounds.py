"""The rounds of a crawl on a cluster: turns, and what goes from node to node between them.

inbox  letters for each node, until its next turn has come to its end
last   the last `Turn` of each node
after  what of a node's letters was fetched: those that follow are asked for

Round 0 opens the nodes and gives them their seeds; in it nothing is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

from ircourse.distribute.jobs.crawl_node import Turn, take_turn
from ircourse.distribute.jobs.crawl_placing import Placing
from ircourse.distribute.jobs.crawl_post import Letters, Owners

__all__ = ["Rounds"]


class Rounds:
    """Lets ``n`` nodes take turns until none has anything left to do.

    turn       seconds
    max_pages  in all; None: all
    count      rounds so far, without round 0
    sent, received  URLs by node; prints: fingerprints that went to another node
    costs      requests and bytes by node
    """

    def __init__(self, placing: Placing, n: int, turn: float, max_pages: int | None) -> None:
        self._placing, self._turn, self._max_pages = placing, turn, max_pages
        self._owners = Owners(n)
        self._inbox = {node: Letters([], []) for node in range(n)}
        self._after = dict.fromkeys(range(n), (0, 0))
        self.last: dict[int, Turn] = {}
        self.sent, self.received = dict.fromkeys(range(n), 0), dict.fromkeys(range(n), 0)
        self.costs = dict.fromkeys(range(n), (0, 0))
        self.count = self.prints = 0

    def run(self, seeds: Sequence[str]) -> None:
        """Crawl."""
        for seed in seeds:
            self._inbox[self._owners.of_url(seed)].links.append((seed, 0))
        self._round(dict.fromkeys(self._inbox, 0))
        while active := self._active():
            self.count += 1
            self._placing.balance(f"round {self.count}")
            self._round(active)

    def _active(self) -> dict[int, int | None]:
        """Return the nodes that have something to do, and how many pages each may have in its folder."""
        stored = {node: turn.pages for node, turn in self.last.items()}
        left = None if self._max_pages is None else max(0, self._max_pages - sum(stored.values()))
        active = [
            node
            for node, letters in self._inbox.items()
            if any(letters) or (left != 0 and self.last[node].more)
        ]
        if left is None:
            return dict.fromkeys(active)
        shares = [(left + i) // len(active) for i in range(len(active))]
        return {node: stored[node] + share for node, share in zip(active, shares, strict=True)}

    def _round(self, targets: dict[int, int | None]) -> None:
        """Let nodes take a turn each, then hand out what they have for each other."""
        arguments = {
            node: (self._inbox[node], self._after[node], target, self._turn)
            for node, target in targets.items()
        }
        turns: dict[int, Turn] = self._placing.run(f"round {self.count}", take_turn, arguments, self._turn)
        for node in turns:
            self._inbox[node] = Letters([], [])
        for node, turn in turns.items():
            self.last[node], self._after[node] = turn, turn.last
            self.costs[node] = self.costs[node][0] + turn.fetched, self.costs[node][1] + turn.bytes
            self._hand_out(node, turn.letters)

    def _hand_out(self, node: int, letters: Letters) -> None:
        for url, clicks in letters.links:
            owner = self._owners.of_url(url)
            self._inbox[owner].links.append((url, clicks))
            self.sent[node] += 1
            self.received[owner] += 1
        for url, print_ in letters.prints:
            owner = self._owners.of_print(print_)
            self._inbox[owner].prints.append((url, print_))
            self.prints += owner != node

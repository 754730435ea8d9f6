"""A plan of a crawl and its index, and what follows from its parts (sections 20.1 to 20.4).

n  pages of one cycle, T its seconds: n/T pages a second are to be fetched (claim C41)
All parts run side by side, so the machines of a plan are the most that any of memory, disk and processor time
asks for. Lines are counted by themselves: machines of one site share one.

Sources: book, sections 20.1 to 20.4; slides-P for pages and links; slides-C for cycles and lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from ircourse.distribute.planner_constants import Constants
from ircourse.graphs import adjacency_bytes

__all__ = ["DAY", "MONTH_WEEKS", "Part", "Plan"]

DAY = 86_400
MONTH_WEEKS = 30 / 7


@dataclass(frozen=True)
class Part:
    """What one part of the plan takes.

    amount, unit  what it handles in a cycle: pages, look-ups, URLs, shingles, links
    memory, disk  bytes
    bits          a second, on the line
    seconds       of one machine, in a cycle
    used          False for the one of two ways (URL-seen exact or by Bloom filter) that the plan leaves out
    """

    name: str
    amount: float
    unit: str
    memory: float = 0.0
    disk: float = 0.0
    bits: float = 0.0
    seconds: float = 0.0
    used: bool = True


@dataclass(frozen=True)
class Plan:
    """What a crawl of ``pages`` pages every ``weeks`` weeks takes; ``parts`` say what for."""

    pages: float
    weeks: float
    constants: Constants
    parts: tuple[Part, ...]

    def part(self, name: str) -> Part:
        """Return a part by its name; raises KeyError that lists the names."""
        found = [part for part in self.parts if part.name == name]
        if not found:
            raise KeyError(f"no part {name!r:.60}: there are {', '.join(part.name for part in self.parts)}")
        return found[0]

    @property
    def seconds(self) -> float:
        """T, the seconds of a cycle."""
        return self.weeks * 7 * DAY

    @property
    def pages_per_second(self) -> float:
        """Pages to be fetched a second."""
        return self.pages / self.seconds

    @property
    def links(self) -> float:
        """Links of all pages: ones of the adjacency matrix."""
        return self.pages * self.constants.links_per_page

    @property
    def urls(self) -> float:
        """URLs seen."""
        return self.pages * self.constants.urls_per_page

    @property
    def hosts(self) -> float:
        """Hosts of the pages."""
        return self.pages / self.constants.pages_per_host

    @property
    def memory(self) -> float:
        """Bytes of memory that the parts in use take together."""
        return sum(part.memory for part in self.parts if part.used)

    @property
    def disk(self) -> float:
        """Bytes of disk."""
        return sum(part.disk for part in self.parts if part.used)

    @property
    def bits(self) -> float:
        """Bits a second on the line."""
        return sum(part.bits for part in self.parts if part.used)

    @property
    def busy_seconds(self) -> float:
        """Seconds that one machine would work for one cycle."""
        return sum(part.seconds for part in self.parts if part.used)

    def load(self, part: Part) -> dict[str, float]:
        """Return how many machines' memory, disk and time a part takes, and how many lines: fractions."""
        k = self.constants
        return {
            "memory": part.memory / k.memory_bytes,
            "disk": part.disk / k.disk_bytes,
            "time": part.seconds / self.seconds,
            "line": part.bits / k.line_bits,
        }

    def cost_of(self, part: Part) -> float:
        """Return the money that a part alone costs in one cycle, machines and lines in fractions."""
        load, k = self.load(part), self.constants
        machines = max(load["memory"], load["disk"], load["time"])
        return (machines * k.machine_month + load["line"] * k.line_month) * self.weeks / MONTH_WEEKS

    @property
    def machines_for(self) -> dict[str, int]:
        """Machines that each of memory, disk and time asks for, all parts in use together."""
        k = self.constants
        return {
            "memory": ceil(self.memory / k.memory_bytes),
            "disk": ceil(self.disk / k.disk_bytes),
            "time": ceil(self.busy_seconds / self.seconds),
        }

    @property
    def machines(self) -> int:
        """Machines for all: the most that one of them asks for."""
        return max(self.machines_for.values())

    @property
    def lines(self) -> int:
        """Lines of ``constants.line_bits`` each."""
        return ceil(self.bits / self.constants.line_bits)

    @property
    def cost(self) -> float:
        """Money for whole machines and lines over one cycle."""
        k = self.constants
        a_month = self.machines * k.machine_month + self.lines * k.line_month
        return a_month * self.weeks / MONTH_WEEKS

    @property
    def graph_bytes(self) -> dict[str, float]:
        """Bytes of the links, one direction: as a matrix of bits, lists of numbers, coded (claim C13)."""
        return adjacency_bytes(round(self.pages), round(self.links), self.constants.link_bits)

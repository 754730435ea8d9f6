"""What the two ways of spreading an index over nodes share (book, section 20.3; notes-W).

broker     the machine that takes queries: it asks the nodes and merges what they answer
D          number of nodes
copies     nodes that hold each piece: the one it is placed on and those after it, around the list of nodes.
           A piece is read from the first of them that is up, and out of reach when none is
QueryCost  what a query costs, counted and not timed:
           nodes        those that were asked, in the order of the list
           messages     between the broker and a node, either way
           bytes        in them: a term's UTF-8 and one byte more, a posting 8 (document and count, int32), a
                        position 4, a result 12 (document int32, score float64), a statistic 8
           read         postings that nodes read
           moved        postings that were sent
           comparisons  by the broker: of document numbers where it merges lists, of scores where it chooses

What is sent is a model: nodes are objects in one process, and copies of a piece are one object.

Source: book, sections 20.3 and 7.1; Tomasic and Garcia-Molina (1993).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import index
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from ircourse.text import term_hash
from ircourse.types import Hit

__all__ = ["BROKER", "Partitioned", "QueryAnswer", "QueryCost", "QueryStep"]

T = TypeVar("T")
Mode: TypeAlias = Literal["and", "or"]

BROKER = "broker"
POSTING, POSITION, RESULT, STATISTIC = 8, 4, 12, 8  # bytes


@dataclass(frozen=True)
class QueryCost:
    """What a query costs; see the module."""

    nodes: tuple[str, ...] = ()
    messages: int = 0
    bytes: int = 0
    read: int = 0
    moved: int = 0
    comparisons: int = 0

    def plus(self, **more: int) -> QueryCost:
        """Return the cost with ``more`` of what is named.

        >>> QueryCost(messages=1).plus(messages=1, bytes=24)
        QueryCost(nodes=(), messages=2, bytes=24, read=0, moved=0, comparisons=0)
        """
        return replace(self, **{name: getattr(self, name) + n for name, n in more.items()})

    def __add__(self, other: QueryCost) -> QueryCost:
        """Return the cost of both; a node that both touch is named once."""
        both = self.plus(**{name: n for name, n in vars(other).items() if name != "nodes"})
        return replace(both, nodes=tuple(dict.fromkeys(self.nodes + other.nodes)))


@dataclass(frozen=True)
class QueryStep:
    """One step of a query.

    action  "count" (a node is asked for the document frequency of phrases and answers), "ask", "read" (a
            node reads its lists), "answer", "missing" (nobody who is up holds it), "merge" (by the broker,
            the last)
    node    who is asked, reads or answers, or `BROKER`
    what    terms asked for, read or out of reach; of documents out of reach, the node they were placed on
    hits    what a node answers with, where it ranks; of the last step: the results
    size    "count", "ask" and "answer": bytes sent; "read": postings
    cost    of the query so far
    """

    action: Literal["count", "ask", "read", "answer", "missing", "merge"]
    node: str
    what: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()
    size: int = 0
    cost: QueryCost = field(default_factory=QueryCost)


class QueryAnswer(NamedTuple):
    """The results of a query, what it cost, and what was out of reach (see `QueryStep`)."""

    hits: list[Hit]
    cost: QueryCost
    missing: tuple[str, ...]


class Partitioned(ABC):
    """An index in pieces, one placed on each node.

    nodes   their names, each once; `BROKER` is taken
    place   from a key (a ``str``) to the name of a node; None: the key's hash mod D. A ring's ``node_for``
            moves less when a node joins
    copies  nodes that hold each piece, from 1 to D
    """

    def __init__(
        self, nodes: Iterable[str], place: Callable[[str], str] | None = None, copies: int = 1
    ) -> None:
        self.nodes = tuple(several(nodes))
        for i, node in enumerate(self.nodes):
            if not isinstance(node, str) or node == BROKER or node in self.nodes[:i]:
                raise ValueError(f"node {node!r:.60}: give each a name of its own, a str and not {BROKER!r}")
        if not 1 <= index(copies) <= len(self.nodes):
            raise ValueError(f"copies is {copies} with {len(self.nodes)} nodes: give 1 to as many as nodes")
        self.copies = index(copies)
        self._place = place or (lambda key: self.nodes[term_hash(key) % len(self.nodes)])
        self._down: set[str] = set()

    @property
    def down(self) -> tuple[str, ...]:
        """Nodes that are lost."""
        return tuple(node for node in self.nodes if node in self._down)

    def lose(self, node: str) -> None:
        """Let a node be down. What is added or removed meanwhile reaches it when it is back."""
        self._check(node)
        self._down.add(node)

    def bring_back(self, node: str) -> None:
        """Let a node be up again."""
        self._check(node)
        self._down.discard(node)

    def search(self, terms: str | Iterable[str], n: int = 10, mode: Mode = "and") -> list[Hit]:
        """Return the ``n`` best documents, as `InvertedIndex.search` does."""
        return self.ask(terms, n, mode).hits

    def ask(self, terms: str | Iterable[str], n: int = 10, mode: Mode = "and") -> QueryAnswer:
        """Return the results with what they cost and what was out of reach."""
        steps = list(self.query_steps(terms, n, mode))
        missing = dict.fromkeys(each for step in steps if step.action == "missing" for each in step.what)
        return QueryAnswer(list(steps[-1].hits), steps[-1].cost, tuple(missing))

    @abstractmethod
    def query_steps(self, terms: str | Iterable[str], n: int = 10, mode: Mode = "and") -> Iterator[QueryStep]:
        """Yield what happens, step by step, as nodes answer one after the other."""

    @abstractmethod
    def nodes_of(self, number: int) -> tuple[str, ...]:
        """Return the nodes that hold something of a document: those that adding or removing it touches."""

    def placed(self, key: str) -> str:
        """Return the node on which ``key`` is placed. Raises ValueError where ``place`` names none."""
        node = self._place(key)
        if node not in self.nodes:
            raise ValueError(f"place puts {key!r:.60} on {node!r:.60}, which is none of the nodes")
        return node

    def holders(self, node: str) -> tuple[str, ...]:
        """Return the nodes that hold what is placed on ``node``, itself first."""
        at = self.nodes.index(node)
        return tuple(self.nodes[(at + i) % len(self.nodes)] for i in range(self.copies))

    def reader(self, node: str) -> str | None:
        """Return who is asked for what is placed on ``node``; None: all who hold it are down."""
        return next((holder for holder in self.holders(node) if holder not in self._down), None)

    def _check(self, node: str) -> None:
        if node not in self.nodes:
            raise ValueError(f"there is no node {node!r:.60}: the nodes are {', '.join(self.nodes)}"[:300])

    def _ordered(self, nodes: Iterable[str]) -> tuple[str, ...]:
        chosen = set(nodes)
        return tuple(node for node in self.nodes if node in chosen)


def check_query(n: int, mode: str) -> None:
    """Raise ValueError for what is no number of results, or no mode."""
    if index(n) < 0:
        raise ValueError(f"n is {n}: give a number of results of at least 0")
    if mode not in ("and", "or"):
        raise ValueError(f'mode is {mode!r:.60}: give "and" or "or"')


def several(values: Iterable[T]) -> Iterable[T]:
    """Return several values. Raises TypeError for one, which a ``str`` or a mapping is."""
    if isinstance(values, str | Mapping):
        raise TypeError(f"give several, not one: write [{values!r:.60}]")
    return values


def size_of(terms: Iterable[str]) -> int:
    """Return the bytes that terms take in a message."""
    return sum(len(term.encode("utf-8", "surrogatepass")) + 1 for term in terms)

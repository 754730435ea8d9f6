"""A cluster that a command is told to work on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ircourse.distribute import ClusterError, connect

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["cluster_at"]


@contextmanager
def cluster_at(address: str, insecure: bool) -> Iterator[Client]:
    """Yield a client of the scheduler at ``address``. Raises ClusterError for what is no address, too."""
    try:
        client = connect(address, insecure)
    except ValueError as error:
        raise ClusterError(str(error)) from error
    with client:
        yield client

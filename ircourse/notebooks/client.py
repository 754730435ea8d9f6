"""nbclient with bounds: a cell that prints for ever would fill the memory, one long line take an hour."""

from __future__ import annotations

import json
from typing import Any

from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError

__all__ = ["MOST_BYTES", "BoundedClient", "join_streams"]

MOST_BYTES = 10_000_000


class BoundedClient(NotebookClient):
    """A client that ends the kernel once a notebook's output comes to more than ``MOST_BYTES``.

    ``too_much`` tells whether it did; nbclient raises DeadKernelError then.
    """

    def __init__(self, *arguments: Any, **traits: Any) -> None:
        super().__init__(*arguments, **traits)
        self.received = 0

    @property
    def too_much(self) -> bool:
        """Whether the output came to more than ``MOST_BYTES``."""
        return self.received > MOST_BYTES

    def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
        """Count a message of the kernel and process it, or drop it where there were too many."""
        if not self.too_much:
            self.received += len(json.dumps(msg["content"], default=str))
            self.received += sum(memoryview(buffer).nbytes for buffer in msg.get("buffers", ()))
        return None if self.too_much else super().process_message(msg, cell, cell_index)

    async def _async_check_alive(self) -> None:
        # Asked each second. An exception above would end the reading of output, not the wait for the cell.
        if self.too_much:
            self.shutdown_kernel = "immediate"  # it goes on printing meanwhile
            raise DeadKernelError("too much output")
        await super()._async_check_alive()


def join_streams(outputs: list[Any]) -> list[Any]:
    """Return a cell's outputs with what it printed in one piece a stream, where its first piece stood.

    A line shows what stands after its last carriage return. nbclient's ``coalesce_streams`` does the same by
    an expression that takes a time quadratic in the length of a line.

    >>> from nbformat.v4 import new_output
    >>> pieces = [new_output("stream", text="1 of 2\\r"), new_output("stream", text="2 of 2\\n")]
    >>> [output.text for output in join_streams(pieces)]
    ['2 of 2\\n']
    """
    pieces: dict[str, list[str]] = {}
    joined = []
    for output in outputs:
        if output.output_type != "stream":
            joined.append(output)
            continue
        if output.name not in pieces:
            joined.append(output)
        pieces.setdefault(output.name, []).append(output.text)
    for output in joined:
        if output.output_type == "stream":
            output.text = "\n".join(map(last_writing, "".join(pieces[output.name]).split("\n")))
    for i in range(len(joined) - 1):  # the order of two streams is chance: errors come second
        if [each.get("name") for each in joined[i : i + 2]] == ["stderr", "stdout"]:
            joined[i : i + 2] = reversed(joined[i : i + 2])
    return joined


def last_writing(line: str) -> str:
    """Return what a terminal shows of a line: the text after the last carriage return within it."""
    text = line.rstrip("\r")
    return text[text.rfind("\r") + 1 :] + line[len(text) :]

"""How a generated web gets its hosts and links: the copying model inside a planted bow-tie.

n      number of pages, numbered by age; each part of the bow-tie is a range of them
first  int64 (8,): pages first[r] … first[r + 1] − 1 make up part r
seed   every draw is splitmix64 of a seed and a counter, so a web is the same on every machine

Hosts: sizes are drawn with P(size > k) = m / (m + k), a power law with exponent 2 and median m + 1.
Links: how many a page has is geometric. Each stays on the host, to its home page or any other; or is copied
from an older page of the same part; or goes to a page drawn uniformly from that part or the one that it leads
to. Copying favours pages that are linked to already: in-degrees become a power law.

Outside the core all links within a part go to older pages: no cycles but those of the core.

Differs from the paper: the link copied is any of the older page's, not the one at the same place.
Source: Kumar et al. (2000).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ircourse.graphs.generators import draws
from ircourse.kernels import kernel

__all__ = ["LEADS_TO", "copy_links", "host_sizes", "mixed"]

# core, in, out, tubes, tendrils that in leads to, tendrils that lead to out, other
LEADS_TO = np.array([2, 0, -1, 2, -1, 2, -1])

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
S27, S30, S31, S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
HALF = np.uint64(1 << 63)


def mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the next outputs of splitmix64 after the states ``x``, uint64 of any shape."""
    x = x + GOLDEN
    x = (x ^ (x >> S30)) * MIX_1
    x = (x ^ (x >> S27)) * MIX_2
    return x ^ (x >> S31)


def host_sizes(seed: int, n: int, m: int, largest: int) -> NDArray[np.int64]:
    """Return sizes of hosts that sum to n, none above ``largest``, half of them above m."""
    d = (draws(seed, n) >> S32).astype(np.int64) + 1
    sizes = np.minimum(1 + (m * (2**32 - d)) // d, largest)
    ends = np.minimum(np.cumsum(sizes), n)
    filled: NDArray[np.int64] = np.diff(ends[: np.searchsorted(ends, n) + 1], prepend=0)
    return filled


# Of this file: one that calls a kernel of another is compiled afresh in every process.
mix = kernel("uint64(uint64)")(mixed)


@kernel("int64(uint64, int64)")
def below(draw, n):  # type: ignore[no-untyped-def]
    """Return a number from 0 to n − 1, n below 2**32, uniform if ``draw`` is."""
    return np.int64(((draw >> S32) * np.uint64(n)) >> S32)


@kernel("int64(uint64, int64, int64, int64, int64)")
def older_or_beyond(draw, from_, until, beyond_from, beyond_until):  # type: ignore[no-untyped-def]
    """Return a page from either range with equal chances; from the other where one is empty; −1 for none."""
    here, beyond = until - from_, beyond_until - beyond_from
    if beyond > 0 and (here == 0 or draw < HALF):
        return beyond_from + below(mix(draw), beyond)
    return from_ + below(mix(draw), here) if here > 0 else -1


@kernel(
    "void(uint64, const int64[::1], const int64[::1], const int64[:, ::1], const int64[::1],"
    " const int64[::1], uint64, uint64, int64[::1])"
)
def copy_links(  # type: ignore[no-untyped-def]
    seed, first, leads_to, homes, pages, indptr, local, copied, targets
):
    """Fill in where each link goes: ``targets`` (indptr[n],), −1 where there is no page to link to.

    pages   the pages host by host, those of a host in order of age
    homes   int64 (n, 3): where in ``pages`` the host of a page begins, where it ends, where the page is
    local   chance that a link stays on the host
    copied  chance that another link is copied
    """
    for r in range(len(first) - 1):
        to = leads_to[r]
        beyond_from, beyond_until = (first[to], first[to + 1]) if to >= 0 else (0, 0)
        for i in range(first[r], first[r + 1]):
            state = mix(seed + np.uint64(i))
            newest = first[r + 1] if r == 0 else i
            known = homes[i, 1] if r == 0 else homes[i, 2]
            for e in range(indptr[i], indptr[i + 1]):
                state = state + GOLDEN
                draw, choice = mix(state), mix(~state)
                target = -1
                if draw < local and known > homes[i, 0]:
                    at = 0 if mix(draw) < HALF else below(choice, known - homes[i, 0])
                    target = pages[homes[i, 0] + at]
                elif mix(draw) < copied and i > first[r]:
                    model = first[r] + below(choice, i - first[r])
                    if indptr[model] < indptr[model + 1]:
                        target = targets[
                            indptr[model] + below(mix(choice), indptr[model + 1] - indptr[model])
                        ]
                if target < 0:
                    target = older_or_beyond(mix(choice), first[r], newest, beyond_from, beyond_until)
                targets[e] = target

"""Karp and Rabin's rolling fingerprints (slides, duplication).

A    a string a_1 a_2 … a_m of bytes, read as a number with digits in base d
p    a prime, at best drawn at random below U
f(A) = A mod p, the fingerprint
h    = d^(m−1) mod p, what the first digit is worth
The window that stands one byte on, B = a_2 … a_(m+1), has f(B) = (d (f(A) − a_1 h) + a_(m+1)) mod p: one
step, whatever m is. Different strings of b bits meet in a false hit if p divides A − B, which has fewer than
b prime divisors; over U / ln U primes lie below U (U ≥ 17), so the chance is below b ln U / U.

Differs from the slides: the update takes f(A), not A; strings have one length, so no leading 1 is needed,
which the shifted window would not have; the divisors are compared with the primes below U, not with U (C33).
Source: Karp and Rabin (1987); Rosser and Schoenfeld (1962) for the number of primes.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ircourse.kernels import kernel

__all__ = ["false_hit_bound", "is_prime", "karp_rabin", "karp_rabin_find", "random_prime"]

Hashes: TypeAlias = NDArray[np.uint64]

PRIME = 2**56 - 5  # the largest whose product with the base 256 stays below 2^64
_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)  # enough for Miller and Rabin's test below 2^64


def karp_rabin(data: bytes | str, width: int, prime: int = PRIME, base: int = 256) -> Hashes:
    """Return the fingerprint of each window of ``width`` bytes, from left to right, uint64; O(n).

    data   bytes, or a ``str`` for its UTF-8 bytes; shorter than the width: no window
    prime  p, at least 2; it and the base, or 256 if that is more, must have a product of at most 2^64
    base   d, at least 2

    >>> karp_rabin("abracadabra", 3, prime=101).tolist()
    [4, 30, 17, 41, 11, 95, 97, 4, 30]
    """
    data = _bytes(data)
    if width < 1:
        raise ValueError(f"width is {width}: give a number of bytes of at least 1")
    if prime < 2 or base < 2 or prime * max(base, 256) > 2**64:
        raise ValueError(f"prime {prime} with base {base}: give a product of at most 2**64, both at least 2")
    out = np.empty(max(0, len(data) - width + 1), np.uint64)
    if len(out):
        h = pow(base, width - 1, prime)
        _roll(np.frombuffer(data, np.uint8), width, np.uint64(prime), np.uint64(base), np.uint64(h), out)
    return out


def karp_rabin_find(
    data: bytes | str, pattern: bytes | str, prime: int = PRIME, base: int = 256
) -> tuple[list[int], list[int]]:
    """Return where ``pattern`` stands in ``data``, and where its fingerprint does but not it: the false hits.

    Positions are of bytes. Raises ValueError for an empty pattern, which has no fingerprint.

    >>> karp_rabin_find("the cat sat on the mat", "at", prime=3)
    ([5, 9, 20], [7, 18])
    """
    data, pattern = _bytes(data), _bytes(pattern)
    if not pattern:
        raise ValueError("the pattern is empty: give at least one byte")
    sought = karp_rabin(pattern, len(pattern), prime, base)[0]
    hits = np.flatnonzero(karp_rabin(data, len(pattern), prime, base) == sought).tolist()
    true = [i for i in hits if data[i : i + len(pattern)] == pattern]
    return true, sorted(set(hits) - set(true))


def false_hit_bound(bits: int, upper: int) -> float:
    """Return a bound on the chance of a false hit: strings of ``bits``, a random prime below ``upper``.

    >>> false_hit_bound(8 * 1000, 2**55) < 1e-11
    True
    """
    if bits < 1 or upper < 17:
        raise ValueError(f"{bits} bits and primes below {upper}: give at least 1 and at least 17")
    return min(1.0, bits * math.log(upper) / upper)


def random_prime(upper: int, rng: np.random.Generator | int) -> int:
    """Return a prime below ``upper``, each with the same chance; 3 ≤ upper ≤ 2^63.

    >>> random_prime(2**55, 0)
    2266049147240729
    """
    if not 3 <= upper <= 2**63:
        raise ValueError(f"upper is {upper}: give a number from 3 to 2**63")
    rng = np.random.default_rng(rng)
    while True:
        candidate = int(rng.integers(2, upper))
        if is_prime(candidate):
            return candidate


def is_prime(n: int) -> bool:
    """Return whether ``n``, below 2^64, is prime: Miller and Rabin's test, with no error in that range.

    >>> [n for n in range(30) if is_prime(n)]
    [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
    """
    if n >= 2**64:
        raise ValueError(f"{n} is too large: give a number below 2**64")
    if n < 2 or any(n % p == 0 for p in _WITNESSES):
        return n in _WITNESSES
    twos = ((n - 1) & (1 - n)).bit_length() - 1
    for witness in _WITNESSES:
        x = pow(witness, (n - 1) >> twos, n)
        if x not in (1, n - 1) and all((x := x * x % n) != n - 1 for _ in range(twos - 1)):
            return False
    return True


def _bytes(data: bytes | str) -> bytes:
    if isinstance(data, str):
        return data.encode("utf-8", "surrogatepass")
    if isinstance(data, bytes):
        return data
    raise TypeError(f"data is a str or bytes, not {type(data).__name__}: {data!r:.60}")


@kernel("void(const uint8[::1], int64, uint64, uint64, uint64, uint64[::1])")
def _roll(data: NDArray[np.uint8], width: int, p: np.uint64, d: np.uint64, h: np.uint64, out: Hashes) -> None:
    """Fill ``out``. No product overflows: a digit or d, times something below p."""
    f = np.uint64(0)
    for i in range(width):
        f = (d * f + np.uint64(data[i])) % p
    out[0] = f
    for i in range(len(out) - 1):
        first = np.uint64(data[i]) * h % p
        f = (d * ((f + p - first) % p) + np.uint64(data[i + width])) % p
        out[i + 1] = f

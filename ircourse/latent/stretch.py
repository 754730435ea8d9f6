"""What a map to fewer dimensions does to distances, norms, inner products and cosines (slides-P).

u, v    points, columns of X, float64 (m, n);  f(u), f(v)  their images, columns of Y, float64 (k, n)
ε       how far a squared distance may be stretched

Random projection keeps each squared distance within 1 ± ε but for a probability of at most
2 exp(−k (ε²/2 − ε³/3) / 2). Norms are distances from 0 (the case v = 0). As uᵗv = (‖u + v‖² − ‖u − v‖²) / 4,
where the sums and differences of two unit vectors are kept within 1 ± ε, their inner product moves by at most
ε, whatever it was: a cosine of 0.9 stays about 0.9, one of 0.01 may become anything between −ε and ε.

Source: slides-P; Dasgupta and Gupta (2003).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ircourse.latent.arrays import Floats, Matrix, as_matrix, counted, dense

__all__ = ["Stretch", "miss_probability", "stretch"]


@dataclass(frozen=True, eq=False)
class Stretch:
    """Before and after a projection of n points, each an array of float64.

    norms      ‖f(u)‖² / ‖u‖², (n,)
    distances  ‖f(u) − f(v)‖² / ‖u − v‖² of each pair, in the order (0, 1), (0, 2), …, (1, 2), …
    products   f(u)ᵗf(v) − uᵗv of each pair
    cosines    cos(f(u), f(v)) − cos(u, v) of each pair, a zero vector's cosine being 0

    A ratio whose denominator is 0 (a zero vector, two equal points) is 1 where the image agrees, else ∞.
    """

    norms: Floats
    distances: Floats
    products: Floats
    cosines: Floats


def stretch(points: Matrix, images: Matrix) -> Stretch:
    """Return how a map moved points, columns (m, n), that it sent to ``images``, columns (k, n).

    Takes 8 n² bytes several times over. Raises ValueError where there is not an image for each point.

    >>> stretch([[3, 0], [4, 1]], [[3, 0]]).norms.round(4).tolist()
    [0.36, 0.0]
    """
    X, Y = as_matrix(points), as_matrix(images)
    if X.shape[1] != Y.shape[1]:
        raise ValueError(f"there are {X.shape[1]} points and {Y.shape[1]} images: give one for each")
    pairs = np.triu_indices(X.shape[1], 1)
    before, after = dense(X.T @ X), dense(Y.T @ Y)
    lengths = np.diag(after)
    return Stretch(
        _ratio(lengths, np.diag(before), 0 * lengths),
        _ratio(
            _squared_distances(after)[pairs],
            _squared_distances(before)[pairs],
            (lengths[:, np.newaxis] + lengths)[pairs],
        ),
        (after - before)[pairs],
        (_cosines(after) - _cosines(before))[pairs],
    )


def miss_probability(k: int, epsilon: float) -> float:
    """Return the bound 2 exp(−k (ε²/2 − ε³/3) / 2), at most 1, on one squared distance leaving 1 ± ε.

    >>> round(miss_probability(100, 0.5), 4)
    0.031
    """
    if not 0 < epsilon < 1:
        raise ValueError(f"epsilon is {epsilon}: give a number between 0 and 1")
    return min(1.0, 2 * math.exp(-counted(k, "k") * (epsilon**2 / 2 - epsilon**3 / 3) / 2))


def _squared_distances(gram: Floats) -> Floats:
    """Return ‖u − v‖² for all pairs, from the inner products; 0 where they differ by rounding alone."""
    squares = np.diag(gram)
    sums = squares[:, np.newaxis] + squares
    distances = sums - 2 * gram
    distances[distances <= 1e-14 * sums] = 0.0
    return distances


def _cosines(gram: Floats) -> Floats:
    lengths = np.sqrt(np.diag(gram))
    inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    cosines: Floats = gram * inverse * inverse[:, np.newaxis]
    return cosines


def _ratio(after: Floats, before: Floats, size: Floats) -> Floats:
    """Return the ratio; where ``before`` is 0, 1 if ``after`` is rounding and ∞ otherwise.

    size  ‖f(u)‖² + ‖f(v)‖²: a map may round the images of two equal points differently
    """
    rounding = np.maximum(1e-12 * size, 1e-20 * after.max(initial=0.0))
    ratio = np.where(after > rounding, np.inf, 1.0)
    return np.divide(after, before, out=ratio, where=before > 0)

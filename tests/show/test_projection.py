"""What the explorers of random projection show is what the package computes."""

import numpy as np

from ircourse.latent import random_projection, stretch
from ircourse.show.latent_search import saltmere
from ircourse.show.projection import distances_kept, points, two_maps


def test_points_are_distinct_pages():
    pages, A = points()
    assert A.shape == (1475, len(pages)) and len(pages) > 200
    assert stretch(A, A).distances.max() < 1 + 1e-9


def test_the_histogram_counts_every_pair():
    explorer = distances_kept()
    for k in (2, 400):
        explorer.controls["k"].widget.value = k
        rows = explorer._table(explorer.trace[0])[1:]
        n = len(points()[0])
        assert sum(count for _, count in rows) == n * (n - 1) // 2


def test_the_share_outside_the_band():
    explorer, A = distances_kept(), points()[1]
    ratios = stretch(A, random_projection(1475, 50, "sign") @ A).distances
    share = (abs(ratios - 1) > 0.5).mean()
    assert explorer.trace[0].outside == share and f"{share:.1%} of " in explorer.alt()


def test_the_two_maps():
    maps = two_maps().trace[0]
    pages, A = points()
    images = saltmere().model.truncate(50).documents[:, pages]
    assert np.allclose(maps.images[0] / maps.before, stretch(A, images).distances[::61])
    assert maps.middle(0) < 0.6 < 0.9 < maps.middle(1) < 1.1

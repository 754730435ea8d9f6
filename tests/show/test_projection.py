"""What the explorers of random projection show is what the package computes."""

import numpy as np

from ircourse.latent import random_projection, stretch
from ircourse.show.latent_search import saltmere
from ircourse.show.projection import distances_kept, points, two_maps
from ircourse.show.projection_entries import KINDS, entries, lengths_kept


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


def test_entries_have_variance_1_and_the_means_that_are_told():
    for kind in KINDS:
        made = entries(kind, 1000, 400, rng=1)
        # 400,000 numbers: the mean's standard error is 0.0016, that of the rare ones' variance 0.16
        assert abs(made.mean() - (kind == "mean 1")) < 0.008
        assert abs(made.var() - 1) < (0.6 if kind == "rare" else 0.02)


def test_lengths_under_the_package_s_entries_are_kept_and_under_the_others_not():
    explorer = lengths_kept()
    outside = {}
    for kind in KINDS:
        for vector in ("one term", "all terms", "sum 0"):
            explorer.controls["kind"].widget.value, explorer.controls["vector"].widget.value = kind, vector
            now = explorer.trace[0]
            assert (now.kind, now.vector) == (kind, vector)
            outside[kind, vector] = (abs(now.lengths - 1) > 0.5).mean()
            rows = explorer._table(now)[1:]
            assert sum(count for _, count in rows) == 200
    assert max(outside[kind, vector] for kind, vector in outside if kind in KINDS[:3]) < 0.1
    assert outside["mean 1", "all terms"] == outside["rare", "one term"] == 1
    assert outside["mean 1", "sum 0"] < 0.1


def test_the_edges_of_the_band_are_written_apart():
    explorer = distances_kept()
    for epsilon in (0.05, 0.95):
        explorer.controls["epsilon"].widget.value = epsilon
        assert f"1 ± {epsilon:g}." in explorer.alt() and "Standard deviation 0.196" in explorer.alt()

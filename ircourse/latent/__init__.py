"""Latent semantic indexing and random projection (book, chapter 18; slides-P)."""

from ircourse.latent.cosine import cosines, order, ranked
from ircourse.latent.evaluation import (
    PrecisionRecall,
    average_precision,
    interpolated_precision,
    mean_average_precision,
    precision_recall,
)
from ircourse.latent.lsi import LSI, lsi
from ircourse.latent.projection import Projection, jl_dimension, random_projection
from ircourse.latent.smart import Collection, five_topics, read_smart
from ircourse.latent.stretch import Stretch, miss_probability, stretch
from ircourse.latent.svd import SVD, svd, svd_dense, svd_gram, svd_lanczos, svd_randomized
from ircourse.latent.terms import TermDocument

__all__ = [
    "LSI",
    "SVD",
    "Collection",
    "PrecisionRecall",
    "Projection",
    "Stretch",
    "TermDocument",
    "average_precision",
    "cosines",
    "five_topics",
    "interpolated_precision",
    "jl_dimension",
    "lsi",
    "mean_average_precision",
    "miss_probability",
    "order",
    "precision_recall",
    "random_projection",
    "ranked",
    "read_smart",
    "stretch",
    "svd",
    "svd_dense",
    "svd_gram",
    "svd_lanczos",
    "svd_randomized",
]

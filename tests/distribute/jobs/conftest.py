"""One cluster of two real processes for all tests of jobs."""

import pytest

from ircourse.distribute import local_cluster


@pytest.fixture(scope="package")
def client():
    with local_cluster(2) as client:
        yield client

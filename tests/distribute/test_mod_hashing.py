"""Hash mod D: the share that moves, counted over all remainders, and what is refused."""

from math import lcm

import numpy as np
import pytest

from ircourse.distribute import ModHashing, mod_moved, mod_node
from ircourse.distribute.hashing import key_id


@pytest.mark.parametrize("before", range(1, 9))
@pytest.mark.parametrize("after", range(1, 9))
def test_the_share_that_moves_is_counted_over_all_remainders(before, after):
    period = lcm(before, after)
    moved = sum(h % before != h % after for h in range(period))
    assert mod_moved(before, after) == pytest.approx(moved / period, abs=1e-15)


def test_many_keys_go_where_single_ones_go():
    keys = [f"site{i}.example" for i in range(100)]
    seven = ModHashing(7)
    assert seven.nodes_for(keys) == [mod_node(key, 7) for key in keys] == [key_id(key) % 7 for key in keys]
    assert [seven.node_for(key) for key in keys] == seven.numbers_for(keys).tolist()
    assert seven.numbers_for(np.arange(3, dtype=np.uint64)).dtype == np.int64


@pytest.mark.parametrize("d", [0, -1, 1.5, True, "3"])
def test_what_is_no_number_of_nodes_is_refused(d):
    for call in (
        lambda: mod_node("x", d),
        lambda: ModHashing(d),
        lambda: mod_moved(d, 2),
        lambda: mod_moved(2, d),
    ):
        with pytest.raises(ValueError, match="at least 1"):
            call()

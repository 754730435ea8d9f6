"""The documentation texts are there, in order, and nothing is imported for them."""

import sys

from ircourse.web import documentation_texts


def test_topics_and_modules_are_there_and_nothing_is_imported():
    before = set(sys.modules)
    texts = documentation_texts()
    assert set(sys.modules) <= before | {"pydoc_data", "pydoc_data.topics"}
    assert list(texts) == sorted(texts)
    assert all(len(text) >= 200 for text in texts.values())
    kinds = [name.split("/")[0] for name in texts]
    assert kinds.count("topic") > 50 and kinds.count("module") > 50
    assert "JSON" in texts["module/json"] and "while" in texts["topic/while"]

"""What a cell printed, in one piece a stream."""

from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_output

from ircourse.notebooks.client import join_streams


def out(text, name="stdout"):
    return new_output("stream", name=name, text=text)


FIGURE = new_output("display_data", {"text/plain": "figure"})


def joined(*outputs):
    return [output.get("text", "figure") for output in join_streams(list(outputs))]


def test_pieces_around_a_figure_stand_before_it():
    assert joined(out("a\n"), FIGURE, out("b\n")) == ["a\nb\n", "figure"]


def test_standard_error_comes_second_where_both_are_neighbours():
    assert joined(out("no\n", "stderr"), out("a\n"), out("b\n")) == ["a\nb\n", "no\n"]
    assert joined(out("no\n", "stderr"), FIGURE, out("a\n")) == ["no\n", "figure", "a\n"]


def test_a_bar_of_progress_shows_its_end():
    bar = [out(f"\r{n}%") for n in range(0, 101, 10)]
    assert joined(*bar, out("\ndone\r\n")) == ["100%\ndone\r\n"]


def test_a_line_of_a_million_characters_takes_no_time():
    assert joined(out("x" * 10**6)) == ["x" * 10**6]


@given(st.lists(st.text(alphabet="ab\n")))
def test_text_without_returns_is_kept(texts):
    assert joined(*map(out, texts)) == (["".join(texts)] if texts else [])

"""Every explorer of the package is found, driven through its range, and fed hostile names."""

import base64
import importlib
import inspect
import json
import pkgutil
from html.parser import HTMLParser

import pytest

import ircourse.show.explorer
from ircourse.show import svg
from ircourse.show.controls import HOSTILE, Choice, Number, Text
from ircourse.show.forms import Comparison, Editor, Sliders, Table
from ircourse.show.player import Player

ALLOWED = svg.TAGS | {"tbody"}
HOSTILE_WEB = {HOSTILE: [HOSTILE, "b", "javascript:alert(1)"], "b": [HOSTILE], "</svg><script>": ["'\""]}
# What a test gives for a parameter that takes names from outside.
FROM_OUTSIDE = {"web": HOSTILE_WEB, "edges": f"A B\n{HOSTILE}"}


def factories():
    """Every public function under ircourse.show that says it returns an Explorer."""
    for module in pkgutil.iter_modules(ircourse.show.__path__, "ircourse.show."):
        for name, thing in vars(importlib.import_module(module.name)).items():
            here = inspect.isfunction(thing) and thing.__module__ == module.name
            if here and not name.startswith("_") and thing.__annotations__.get("return") == "Explorer":
                yield pytest.param(thing, id=f"{module.name.removeprefix('ircourse.show.')}.{name}")


FACTORIES = list(factories())


class Checked(HTMLParser):
    """Fails on any tag or attribute that could run or load something."""

    def handle_starttag(self, tag, attrs):
        assert tag in {t.lower() for t in ALLOWED}, tag
        for name, value in attrs:
            assert not name.startswith("on"), name
            assert name not in ("href", "srcset", "action"), name
            if name == "src":
                assert value.startswith("data:image/svg+xml;base64,")


def check(explorer):
    if explorer._twin.value == "":
        explorer.fold.click()
    for html in (explorer._says.value, explorer._view.value, explorer._twin.value, str(explorer.static())):
        Checked().feed(html)
    assert svg.NOT_IN_XML.search(explorer._view.value) is None


def test_explorers_are_found():
    names = {p.id for p in FACTORIES}
    wanted = {
        "graphs.search_a_graph",
        "spiders.watch_spiders",
        "seeds.cover_with_seeds",
        "seeds.count_in_links",
        "start.try_an_explorer",
    }
    assert wanted <= names


@pytest.mark.parametrize("make", FACTORIES)
def test_driven_through_its_range(make):
    explorer = make()
    at, before = explorer.at, {n: c.widget.value for n, c in explorer.controls.items()}
    assert explorer.drive(12) > 0
    assert explorer.at == at
    assert {n: c.widget.value for n, c in explorer.controls.items()} == before
    check(explorer)


@pytest.mark.parametrize("make", FACTORIES)
def test_hostile_names_stay_text(make):
    taken = {
        name: value for name, value in FROM_OUTSIDE.items() if name in inspect.signature(make).parameters
    }
    explorer = make(**taken)
    check(explorer)
    for control in explorer.controls.values():
        for value in control.range(4):
            control.widget.value = value
            check(explorer)
    explorer.drive(6)
    check(explorer)


@pytest.mark.parametrize("make", FACTORIES)
def test_static_picture_words_and_table(make):
    bundle = make()._repr_mimebundle_()
    again = make()._repr_mimebundle_()
    assert bundle["text/plain"] == again["text/plain"] and len(bundle["text/plain"]) > 20
    assert bundle["text/html"] == again["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in bundle
    found = {}

    class Look(HTMLParser):
        def handle_starttag(self, tag, attrs):
            found.setdefault(tag, dict(attrs))

    Look().feed(bundle["text/html"])
    assert found["img"]["alt"] == bundle["text/plain"]
    picture = base64.b64decode(found["img"]["src"].split(",")[1]).decode()
    assert picture.startswith("<svg ") and "<text" in picture
    assert {"table", "details"} <= set(found)


@pytest.mark.parametrize("make", FACTORIES)
def test_several_on_a_page_do_not_share_state(make):
    one, two = make(), make()
    before = two._view.value
    one.drive(3)
    for control in one.controls.values():
        control.widget.value = control.range(3)[-1]
    assert two._view.value == before


@pytest.mark.parametrize("make", FACTORIES)
def test_text_is_no_smaller_than_the_notebooks(make):
    sizes = [float(part.split('"')[0]) for part in str(make().picture()).split('font-size="')[1:]]
    assert sizes and min(sizes) >= 12  # marks in a legend; names and numbers are 14
    assert sizes.count(12.0) <= 5


def words(state):
    return f"The state is {state}."


def picture(state):
    return svg.Drawing(60, 20, svg.label(str(state), 0, 15))


def rows(state):
    return [["what", "value"], ["state", state]]


def broken(state):
    if state == 7:
        raise RuntimeError("seven")
    return picture(state)


def test_a_broken_explorer_fails_when_driven_and_says_so():
    explorer = Player(lambda: range(9), broken, words, rows, title="Broken")
    with pytest.raises(RuntimeError, match="seven"):
        explorer.drive()
    assert "This explorer failed" in explorer._says.value


def test_a_broken_step_fails_when_set_and_when_clicked():
    explorer = Player(lambda: range(9), broken, words, rows, title="Broken", start=6)
    explorer.buttons["step"].click()  # ipywidgets swallows what a click raises
    assert isinstance(explorer.failure, RuntimeError)
    assert "RuntimeError: seven" in explorer._says.value
    explorer.go(8)
    assert explorer.failure is None and "The state is 8." in explorer._says.value
    with pytest.raises(RuntimeError, match="seven"):
        explorer.slider.value = 7


def test_a_broken_control_fails_when_set():
    explorer = Sliders(
        lambda n: 10 / n, picture, words, rows, title="x", controls={"n": Number("n", 0, 5, 5)}
    )
    with pytest.raises(ZeroDivisionError):
        explorer.controls["n"].widget.value = 0
    explorer.controls["n"].widget.value = 2
    assert "5.0" in explorer._says.value


def test_only_drawings_reach_the_page():
    with pytest.raises(AttributeError):
        Player(lambda: [1], lambda s: "<b>raw</b>", words, rows, title="x")


def test_no_state_is_an_error():
    with pytest.raises(ValueError, match="no state"):
        Player(list, picture, words, rows, title="Empty")


def test_the_player_walks():
    player = Player(lambda: range(5), picture, words, rows, title="Walk", start=1)
    seen = [player.at]
    for name in ("step", "end", "step", "back", "start", "back"):
        player.buttons[name].click()
        seen.append(player.at)
    assert seen == [1, 2, 4, 4, 3, 0, 0]
    assert not any(button.disabled for button in player.buttons.values())  # a disabled one loses the focus
    player.number.value = 3
    assert player.at == 3 and "Step 3 of 4." in player._says.value


def test_play_runs_in_the_browser_and_begins_again_at_the_end():
    player = Player(lambda: range(5), picture, words, rows, title="Walk", start=4)
    player.buttons["play"].click()
    assert player.clock.playing and player.at == 0
    assert "Pause" in player.buttons["play"].description
    player.clock.playing = False
    assert "Play" in player.buttons["play"].description


def test_a_trace_of_ten_thousand_states_is_drawn_only_where_it_is_shown():
    drawn = []

    def draw(state):
        drawn.append(state)
        return picture(state)

    player = Player(lambda: range(10_000), draw, words, rows, title="Long")
    assert len(drawn) <= 2
    player.buttons["end"].click()
    assert drawn[-1] == 9_999 and len(drawn) <= 4
    while player.speed != "all in 10 s":
        player.buttons["speed"].click()
    assert 10_000 / player.clock.step * player.clock.interval <= 15_000  # milliseconds


def test_the_step_stays_where_the_new_trace_has_it():
    sizes = {"n": Number("n", 2, 9, 9)}
    player = Player(lambda n: range(n), picture, words, rows, title="x", controls=sizes, start=5)
    player.controls["n"].widget.value = 7
    assert player.at == 5
    player.controls["n"].widget.value = 3
    assert (player.at, player.number.value, player.slider.max) == (2, 2, 2)
    assert "Step 2 of 2." in player._says.value


def test_a_change_begins_at_the_first_state_with_one_redraw():
    drawn = []

    def draw(state):
        drawn.append(state)
        return picture(state)

    sizes = {"n": Number("n", 2, 9, 9)}
    player = Player(lambda n: range(n), draw, words, rows, title="x", controls=sizes, start=3)
    player.go(7)
    player.controls["n"].widget.value = 8
    assert drawn == [3, 7, 3] and player.number.value == player.at == 3


def test_one_change_is_one_redraw():
    drawn = []

    def draw(state):
        drawn.append(state)
        return picture(state)

    sizes = {"n": Number("n", 2, 9, 9)}
    player = Player(lambda n: range(n), draw, words, rows, title="x", controls=sizes, start=8)
    del drawn[:]
    player.controls["n"].widget.value = 3
    player.buttons["back"].click()
    assert drawn == [2, 1]


def test_what_cannot_be_read_is_told_and_the_last_picture_stays():
    def parse(text):
        return int(text)

    editor = Editor(
        Text("Number", "3", parse), lambda text: range(text), picture, words, rows, title="Edit", start=2
    )
    before = editor._view.value
    editor.controls["text"].widget.value = "many"
    assert "invalid literal" in editor._says.value and 'role="alert"' in editor._says.value
    assert editor._view.value == before and editor.failure is None
    editor.controls["text"].widget.value = "4"
    assert "The state is 2." in editor._says.value


def test_a_comparison_lets_the_shorter_trace_wait():
    both = Comparison(("left", "right"), lambda: ([1, 2], [5, 6, 7]), picture, words, rows, title="Two")
    both.buttons["end"].click()
    assert "left: The state is 2. right: The state is 7." in both._says.value
    assert both._table(both.trace[2]) == [
        ["side", "what", "value"],
        ["left", "state", 2],
        ["right", "state", 7],
    ]
    both.drive()


def test_a_table_shows_its_values_and_nothing_folded():
    options = {"n": Choice("n", [("one", 1), ("two", 2)])}
    table = Table(lambda n: n, words, rows, title="Values", controls=options)
    assert table.fold not in table.children and "<td" in table._view.value
    table.drive()
    assert "<img" in table._repr_mimebundle_()["text/html"]


def test_the_kernels_share_of_a_redraw_is_measured_from_the_change(monkeypatch):
    clock = iter(range(100))  # looked at once before a change is followed and once after
    monkeypatch.setattr(ircourse.show.explorer.time, "perf_counter", lambda: next(clock))

    def states(n):
        for _ in range(n):
            next(clock)  # what computing the states takes
        return range(5)

    player = Player(states, picture, words, rows, title="x", controls={"n": Number("n", 0, 9, 3)}, start=1)
    assert player.redraw_seconds == 1 + 3
    player.controls["n"].widget.value = 7
    assert player.redraw_seconds == 1 + 7
    player.go(3)
    assert player.redraw_seconds == 1


def test_a_long_text_is_cut_wherever_it_is_shown():
    long = "x" * 1_000_000

    def fails():
        raise RuntimeError(long)

    player = Player(lambda: [0, 1], picture, lambda s: long, lambda s: [[long], [long]], title="x")
    player.fold.click()
    with pytest.raises(RuntimeError):
        player._guarded(fails)
    shown = player._says.value + player._view.value + player._twin.value + str(player.static())
    assert len(shown) < 60_000


def test_views_say_what_they_are():
    assert repr(Player(lambda: [1], picture, words, rows, title="Walk")) == "<Player: Walk>"
    json.dumps(Player(lambda: [1], picture, words, rows, title="Walk")._repr_mimebundle_())


def test_options_are_buttons_that_say_which_is_chosen():
    options = {"n": Choice("Kind", [("one", 1), ("two", 2)])}
    player = Sliders(lambda n: n, picture, words, rows, title="x", controls=options)
    control = player.controls["n"].widget
    assert [b.description for b in control.buttons.values()] == ["● one", "○ two"]
    control.buttons["two"].click()
    assert [b.description for b in control.buttons.values()] == ["○ one", "● two"]
    assert control.value == 2 and "The state is 2." in player._says.value
    with pytest.raises(ValueError, match="3 is none of the options: use one of one, two"):
        control.value = 3


def test_the_table_opens_follows_and_folds():
    player = Player(lambda: range(5), picture, words, rows, title="x")
    assert player._twin.value == ""
    player.fold.click()
    player.buttons["end"].click()
    assert ">4</td>" in player._twin.value and player.fold.description.startswith("\u25be")
    player.fold.click()
    assert player._twin.value == "" and player.fold.description.startswith("\u25b8")


def test_a_broken_table_fails_when_driven():
    with pytest.raises(ZeroDivisionError):
        Player(lambda: [1, 0], picture, words, lambda state: [["x"], [1 / state]], title="x").drive()

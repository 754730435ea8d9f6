"""Nothing hostile survives, sizes add up, labels do not overlap."""

import base64
import itertools
import random
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.show import style, svg
from ircourse.show.graph_svg import GraphPicture, legend
from ircourse.show.layout import BOX_HEIGHT
from ircourse.show.lists_svg import grid, queue, set_of, stack

ANY_TEXT = st.text(st.characters(), max_size=40) | st.sampled_from(
    [
        "<script>alert(1)</script>",
        '" onload="alert(1)',
        "]]><b>",
        "&amp;",
        "\x00\ud800\ufffe",
        "'><img src=x>",
    ]
)


def parsed(markup):
    return ET.fromstring(str(markup))


@given(ANY_TEXT)
def test_text_comes_out_as_it_went_in_and_makes_no_markup(text):
    element = parsed(svg.element("text", text, aria_label=text))
    clean = svg.NOT_IN_XML.sub("\ufffd", text).replace("\r\n", "\n").replace("\r", "\n")
    assert len(element) == 0
    assert (element.text or "") == clean
    assert list(element.attrib) == ["aria-label"]


@pytest.mark.parametrize("tag", ["script", "foreignObject", "iframe", "style", "a", "svg onload=x", "image"])
def test_no_tag_that_runs_or_loads(tag):
    with pytest.raises(ValueError, match="no picture needs"):
        svg.element(tag)


@pytest.mark.parametrize(
    "attribute",
    [
        *("onclick", "href", "xlink:href", "formaction", "id", "srcdoc"),
        *("data-x onclick", "data-x/onclick", "aria-label\nonclick", "data-", "data-x\n", "aria", "onclick_"),
    ],
)
def test_no_attribute_that_runs_or_loads(attribute):
    with pytest.raises(ValueError, match="no picture needs"):
        svg.element("g", **{attribute: "x"})


LOADING = [
    ("style", "background: url(http://a.example/)"),
    ("style", "background:image-set('https://a.example/x.png' 1x)"),
    ("style", "background: image-set('https://a.example/x.png' 1x)"),
    ("style", "background: u\\72l(http://a.example/)"),
    ("style", "background: u/**/rl(x)"),
    ("style", "color: red; cursor: -webkit-cross-fade(x, y)"),
    ("style", "color: red;\nbackground: url(x)"),
    ("style", "x: expression(1)"),
    ("style", "@import 'x'"),
    ("fill", "url(https://a.example/#x)"),
    ("stroke", "URL (https://a.example/#x)"),
    ("stroke", "image(x)"),
    ("font_family", "x; background: url(x)"),
    ("transform", "url(x)"),
    ("transform", "translate(1 2) url(x)"),
    ("d", "M0 0\n/x"),
    ("src", "http://a.example/x.svg"),
    ("src", "data:text/html;base64,xx"),
    ("src", "data:image/svg+xml;utf8,<svg onload=x>"),
    ("xmlns", "http://www.w3.org/1999/xhtml"),
    ("class_", "a:b"),
]


@pytest.mark.parametrize(("name", "value"), LOADING)
def test_no_value_that_loads(name, value):
    with pytest.raises(ValueError, match="could load or run something"):
        svg.element("g", **{name: value})


@given(st.sampled_from(sorted(svg.ATTRIBUTES - {"alt", "title"})), st.text(max_size=30))
def test_a_value_is_refused_or_holds_nothing_that_calls(name, value):
    try:
        written = str(svg.element("g", **{name: value}))
    except ValueError:
        return
    assert not set("(\\@<:") & set(written.removeprefix("<g").removesuffix("></g>")) or name in svg.VALUES


def test_a_long_text_is_cut_in_its_middle():
    assert svg.clip("abcdef", 5) == "ab…ef" and svg.clip("abcde", 5) == "abcde"
    assert svg.shorten("a" * 500 + "z", 10_000).endswith("z")


@given(st.text(), st.integers(1, 9))
def test_a_cut_text_has_the_length_asked(text, most):
    assert len(svg.clip(text, most)) == min(len(text), most)


def test_a_data_uri_holds_the_svg_as_xml():
    picture = svg.figure(svg.Drawing(10, 10, svg.label("ä < b", 0, 10)), "a & b")
    head, data = svg.data_uri(picture).split(",")
    assert head == "data:image/svg+xml;base64"
    root = ET.fromstring(base64.b64decode(data))
    assert root.get("aria-label") == "a & b"
    assert root.get("role") == "img"


def test_no_element_has_an_id_so_that_a_picture_can_stand_twice_on_a_page():
    picture = GraphPicture("ab", [("a", "b"), ("b", "b")]).draw({"a": "stored"})
    assert not [e for e in parsed(svg.figure(picture, "x")).iter() if "id" in e.attrib]


def test_drawings_side_by_side_and_below_each_other():
    one, two = (svg.Drawing(width, height, svg.joined(())) for width, height in ((10, 20), (30, 5)))
    assert (svg.beside(one, two, gap=4).width, svg.beside(one, two).height) == (44, 20)
    assert (svg.below(one, two, gap=4).height, svg.below(one, two).width) == (29, 30)


@given(ANY_TEXT, st.floats(20, 300))
def test_a_shortened_text_fits(text, width):
    short = svg.shorten(text, width)
    assert svg.text_width(short) <= max(width, svg.text_width("M\N{HORIZONTAL ELLIPSIS}M"))


def test_every_look_has_contrast_and_a_second_carrier():
    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(a, b):
        low, high = sorted((luminance(a), luminance(b)))
        return (high + 0.05) / (low + 0.05)

    carriers = [(x.mark, x.dash, x.width, x.corner) for x in style.LOOKS.values()]
    for look in style.LOOKS.values():
        assert contrast(style.INK, look.fill) >= 7
        if look.mark:
            assert contrast(look.stroke, look.fill) >= 3
    refused_and_dead = 1  # the same but for the word
    assert len(set(carriers)) == len(carriers) - refused_and_dead


def test_an_unknown_look_is_named():
    with pytest.raises(ValueError, match="'storred'"):
        style.look("storred")


def random_graph(n, links, seed):
    rng = random.Random(seed)
    nodes = [f"harbour.example/page-{i}" for i in range(n)]
    tree = [(nodes[rng.randrange(i)], nodes[i]) for i in range(1, n)]
    return nodes, tree + [(rng.choice(nodes), rng.choice(nodes)) for _ in range(links)]


SHAPES = {
    "random": random_graph(40, 30, 1),
    "dense": random_graph(12, 80, 2),
    "path": ([*range(40)], [*itertools.pairwise(range(40))]),
    "star": ([*range(40)], [(0, i) for i in range(1, 40)]),
    "no links": ([*range(40)], []),
    "cycle": ([*range(9)], [(i, (i + 1) % 9) for i in range(9)]),
    "one": (["a"], [("a", "a")]),
    "none": ([], []),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("width", [430, 640])
def test_boxes_do_not_overlap_and_stay_in_the_picture(shape, width):
    nodes, edges = SHAPES[shape]
    picture = GraphPicture(nodes, edges, nodes[:1], width=width)
    frames = [(x, y, picture.widths[node] / 2) for node, (x, y) in picture.centres.items()]
    assert len(frames) == len(nodes)
    for x, y, half in frames:
        assert x - half >= 0 and x + half <= width
        assert y - BOX_HEIGHT / 2 >= 0 and y + BOX_HEIGHT / 2 <= picture.height
    for (x, y, w), (x2, y2, w2) in itertools.combinations(frames, 2):
        assert abs(x - x2) >= w + w2 + 4 or abs(y - y2) >= BOX_HEIGHT + 8
    assert set(picture.arrows) == set(edges)


def test_layout_is_the_same_every_time_and_at_every_step():
    nodes, edges = SHAPES["random"]
    first, second = (GraphPicture(nodes, edges, nodes[:1]) for _ in range(2))
    assert first.centres == second.centres
    assert first.arrows == second.arrows
    before = first.centres.copy()
    first.draw({nodes[0]: "stored"}, strong=edges[:3])
    assert first.centres == before


def test_links_both_ways_do_not_lie_on_each_other():
    picture = GraphPicture("ab", [("a", "b"), ("b", "a")])
    there, back = picture.arrows.values()
    mid = [np.array([float(v) for v in path.split("Q")[1].split()[:2]]) for path in (there, back)]
    assert np.abs(mid[0] - mid[1]).max() > 20


def test_a_graph_too_large_to_read_is_refused():
    with pytest.raises(ValueError, match="61 nodes"):
        GraphPicture(range(61), [])


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)


@given(ANY_TEXT)
def test_hostile_names_stay_text_in_every_drawing(text):
    graph = GraphPicture([text], [(text, text)]).draw({text: "stored"})
    lists = [stack(text, [text]), queue("q", [text] * 30), set_of("s", [text] * 30), grid([text], [[text]])]
    for drawing in [graph, legend(["stored"]), *lists]:
        tags = Tags()
        tags.feed(str(svg.figure(drawing, text)))
        assert set(tags.found) <= {"svg", "g", "rect", "text", "path", "title"}


def test_a_list_is_as_high_whatever_it_holds():
    assert len({stack("s", ["x"] * n).height for n in (0, 1, 9, 10, 1000)}) == 1


@pytest.mark.parametrize("n", [0, 1, 8, 9, 10, 1000])
def test_what_a_stack_does_not_show_is_counted(n):
    said = "".join(parsed(svg.figure(stack("s", [f"i{i}" for i in range(n)]), "x")).itertext())
    shown = said.count("i") - said.count("waiting")
    hidden = int(said.split("and ")[1].split(" more")[0].replace(",", "")) if " more" in said else 0
    assert shown + hidden == n
    assert n == 0 or f"i{n - 1}" in said

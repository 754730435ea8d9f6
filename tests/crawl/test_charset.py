"""Character sets: who is believed first, which labels mean what, and bytes that are wrong."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.crawl.pages.charset import decode_html, decode_text, escape_query

UTF8 = "café 中".encode()
HTML = "text/html"


@pytest.mark.parametrize(
    ("body", "content_type", "encoding", "text"),
    [
        # the mark beats the header, the header beats the meta, the meta beats the guess
        (codecs.BOM_UTF8 + UTF8, "text/html; charset=iso-8859-1", "utf-8", "café 中"),
        (codecs.BOM_UTF16_LE + "é".encode("utf-16le"), "text/html; charset=utf-8", "utf-16le", "é"),
        (codecs.BOM_UTF16_BE + "é".encode("utf-16be"), HTML, "utf-16be", "é"),
        (b"<meta charset=iso-8859-1>" + UTF8, "text/html; charset=utf-8", "utf-8", "café 中"),
        (b"<meta charset=koi8-r>\xc1", HTML, "koi8-r", "а"),
        (UTF8, HTML, "utf-8", "café 中"),
        (UTF8, None, "utf-8", "café 中"),
        (UTF8[:-1], HTML, "utf-8", "café \ufffd"),  # cut off within a character
        (b"caf\xe9", HTML, "windows-1252", "café"),
        # how headers are written
        (b"\xb2\xe9", "text/html;CHARSET = 'GB2312'", "gbk", "查"),
        (b"\xb2\xe9", 'text/html; x=y; charset="gb2312"; z', "gbk", "查"),
        (b"\x80", "text/html; charset=latin1", "windows-1252", "€"),
        (b"\x95\x5c", "text/html; charset=Shift_JIS", "shift_jis", "表"),
        (b"abc", "text/html; charset=x-unknown", "utf-8", "abc"),
        (b"abc", "text/html; charset=\ud800é", "utf-8", "abc"),
        (b"abc", "text/html; charset=", "utf-8", "abc"),
        (b"<a href=/x>", "text/html; charset=hz-gb-2312", "replacement", "\ufffd"),
        (b"", "text/html; charset=iso-2022-kr", "replacement", ""),
        # how metas are written
        (b"<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset=gbk'>\xb2\xe9", HTML, "gbk", "查"),
        (b'<meta content="charset=gbk" http-equiv=content-type />\xb2\xe9', HTML, "gbk", "查"),
        (b"<meta/charset='gbk'>\xb2\xe9", HTML, "gbk", "查"),
        (b"<meta content='text/html; charset=gbk'>\xb2\xe9", HTML, "windows-1252", "²é"),
        (b"<meta http-equivcontent='x' content='charset=gbk'>\xb2\xe9", HTML, "windows-1252", "²é"),
        (b"<metacharset=gbk>\xb2\xe9", HTML, "windows-1252", "²é"),
        (b"<meta charset=x-unknown><meta charset=gbk>\xb2\xe9", HTML, "gbk", "查"),
        (b"<meta charset=utf-16>" + UTF8, HTML, "utf-8", "café 中"),
        (b"<meta charset=x-user-defined>\x80", HTML, "windows-1252", "€"),
        # where a meta stands that is none
        (b"<!-- <meta charset=gbk> --><meta charset=utf-8>" + UTF8, HTML, "utf-8", "café 中"),
        (b"<!--><meta charset=gbk>\xb2\xe9", HTML, "gbk", "查"),
        (b"<p title='<meta charset=gbk>'><meta charset=utf-8>" + UTF8, HTML, "utf-8", "café 中"),
        (b"<script>'<meta charset=gbk>'</script><meta charset=utf-8>" + UTF8, HTML, "utf-8", "café 中"),
        (b"</meta charset=gbk>" + UTF8, HTML, "utf-8", "café 中"),
        (b"<style>" + b"x" * 5000 + b"</style><meta charset=gbk>\xb2\xe9", HTML, "gbk", "查"),
        # the XML declaration, also in two bytes a letter without a mark
        (b"<?xml version='1.0' encoding='gbk'?><html>\xb2\xe9", HTML, "gbk", "查"),
        (b"<?xml encoding='gbk'?><meta charset=big5>\xac\x64", HTML, "big5", "查"),
        ("<?xml version='1.0'?>é".encode("utf-16le"), HTML, "utf-16le", "é"),
        ("<?xml version='1.0'?>é".encode("utf-16be"), HTML, "utf-16be", "é"),
    ],
)
def test_who_is_believed(body, content_type, encoding, text):
    decoded, name = decode_html(body, content_type)
    assert name == encoding
    assert decoded.endswith(text) and not decoded.startswith("\ufeff")


def test_plain_text_declares_nothing_within():
    assert decode_text("<meta charset=gbk>é".encode()) == ("<meta charset=gbk>é", "utf-8")
    assert decode_text(b"\xb2\xe9", "text/plain; charset=gbk") == ("查", "gbk")


@pytest.mark.parametrize(
    ("href", "encoding", "wanted"),
    [
        ("/查?q=查#查", "gbk", "/查?q=%B2%E9#查"),
        ("/查?q=查", "utf-8", "/查?q=查"),
        ("?q=é&r=é", "windows-1252", "?q=%E9&r=%E9"),
        ("?q=中", "windows-1252", "?q=%26%2320013%3B"),
        ("?q=表&r=%5C", "shift_jis", "?q=%95\\&r=%5C"),
        ("?a=é&b=~ '<\"`", "windows-1252", "?a=%E9&b=~ '<\"`"),
        ("?q=é中\ufffdé", "windows-1252", "?q=%E9%26%2320013%3B%26%2365533%3B%E9"),
        ("?q=中é\ufffd", "gbk", "?q=%D6%D0%A8%A6%26%2365533%3B"),
        ("?q=\ufffd", "gb18030", "?q=%841%A47"),
        ("?q=日a", "iso-2022-jp", "?q=\x1b$BF|\x1b(Ba"),
        ("?q=é", "x-user-defined", "?q=%26%23233%3B"),
        ("/é#é?é", "gbk", "/é#é?é"),
        ("?a=%E9", "gbk", "?a=%E9"),
        ("?é", "replacement", "?é"),
        ("?é", "utf-16le", "?é"),
    ],
)
def test_a_query_is_written_in_the_encoding_of_its_page(href, encoding, wanted):
    assert escape_query(href, encoding) == wanted


LABELS = [
    "utf-8",
    "utf-16",
    "gbk",
    "gb18030",
    "big5",
    "shift_jis",
    "euc-jp",
    "iso-2022-jp",
    "euc-kr",
    "koi8-u",
]
LABELS += [
    "x-user-defined",
    "macintosh",
    "ibm866",
    "iso-8859-8-i",
    "windows-874",
    "hz-gb-2312",
    "utf-7",
    "nonsense",
]


@given(st.binary(max_size=200), st.sampled_from(LABELS), st.booleans())
def test_no_bytes_raise(body, label, in_meta):
    meta = f"<meta charset={label}>".encode()
    text, name = decode_html(
        meta + body if in_meta else body, None if in_meta else f"text/html; charset={label}"
    )
    assert isinstance(text, str)
    assert escape_query("?é中\ufffd" + text, name)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_utf_8_is_recognised_without_a_word_said(text):
    decoded, name = decode_html(b"<p>" + text.encode())
    assert (decoded, name) == ("<p>" + text, "utf-8")

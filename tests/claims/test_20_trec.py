"""Claim C80, of TREC files: what a store holds comes back from trectext and trecweb; what the notes show."""

from ircourse.crawl import PageStore, Response
from ircourse.crawl.store.trec import TrecDocument, read_trec, write_trec


def test_c80_a_store_round_trips_as_trecweb_and_its_words_as_trectext(tmp_path):
    with PageStore(tmp_path / "store") as store:
        for number in range(5):
            body = f"<p>herring & cod < {number}\n\r\n".encode() + bytes(range(1, 256))
            headers = {"content-type": "text/html", "etag": f'"{number}"'}
            store.add(f"http://a.example/{number}", Response(200, headers, body), date=number)
        store.commit()
        pages = [
            TrecDocument(str(n), store[url].body, url, store[url].headers) for n, url in enumerate(store)
        ]
    words = [TrecDocument(page.docno, page.body) for page in pages]
    for name, documents in (("pages.trec", pages), ("pages.trec.gz", pages), ("words.trec", words)):
        assert write_trec(tmp_path / name, documents) == 5
        assert list(read_trec(tmp_path / name)) == documents


def test_c80_the_notes_example_of_trec_web_is_trectext(tmp_path):
    (tmp_path / "notes").write_text(
        "<DOC>\n<DOCNO> 1 </DOCNO>\n<TEXT>Index this document text.</TEXT>\n</DOC>\n"
        "<DOC>\n<DOCNO> 100 </DOCNO>\n<TEXT>Index this document text.</TEXT>\n</DOC>\n"
    )
    found = list(read_trec(tmp_path / "notes"))
    assert [(document.docno, document.text, document.url) for document in found] == [
        ("1", "Index this document text.", ""),
        ("100", "Index this document text.", ""),
    ]
    write_trec(tmp_path / "web", [TrecDocument("1", b"<p>tide", "http://a.example/")])
    assert b"<DOCHDR>" in (tmp_path / "web").read_bytes()
    assert b"<TEXT>" not in (tmp_path / "web").read_bytes()

"""What a crawler reads in a page: character sets, links, words, the author's wishes (book, section 20.2)."""

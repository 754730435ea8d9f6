"""A store of crawled pages: WARC files with an index by URL beside them (notes, storing pages)."""

"""Where bytes come from: names, addresses, connections, and fetching one URL (book, section 20.2.2)."""

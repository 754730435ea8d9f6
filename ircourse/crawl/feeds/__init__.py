"""What sites tell of their own pages: sitemaps, feeds, and messages pushed when something changes."""

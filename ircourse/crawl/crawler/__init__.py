"""The crawler put together: a core without hands, and the drivers that lend it some (book, section 20.2)."""

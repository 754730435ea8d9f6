"""The URL frontier: which URL next, and which host may be asked (book, section 20.2.3, Figure 20.3)."""

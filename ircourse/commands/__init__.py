"""What the commands do that need the course's packages; ``ircourse.__main__`` reads the command line."""

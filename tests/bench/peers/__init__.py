"""Dragoman beside other programs that serve the same models; see __main__.py, and ../peers.sh, which runs it."""

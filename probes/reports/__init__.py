"""Pasted text to facts: one recogniser and one parser a kind."""

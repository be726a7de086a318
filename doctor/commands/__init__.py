"""One file a command, imported when that command runs."""

"""What is compatible with what: facts in, verdict out. Touches no machine, no clock and no network."""

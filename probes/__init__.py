"""What is true of a machine. Describes, never judges."""

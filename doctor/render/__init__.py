"""Report to text: one file a format. Sees the report only."""

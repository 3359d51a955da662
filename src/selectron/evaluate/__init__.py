"""What a pass came to: curves over time, totals, tables and pictures."""

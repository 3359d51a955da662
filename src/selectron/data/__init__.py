"""From what users have to rows: labels, dicts, times, tables of relevant classes, and files."""

"""User data to rows: labels, dicts, times, cells of files, and files that are written."""

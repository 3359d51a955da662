"""A day as it was: predicted, declared and corrected activities, and the time that each took.

day         what the journal tells of a day
palette     a colour and a pattern for every activity
terminal    the day as text
page        the day as one HTML file
"""

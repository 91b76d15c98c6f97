"""The only SQL of reports."""

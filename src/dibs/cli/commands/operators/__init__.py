"""Commands for those who run the machines."""

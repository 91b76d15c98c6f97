"""Commands for operators of the machines."""

"""Allocation candidates: which providers could satisfy a request for resources."""

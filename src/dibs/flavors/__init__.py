"""Flavors: named sizes of servers, and the projects that may use them."""

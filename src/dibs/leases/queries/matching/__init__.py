"""Read the hosts that a search looks at: a sample, or all of them."""

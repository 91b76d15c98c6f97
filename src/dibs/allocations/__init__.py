"""Allocations: "give me a node of this class"; the queue, matching, batches, and holds on single nodes."""

"""What callers do with quotas."""

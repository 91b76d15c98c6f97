"""Commands about the quotas of projects and their weights in the queue."""

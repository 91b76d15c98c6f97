"""The SQL of quotas."""

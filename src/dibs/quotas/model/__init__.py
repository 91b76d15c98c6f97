"""Values and rules of quotas."""

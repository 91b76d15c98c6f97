"""Changes that only a lease that has begun allows."""

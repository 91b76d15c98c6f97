"""The rows of leases: values made of them, and changes of several leases at once."""

"""The only SQL about servers, hypervisors, and the reservations that a launch must respect."""

"""Read the calendar and match reservations with hosts. Nothing here locks or books."""

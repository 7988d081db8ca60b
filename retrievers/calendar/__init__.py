"""A course's works, events and staff, as all of its material together says."""

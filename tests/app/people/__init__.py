"""Who may use what."""

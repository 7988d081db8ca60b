"""Messages about decisions, sent to other services."""

"""How often retrieval finds what answers a query."""

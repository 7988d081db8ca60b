"""Databases as such: opening, schema, transactions, and what SQLite and PostgreSQL have of their own."""

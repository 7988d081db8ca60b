"""Review of drafts: decisions, claims, and what follows from them."""

"""The OpenAPI document, its examples, and what clients may rely on."""

"""The description of the HTTP API: the OpenAPI document, its examples, and what clients may rely on."""

"""The whole product on real course material."""

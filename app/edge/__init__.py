"""The edge of the service: middleware and protocol that check a request before its route (assembled in `app.main`)."""

"""The edge of the service: what a request must be, and may take, before a route sees it (assembled in `app.main`)."""

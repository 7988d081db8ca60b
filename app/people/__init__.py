"""Who may use what: rules of routes, keys, sign-in and sessions."""

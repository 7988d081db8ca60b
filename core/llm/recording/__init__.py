"""Records what models reply, and replays it without them."""

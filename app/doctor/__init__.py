"""The checks of `edumod doctor`."""

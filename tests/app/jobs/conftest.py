from tests.app.jobs.workplace import recorder

__all__ = ["recorder"]

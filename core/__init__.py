"""What every part of EduMod shares: types, errors, settings, language models and the store."""

"""How the offline backend chooses functions and writes answers, by rules and learned weights."""

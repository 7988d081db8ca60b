"""What an evaluation needs besides its actors: a data set, and the conditions it is measured under."""

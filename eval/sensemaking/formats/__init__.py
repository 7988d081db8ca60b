"""The files of ELOQUENT Sensemaking, read and written as the task has them."""

"""Files that others read and write: dialogues and scores as ELMES has them, and Label Studio."""

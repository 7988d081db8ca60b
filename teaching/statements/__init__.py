"""What a sentence states, one module per kind: what it defines, enumerates, counts, explains or compares."""

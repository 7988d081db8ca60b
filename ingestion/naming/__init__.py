"""What names of files, cells and elements say, word by word."""

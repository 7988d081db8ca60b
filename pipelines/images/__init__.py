"""Images of a question: checked, and read by tesseract or by a model that accepts images."""

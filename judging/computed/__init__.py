"""The computed form of the judges: features of texts and coefficients fitted on scored answers, without a model."""

"""What a student's post asks: its words as a query, its parts, its intent, its terms."""

"""What an operator needs: logs, metrics, and a start and an end without surprises."""

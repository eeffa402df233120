"""Which system is better, and how surely."""

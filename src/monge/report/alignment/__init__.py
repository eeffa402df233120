"""Pictures, text and pages of explanations."""
